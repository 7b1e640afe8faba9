(* Package idle with the tokens of package park: any number of workers, words of the bitmap,
   notifiers and tasks. The states and the relation step are made from the table Idle, see
   IdleTable.v. Plain Coq, no axioms. *)
Require Import List Arith Lia Bool.
Require Import IdleTable.
Import ListNotations.

(* A bit whose worker is past its look at closed. *)
Definition past x := match p x with B | P => bit x | _ => 0 end.
Definition past_in k x := if wd x =? k then past x else 0.

Section Words.
Variable nw : nat. (* the number of words *)
Notation step := (step nw).

(* Who is on the count. *)
Definition counted x := match p x with S | F | A => 1 | _ => 0 end + tok x.
Definition to_deliver m := match m with M3 _ => 1 | _ => 0 end.
(* Claims of worker j that somebody has in hand. *)
Definition mine j m := match m with M2 i | M3 i => if i =? j then 1 else 0 | _ => 0 end.
(* Between Publish and Woke. *)
Definition parked x := match p x with A | C | B | P => 1 | _ => 0 end.
(* Has rechecked, and nobody has claimed it. *)
Definition asleep x := match p x with P => bit x | _ => 0 end.
Definition low k x := if wd x <? k then asleep x else 0.
Definition past_low k x := if wd x <? k then past x else 0.
(* Looks at the queue later, or makes somebody look. *)
Definition under_way x := match p x with S | F | A | C | B => 1 | _ => 0 end + tok x.
(* A notifier that is at word k covers the sleepers if none of them is in a word that it has
   passed. *)
Definition covers L m := match m with M1 k => if sum (low k) L =? 0 then 1 else 0 | _ => 1 end.

(* The invariant, one part a definition. *)
Definition counts s := srch s = sum counted (ws s) + sum to_deliver (ms s).
(* A parked worker has exactly one of its bit, a claim in somebody's hands, a token; any other
   worker has none. *)
Definition owns s := forall j x, nth_error (ws s) j = Some x ->
  bit x + tok x + sum (mine j) (ms s) = parked x.
Definition exists_ s := forall j, nth_error (ws s) j = None -> sum (mine j) (ms s) = 0.
Definition in_words s := forall j x, nth_error (ws s) j = Some x -> wd x < nw.
(* Close is through with the words below this one. *)
Definition reached c k := match c with Load k' | Claims k' _ => k = k' | Done => k = nw |
  Open => False end.
Definition closes s := forall k, reached (cl s) k -> sum (past_low k) (ws s) = 0.
Definition reads s := forall k l, cl s = Claims k l ->
  forall j x, nth_error (ws s) j = Some x -> wd x = k -> past x > 0 -> In j l.
Definition wakes s := queued s > 0 -> sum asleep (ws s) > 0 -> cl s = Open ->
  sum under_way (ws s) + sum (covers (ws s)) (ms s) > 0.

Lemma sum_app {X} (f : X -> nat) a b : sum f (a ++ b) = sum f a + sum f b.
Proof. induction a; simpl; lia. Qed.
Lemma sum_upd {X} (f : X -> nat) l : forall i x y, nth_error l i = Some x ->
  sum f (upd i y l) + f x = sum f l + f y.
Proof.
  induction l; destruct i; simpl; intros; try discriminate.
  - injection H as ->; lia.
  - specialize (IHl _ _ y H); lia.
Qed.
Lemma sum_ge {X} (f : X -> nat) l : forall i x, nth_error l i = Some x -> f x <= sum f l.
Proof.
  induction l; destruct i; simpl; intros; try discriminate.
  - injection H as ->; lia.
  - specialize (IHl _ _ H); lia.
Qed.
Lemma sum_le {X} (f g : X -> nat) l : (forall x, f x <= g x) -> sum f l <= sum g l.
Proof. intros H. induction l; simpl; [lia | specialize (H a); lia]. Qed.
Lemma nth_upd {X} (l : list X) : forall i j y, nth_error (upd i y l) j =
  if i =? j then match nth_error l j with None => None | _ => Some y end else nth_error l j.
Proof. induction l; destruct i, j; simpl; intros; auto; now destruct (_ =? _). Qed.
Lemma nth_upd_none {X} (l : list X) i j y : nth_error (upd i y l) j = None -> nth_error l j = None.
Proof. rewrite nth_upd. destruct (i =? j); auto. now destruct (nth_error l j). Qed.

(* An update that makes nobody fall asleep leaves covered who was. *)
Lemma covers_upd L i x y M : nth_error L i = Some x -> (forall k, low k y <= low k x) ->
  sum (covers L) M <= sum (covers (upd i y L)) M.
Proof.
  intros H Le. apply sum_le. intros [|k|j|j]; simpl; auto.
  pose proof (sum_upd (low k) L i x y H). specialize (Le k).
  destruct (Nat.eqb_spec (sum (low k) L) 0), (Nat.eqb_spec (sum (low k) (upd i y L)) 0); lia.
Qed.
Lemma low_next k L : sum (low (k+1)) L <= sum (low k) L + sum (within k) L.
Proof.
  induction L as [|[pp b t d] L IH]; cbn [sum]; auto.
  enough (low (k+1) (W pp b t d) <= low k (W pp b t d) + within k (W pp b t d)) by lia.
  unfold low, within, asleep; cbn [wd p bit].
  destruct (Nat.ltb_spec d (k+1)), (Nat.ltb_spec d k), (Nat.eqb_spec d k), pp; lia.
Qed.
Lemma low_all k L : (forall j x, nth_error L j = Some x -> wd x < nw) -> nw <= k ->
  sum (low k) L = sum asleep L.
Proof.
  induction L as [|x L IH]; intros H Le; simpl; auto.
  rewrite IH; auto. 2: intros j; apply (H (Datatypes.S j)).
  specialize (H 0 x eq_refl). unfold low. destruct (Nat.ltb_spec (wd x) k); lia.
Qed.
Lemma past_low_next k L : sum (past_low (k+1)) L = sum (past_low k) L + sum (past_in k) L.
Proof.
  induction L as [|[pp b t d] L IH]; cbn [sum]; auto.
  enough (past_low (k+1) (W pp b t d) = past_low k (W pp b t d) + past_in k (W pp b t d)) by lia.
  unfold past_low, past_in; cbn [wd].
  destruct (Nat.ltb_spec d (k+1)), (Nat.ltb_spec d k), (Nat.eqb_spec d k); lia.
Qed.
Lemma past_low_le k k' L : k <= k' -> sum (past_low k) L <= sum (past_low k') L.
Proof. intros Le. apply sum_le. intros x. unfold past_low.
  destruct (Nat.ltb_spec (wd x) k), (Nat.ltb_spec (wd x) k'); lia. Qed.
Lemma low_0 L : sum (low 0) L = 0.
Proof. induction L; simpl; auto. Qed.
Lemma past_low_0 L : sum (past_low 0) L = 0.
Proof. induction L; simpl; auto. Qed.

Ltac norm := repeat (rewrite ?sum_app, ?app_length in *; cbn [sum to_deliver mine length] in *).
Ltac eqb := repeat match goal with
  | |- context[?a =? ?b] => destruct (Nat.eqb_spec a b); subst
  | H : context[?a =? ?b] |- _ => destruct (Nat.eqb_spec a b); subst end.

(* What changes if one worker does. *)
Ltac worker f := match goal with
  | H : nth_error ?l ?i = Some ?x |- context[upd ?i ?y ?l] =>
      pose proof (sum_upd f l i x y H); pose proof (sum_ge f l i x H)
  | H : nth_error ?l ?i = Some ?x |- _ => pose proof (sum_ge f l i x H)
  | _ => idtac end.

Lemma step_counts s s' : step s s' -> owns s -> counts s -> counts s'.
Proof.
  unfold owns, counts. intros H O K. destruct H; cbn [ws ms queued srch] in *;
  try match goal with H : nth_error _ _ = Some _ |- _ => pose proof (O _ _ H) end;
  worker counted; norm; try (rewrite Nat.eqb_refl in *);
  repeat match goal with x : pc |- _ => destruct x end; cbn in *; lia.
Qed.

Lemma step_owns s s' : step s s' -> owns s -> exists_ s -> owns s'.
Proof.
  unfold owns, exists_. intros H O N. destruct H; cbn [ws ms] in *;
  try match goal with H : nth_error _ _ = Some _ |- _ => pose proof (O _ _ H) end;
  intros jj xx E; try rewrite nth_upd in E;
  try match type of E with (if ?a =? ?b then _ else _) = _ =>
    destruct (Nat.eqb_spec a b);
    [ subst; match goal with H : nth_error _ _ = Some _ |- _ => rewrite H in E end;
      injection E as <- | ] end;
  try (pose proof (O _ _ E)); norm; cbn in *; eqb; try lia; try congruence;
  repeat match goal with x : pc |- _ => destruct x end; cbn in *; lia.
Qed.

Lemma step_exists s s' : step s s' -> exists_ s -> exists_ s'.
Proof.
  unfold exists_. intros H N. destruct H; cbn [ws ms] in *; intros jj E;
    try apply nth_upd_none in E;
  pose proof (N _ E); norm; cbn in *; eqb; try lia; congruence.
Qed.

Lemma step_in_words s s' : step s s' -> in_words s -> in_words s'.
Proof.
  unfold in_words. intros H K. destruct H; cbn [ws] in *; intros jj xx E;
    try rewrite nth_upd in E; eauto;
  match type of E with (if ?a =? ?b then _ else _) = _ =>
    destruct (Nat.eqb_spec a b); [ subst | now eauto ] end;
  match goal with H : nth_error _ _ = Some _ |- _ => rewrite H in E; injection E as <-;
    apply K in H end; auto.
Qed.

Lemma step_reads s s' : step s s' -> reads s -> reads s'.
Proof.
  unfold reads. intros H K. destruct H; cbn [ws cl] in *; intros kk ll E jj xx N W P;
    try discriminate;
  try rewrite nth_upd in N;
  try match type of N with (if ?a =? ?b then _ else _) = _ =>
    destruct (Nat.eqb_spec a b);
    [ subst; match goal with H : nth_error _ _ = Some _ |- _ => rewrite H in N end;
      injection N as <- | ] end;
  try (injection E as <- <-);
  try (specialize (K _ _ E)); try (specialize (K _ _ eq_refl)).
  all: try (match goal with H : nth_error _ _ = Some _ |- _ => specialize (K _ _ H) end;
    unfold past in *; cbn [p bit wd] in *; repeat match goal with x : pc |- _ => destruct x end;
      auto; try lia; fail).
  all: try (eapply K; eauto; fail).
  - (* close_load *) apply H. exists xx. repeat split; auto. unfold past in P. destruct (p xx); lia.
  - (* close_claim *) destruct (K _ _ N W P); [contradiction | auto].
  - (* close_miss *) destruct (K _ _ N W P) as [->|]; auto. rewrite H in N. injection N as <-.
    unfold past in P; cbn in P. destruct x; lia.
Qed.

Lemma no_more k L : (forall j x, nth_error L j = Some x -> wd x = k -> past x > 0 -> In j []) ->
  sum (past_in k) L = 0.
Proof.
  induction L as [|x L IH]; intros H; cbn [sum]; auto.
  rewrite IH by (intros j; apply (H (Datatypes.S j))).
  unfold past_in. destruct (Nat.eqb_spec (wd x) k); auto.
  pose proof (H 0 x eq_refl e). destruct (past x); auto. exfalso. apply H0. lia.
Qed.

Lemma step_closes s s' : step s s' -> reads s -> closes s -> closes s'.
Proof.
  unfold closes, reads. intros H Rd K.
    destruct H; cbn [ws cl reached] in *; intros kk E; try contradiction;
  try (specialize (K _ E));
  try match goal with H : nth_error ?l ?i = Some ?x |- context[upd ?i ?y ?l] =>
    pose proof (sum_upd (past_low kk) l i x y H); pose proof (sum_ge (past_low kk) l i x H) end;
  try (subst kk; try (specialize (K _ eq_refl)); rewrite ?past_low_next, ?past_low_0;
    try (rewrite (no_more _ _ (Rd _ _ eq_refl))));
  unfold past_low, past in *; cbn [wd p bit] in *;
  repeat match goal with x : pc |- _ => destruct x end; cbn [wd p bit] in *;
  try match goal with H : context[?a <? ?b] |- _ => destruct (Nat.ltb_spec a b) end; try lia.
  (* close_done *)
  pose proof (past_low_le nw k L ltac:(lia)). unfold past_low, past in *. lia.
Qed.

Lemma to_deliver_covers L M : sum to_deliver M <= sum (covers L) M.
Proof. apply sum_le. intros []; simpl; auto; lia. Qed.
Lemma counted_under_way L : sum counted L <= sum under_way L.
Proof. apply sum_le. intros [[] b t d]; cbn; lia. Qed.

(* A step of one worker that makes nobody fall asleep leaves covered who was. *)
Ltac covered := match goal with
  | H : nth_error ?l ?i = Some ?x |- context[upd ?i ?y ?l] =>
      let Le := fresh in
      assert (forall k, low k y <= low k x) as Le
        by (intros; unfold low, asleep; cbn [p bit wd]; destruct (_ <? _);
          repeat match goal with x : pc |- _ => destruct x end; cbn; lia);
      repeat match goal with M : list nf |- _ => lazymatch goal with
        | _ : sum (covers l) M <= _ |- _ => fail
        | _ => pose proof (covers_upd l i x y M H Le) end end
  | _ => idtac end.

Lemma step_wakes s s' : step s s' -> counts s -> owns s -> in_words s -> wakes s -> wakes s'.
Proof.
  unfold wakes, counts, owns, in_words. intros H Cn O Wd K.
  destruct H; cbn [ws ms queued srch cl] in *; intros Q Z N; try discriminate; try contradiction;
    try (specialize (K ltac:(lia)));
  try match goal with H : nth_error _ _ = Some _ |- _ => pose proof (O _ _ H) end;
  worker under_way; worker asleep; try covered;
  repeat (rewrite ?sum_app in *; cbn [sum to_deliver covers] in *).
  all: try (cbn in *; lia).
  all: try (match type of K with ?a > 0 -> _ => let Y := fresh in
      assert (Y : a > 0) by (repeat match goal with x : pc |- _ => destruct x end; cbn in *; lia);
        specialize (K Y); clear Y end;
    match goal with Hn : _ = Open |- _ => specialize (K Hn) end;
    repeat match goal with x : pc |- _ => destruct x end; cbn in *; lia).
  - (* notify_leave: whoever is on the count is under way *)
    pose proof (counted_under_way L). pose proof (to_deliver_covers L a).
      pose proof (to_deliver_covers L b). lia.
  - (* notify_go: it has passed nothing *)
    rewrite low_0. cbn. lia.
  - (* claim_none: there was nobody in the word *)
    specialize (K Z N). pose proof (low_next k L).
    destruct (Nat.eqb_spec (sum (low k) L) 0), (Nat.eqb_spec (sum (low (k+1)) L) 0); lia.
  - (* claim_end: one that has passed all words covers nobody, since somebody sleeps *)
    specialize (K Z N). rewrite low_all in K by auto. destruct (Nat.eqb_spec (sum asleep L) 0); lia.
  - (* found: another one is on the count *)
    pose proof (sum_upd counted L i _ (W R e t d) H). pose proof (sum_ge counted L i _ H).
    pose proof (counted_under_way (upd i (W R e t d) L)).
      pose proof (to_deliver_covers (upd i (W R e t d) L) M).
    cbn in *; lia.
  - (* leave: the same *)
    pose proof (sum_upd counted L i _ (W R e t d) H). pose proof (sum_ge counted L i _ H).
    pose proof (counted_under_way (upd i (W R e t d) L)).
      pose proof (to_deliver_covers (upd i (W R e t d) L) M).
    cbn in *; lia.
Qed.

Record inv (s : st) : Prop := {
  i_counts : counts s; i_owns : owns s; i_exists : exists_ s; i_in_words : in_words s;
  i_reads : reads s; i_closes : closes s; i_wakes : wakes s }.

Inductive reach words : st -> Prop :=
| reach_start : (forall d, In d words -> d < nw) -> reach words (start words)
| reach_step s s' : reach words s -> step s s' -> reach words s'.

Lemma start_inv words : (forall d, In d words -> d < nw) -> inv (start words).
Proof.
  intros Wd.
  assert (forall f, (forall d, f (W R 0 0 d) = 0) -> sum f (map (W R 0 0) words) = 0) as Z
    by (intros f E; clear Wd; induction words; simpl; rewrite ?E; auto).
  split; unfold counts, owns, exists_, in_words, reads, closes, wakes; simpl; try lia;
    try discriminate.
  - now rewrite Z.
  - intros j x E. apply nth_error_In, in_map_iff in E as (d & <- & _). reflexivity.
  - intros j x E. apply nth_error_In, in_map_iff in E as (d & <- & I). now apply Wd.
Qed.

Lemma reach_inv words s : reach words s -> inv s.
Proof.
  induction 1 as [Wd | s s' _ [] H]; auto using start_inv.
  split; eauto using step_counts, step_owns, step_exists, step_in_words, step_reads, step_closes,
    step_wakes.
Qed.

(* idle/I1. Nobody is under way: no notifier, no Close, and each worker runs a task or sleeps
   without a token. Then nobody sleeps while a task is queued, as far as a claim can still come. *)
Definition through s := exists k, reached (cl s) k /\ nw <= k.
Definition quiet s := ms s = [] /\ (cl s = Open \/ through s) /\
  forall i x, nth_error (ws s) i = Some x -> p x = R \/ (p x = P /\ tok x = 0).

Lemma quiet_under_way l : (forall i x, nth_error l i = Some x ->
  p x = R \/ (p x = P /\ tok x = 0)) ->
  (forall i x, nth_error l i = Some x -> tok x <= parked x) -> sum under_way l = 0.
Proof.
  induction l as [|x l IH]; intros Q T; cbn [sum]; auto.
  rewrite IH; [| intros i; apply (Q (Datatypes.S i)) | intros i; apply (T (Datatypes.S i))].
  specialize (Q 0 x eq_refl). specialize (T 0 x eq_refl).
  destruct x as [[] ? ? ?]; cbn in *; destruct Q as [|[]]; try discriminate; lia.
Qed.

Lemma all_past_low k L : (forall j x, nth_error L j = Some x -> wd x < nw) -> nw <= k ->
  sum past L <= sum (past_low k) L.
Proof.
  induction L as [|x L IH]; intros H Le; cbn [sum]; auto.
  specialize (IH (fun j => H (Datatypes.S j)) Le). specialize (H 0 x eq_refl).
  enough (past x <= past_low k x) by lia.
  unfold past_low. destruct (Nat.ltb_spec (wd x) k); lia.
Qed.
Lemma asleep_past L : sum asleep L <= sum past L.
Proof. apply sum_le. intros x. unfold asleep, past. destruct (p x); lia. Qed.

Theorem no_lost_wakeup words s : reach words s -> quiet s -> queued s > 0 -> sum asleep (ws s) = 0.
Proof.
  intros Rc (M & Cl & Q) Hq. destruct (reach_inv _ _ Rc) as [Cn O Ex Wd _ Cs K].
  destruct Cl as [Cl | (k & Cl & Le)].
  - assert (sum under_way (ws s) = 0) as U.
    { apply quiet_under_way; auto. intros i x E. specialize (O _ _ E). lia. }
    unfold wakes in K. rewrite M, U in K. cbn in K. destruct (sum asleep (ws s)); auto.
    specialize (K Hq ltac:(lia) Cl). lia.
  - specialize (Cs _ Cl). pose proof (all_past_low k (ws s) Wd Le).
    pose proof (asleep_past (ws s)). lia.
Qed.

(* idle/I2. A parked worker has exactly one of its bit, a claim in somebody's hands, a token; so
   two wake-ups never meet. *)
Theorem one_wake_up words s j x : reach words s -> nth_error (ws s) j = Some x ->
  bit x + tok x + sum (mine j) (ms s) = parked x.
Proof. intros Rc. apply (i_owns _ (reach_inv _ _ Rc)). Qed.

Corollary at_most_one_token words s j x : reach words s -> nth_error (ws s) j = Some x ->
  tok x <= 1.
Proof. intros Rc E. pose proof (one_wake_up _ _ _ _ Rc E).
  destruct x as [[] ? ? ?]; cbn in *; lia. Qed.

(* idle/I11. A worker that finds its bit when it times out has no token coming, and eats none. *)
Theorem timeout_unclaimed words s j t d : reach words s -> nth_error (ws s) j = Some (W P 1 t d) ->
  t = 0 /\ sum (mine j) (ms s) = 0.
Proof. intros Rc E. pose proof (one_wake_up _ _ _ _ Rc E). cbn in *. lia. Qed.

(* idle/I3. searching is exact with any number of words. *)
Theorem searching_exact words s : reach words s ->
  srch s = sum counted (ws s) + sum to_deliver (ms s).
Proof. intros Rc. apply (i_counts _ (reach_inv _ _ Rc)). Qed.

(* idle/I5. What makes I1 true, with any number of words: somebody will look, or some notifier
   has still to come to the words in which workers sleep. *)
Theorem somebody_under_way words s : reach words s -> queued s > 0 -> sum asleep (ws s) > 0 ->
  cl s = Open ->
  sum under_way (ws s) + sum (covers (ws s)) (ms s) > 0.
Proof. intros Rc. apply (i_wakes _ (reach_inv _ _ Rc)). Qed.

(* idle/I8. There are never more than twice as many searchers as workers. *)
Lemma sum_zero {X} (f : X -> nat) l : (forall x, f x = 0) -> sum f l = 0.
Proof. intros H. induction l; simpl; rewrite ?H; auto. Qed.

(* Claims of workers from number i on, worker by worker. *)
Fixpoint claims (M : list nf) i (L : list w) := match L with [] => 0 |
  _ :: L' => sum (mine i) M + claims M (Datatypes.S i) L' end.

Lemma claims_cons m M L : forall i, claims (m :: M) i L = claims [m] i L + claims M i L.
Proof. induction L; intros i; cbn in *; [lia | rewrite IHL; lia]. Qed.
Lemma claims_one m j L : (m = M2 j \/ m = M3 j) -> forall i, i <= j < i + length L ->
  claims [m] i L = 1.
Proof.
  intros Hm. assert (forall i, mine i m = if j =? i then 1 else 0) as E by (destruct Hm; subst;
    reflexivity).
  induction L; intros i B; cbn [claims sum length] in *; [lia|]. rewrite E.
    destruct (Nat.eqb_spec j i).
  - subst. enough (claims [m] (Datatypes.S i) L = 0) by lia.
    clear B IHL. assert (forall k, k > i -> claims [m] k L = 0) as Z; [|apply Z; lia].
    induction L; intros k Gt; cbn [claims sum]; auto. rewrite E, IHL by lia.
      destruct (Nat.eqb_spec i k); lia.
  - rewrite IHL by lia. lia.
Qed.
Lemma delivered_claims L M : (forall j, nth_error L j = None -> sum (mine j) M = 0) ->
  sum to_deliver M <= claims M 0 L.
Proof.
  induction M as [|m M IH]; intros H; cbn [sum]; [lia|]. rewrite claims_cons.
  assert (forall j, nth_error L j = None -> sum (mine j) M = 0) as H' by (intros j E;
    specialize (H j E); cbn in H; lia).
  specialize (IH H'). enough (to_deliver m <= claims [m] 0 L) by lia.
  destruct m; cbn [to_deliver]; try lia. rewrite (claims_one (M3 j) j); auto. split; [lia|].
  destruct (nth_error L j) eqn:E; [apply nth_error_Some; congruence|].
  specialize (H j E). cbn in H. rewrite Nat.eqb_refl in H. lia.
Qed.
Lemma counted_claims L M : forall i, (forall j x, nth_error L j = Some x ->
  bit x + tok x + sum (mine (i + j)) M = parked x) ->
  sum counted L + claims M i L <= 2 * length L.
Proof.
  induction L as [|x L IH]; intros i O; cbn [sum claims length]; [lia|].
  assert (sum counted L + claims M (Datatypes.S i) L <= 2 * length L).
  { apply IH. intros j y E. specialize (O (Datatypes.S j) y E). now rewrite Nat.add_succ_r in O. }
  specialize (O 0 x eq_refl). rewrite Nat.add_0_r in O.
  enough (counted x + sum (mine i) M <= 2) by lia.
  destruct x as [[] ? ? ?]; cbn in *; lia.
Qed.
Theorem searching_at_most_twice words s : reach words s -> srch s <= 2 * length (ws s).
Proof.
  intros Rc. destruct (reach_inv _ _ Rc) as [Cn O Ex _ _ _ _]. unfold counts in Cn.
  pose proof (delivered_claims _ _ Ex). pose proof (counted_claims (ws s) (ms s) 0 O). lia.
Qed.

(* idle/I9. When Close is through with all words, no worker that has passed its look at closed
   has its bit set: all of them have been claimed, or are awake. *)
Theorem nobody_sleeps_after_close words s j x : reach words s -> through s ->
  nth_error (ws s) j = Some x -> past x = 0.
Proof.
  intros Rc (k & Cl & Le) E. destruct (reach_inv _ _ Rc) as [_ _ _ Wd _ Cs _].
  pose proof (all_past_low k (ws s) Wd Le). specialize (Cs _ Cl).
    pose proof (sum_ge past (ws s) j x E). lia.
Qed.

(* idle/I12. A searcher that leaves the search with nothing, since what it waited for has ended,
   runs on and will not look at the queues for a long time. If it left a task to sleepers,
   somebody else is under way, who covers them. *)
Theorem leaver_is_replaced words s s' i x x' : reach words s -> step s s' ->
  nth_error (ws s) i = Some x -> p x = S -> nth_error (ws s') i = Some x' -> p x' = R ->
  queued s' > 0 -> sum asleep (ws s') > 0 -> cl s' = Open ->
  sum under_way (upd i (W R 0 0 0) (ws s')) + sum (covers (ws s')) (ms s') > 0.
Proof.
  intros Rc H E P E' P' Q Z N. pose proof (reach_step _ _ _ Rc H) as Rc'.
  pose proof (somebody_under_way _ _ Rc' Q Z N). pose proof (one_wake_up _ _ _ _ Rc' E') as O.
  pose proof (sum_upd under_way _ i x' (W R 0 0 0) E'). destruct x' as [? ? ? ?]. cbn in *. subst.
    cbn in *. lia.
Qed.
End Words.
