(* The injector between outsiders and the workers' rings, with the tasks themselves: any number
   of workers, outsiders and tasks, any capacity of the rings. Plain Coq, no axioms. Rings are
   lists here; Deque.v is about how they are kept. *)
Require Import List Arith Lia Permutation.
Import ListNotations.

Section Injector.
Variable V : Type.                                  (* the tasks *)
Hypothesis same : forall a b : V, {a = b} + {a <> b}.
Variable cap : nat.                                 (* the capacity of a ring *)

(* A worker. ring: its ring. hand: a batch from the injector or from another ring, the first of
   which it will run; the others go to its ring. spill: a batch on its way from its ring to the
   injector. *)
Record w := W { ring : list V; hand : list V; spill : list V; ended : bool }.
Definition mine x := ring x ++ hand x ++ spill x.

(* Who has the lock: an outsider that has found the injector open, a worker that takes or spills,
   or who closes. *)
Inductive holder := Free | Pusher | Taker (i : nat) | Spiller (i : nat) | Closer.

(* inj: the injector, oldest first. shut: its closed flag. told: workers are told to end. entered
   and gone: all that was ever pushed to it or taken from it, in order. accepted: what somebody
   was told is accepted. ran: what workers took to run. *)
Record st := St { inj : list V; lock : holder; shut : bool; told : bool; ws : list w;
  entered : list V; gone : list V; accepted : list V; ran : list V }.

Fixpoint sum {X} (f : X -> nat) (l : list X) := match l with [] => 0 | x :: r => f x + sum f r end.
Fixpoint upd {X} (i : nat) (y : X) (l : list X) :=
  match l, i with [], _ => [] | _ :: r, 0 => y :: r | x :: r, S i' => x :: upd i' y r end.

Inductive step : st -> st -> Prop :=
| push_lock q t L en g ac rn : (* the lock, and the look at the flag *)
    step (St q Free false t L en g ac rn) (St q Pusher false t L en g ac rn)
| push q s t L en g ac rn vs : (* the length's Store, then Unlock; one task or several *)
    step (St q Pusher s t L en g ac rn) (St (q ++ vs) Free s t L (en ++ vs) g (ac ++ vs) rn)
| take_lock q s t L en g ac rn i r : nth_error L i = Some (W r [] [] false) ->
    step (St q Free s t L en g ac rn) (St q (Taker i) s t L en g ac rn)
| take q' s t L en g ac rn i r b : nth_error L i = Some (W r [] [] false) -> length b <= 1 + (cap - length r) ->
    step (St (b ++ q') (Taker i) s t L en g ac rn) (St q' Free s t (upd i (W r b [] false) L) en (g ++ b) ac rn)
| land q k s t L en g ac rn i r v b : nth_error L i = Some (W r (v :: b) [] false) ->
    step (St q k s t L en g ac rn) (St q k s t (upd i (W (r ++ b) [] [] false) L) en g ac (rn ++ [v]))
| pop q k s t L en g ac rn i r v b p : nth_error L i = Some (W (v :: r) b p false) ->
    step (St q k s t L en g ac rn) (St q k s t (upd i (W r b p false) L) en g ac (rn ++ [v]))
| steal q k s t L en g ac rn i j r r' b c p e : nth_error L i = Some (W (b ++ r) c p e) -> i <> j ->
    nth_error L j = Some (W r' [] [] false) -> length b <= 1 + (cap - length r') ->
    step (St q k s t L en g ac rn) (St q k s t (upd j (W r' b [] false) (upd i (W r c p e) L)) en g ac rn)
| spawn q k s t L en g ac rn i r v : nth_error L i = Some (W r [] [] false) -> length r < cap ->
    step (St q k s t L en g ac rn) (St q k s t (upd i (W (r ++ [v]) [] [] false) L) en g (ac ++ [v]) rn)
| overflow q k s t L en g ac rn i r b v : nth_error L i = Some (W (b ++ r) [] [] false) -> (* Push on a full ring *)
    step (St q k s t L en g ac rn) (St q k s t (upd i (W r [] (b ++ [v]) false) L) en g (ac ++ [v]) rn)
| spill_lock q s t L en g ac rn i r p : nth_error L i = Some (W r [] p false) ->
    step (St q Free s t L en g ac rn) (St q (Spiller i) s t L en g ac rn)
| spilled q s t L en g ac rn i r p : nth_error L i = Some (W r [] p false) -> (* open or not: its tasks were accepted long ago *)
    step (St q (Spiller i) s t L en g ac rn) (St (q ++ p) Free s t (upd i (W r [] [] false) L) (en ++ p) g ac rn)
| close_lock q s t L en g ac rn : step (St q Free s t L en g ac rn) (St q Closer s t L en g ac rn)
| close q s t L en g ac rn : step (St q Closer s t L en g ac rn) (St q Free true t L en g ac rn)
| tell q k t L en g ac rn : step (St q k true t L en g ac rn) (St q k true true L en g ac rn)
| end_ k s L en g ac rn i : nth_error L i = Some (W [] [] [] false) -> (* it was told, and sees nothing in the injector *)
    step (St [] k s true L en g ac rn) (St [] k s true (upd i (W [] [] [] true) L) en g ac rn).

Definition many x l := count_occ same l x.
Definition kept s := forall x, many x (accepted s) = many x (inj s) + sum (fun k => many x (mine k)) (ws s) + many x (ran s).
Definition in_order s := entered s = gone s ++ inj s.
Definition closing s := (lock s = Pusher -> shut s = false) /\ (told s = true -> shut s = true).
Definition endings s := forall i x, nth_error (ws s) i = Some x -> ended x = true -> told s = true /\ mine x = [].
Definition emptied s := ws s <> [] -> (forall i x, nth_error (ws s) i = Some x -> ended x = true) -> inj s = [].
Definition fits s := forall i x, nth_error (ws s) i = Some x ->
  length (ring x) <= cap /\ length (ring x) + length (hand x) <= 1 + cap.

Lemma sum_upd {X} (f : X -> nat) l : forall i x y, nth_error l i = Some x -> sum f (upd i y l) + f x = sum f l + f y.
Proof.
  induction l; destruct i; simpl; intros; try discriminate.
  - injection H as ->; lia.
  - specialize (IHl _ _ y H); lia.
Qed.
Lemma nth_upd {X} (l : list X) : forall i j y, nth_error (upd i y l) j =
  if i =? j then match nth_error l j with None => None | _ => Some y end else nth_error l j.
Proof. induction l; destruct i, j; simpl; intros; auto; now destruct (_ =? _). Qed.
Lemma upd_nil {X} (l : list X) i y : upd i y l <> [] -> l <> [].
Proof. destruct l, i; simpl; auto; discriminate. Qed.

Lemma many_app x a b : many x (a ++ b) = many x a + many x b.
Proof. apply count_occ_app. Qed.

Lemma step_kept s s' : step s s' -> kept s -> kept s'.
Proof.
  unfold kept, mine. intros H K z. specialize (K z).
  destruct H; cbn [inj ws accepted ran] in *;
  try match goal with H : nth_error ?l ?i = Some ?x |- context[upd ?i ?y ?l] =>
    pose proof (sum_upd (fun k => many z (ring k ++ hand k ++ spill k)) l i x y H) end;
  try match goal with N : ?i <> ?j, H : nth_error ?l ?j = Some ?x |- context[upd ?j ?y (upd ?i ?y' ?l)] =>
    assert (nth_error (upd i y' l) j = Some x) as H'
      by (rewrite nth_upd; destruct (Nat.eqb_spec i j); [contradiction | exact H]);
    pose proof (sum_upd (fun k => many z (ring k ++ hand k ++ spill k)) _ j x y H') end;
  cbn [ring hand spill] in *; rewrite ?many_app in *; cbn [many count_occ app] in *;
  rewrite ?many_app in *; unfold many in *; cbn [count_occ] in *;
  repeat match goal with H : context[if same ?a ?b then _ else _] |- _ => destruct (same a b) | |- context[if same ?a ?b then _ else _] => destruct (same a b) end; lia.
Qed.

Lemma step_in_order s s' : step s s' -> in_order s -> in_order s'.
Proof. unfold in_order. intros H K. destruct H; cbn in *; subst; now rewrite <- ?app_assoc. Qed.

Lemma step_closing s s' : step s s' -> closing s -> closing s'.
Proof. unfold closing. intros H [K1 K2]. destruct H; cbn in *; split; intros; auto; congruence. Qed.

(* E says who is number a after a step in which one worker has changed, or two. *)
Ltac changed E :=
  repeat (rewrite nth_upd in E; match type of E with context[?a =? ?b] => destruct (Nat.eqb_spec a b); [subst | ] end);
  try match type of E with match ?n with None => None | Some _ => Some _ end = Some _ =>
    match goal with H : n = Some _ |- _ => rewrite H in E; injection E as <- end end;
  try contradiction.

Lemma step_endings s s' : step s s' -> endings s -> endings s'.
Proof.
  unfold endings. intros H K. destruct H; cbn [ws told] in *; intros a x E N; changed E; cbn in *;
  try discriminate; try (destruct (K _ _ E N); split; auto; fail); auto.
  - (* steal: from one that has ended there is nothing to take *)
    destruct (K _ _ H N) as [T M]. split; auto. unfold mine in *; cbn in *.
    apply app_eq_nil in M as [M1 M2]. apply app_eq_nil in M1 as [_ ->]. auto.
Qed.

Lemma step_emptied s s' : step s s' -> closing s -> endings s -> emptied s -> emptied s'.
Proof.
  unfold emptied, endings. intros H [C1 C2] En K.
  destruct H; cbn [ws inj told lock shut] in *; intros Ne A;
  try (apply upd_nil in Ne); auto;
  try match type of A with context[upd ?i ?y _] =>
    match goal with H : nth_error _ i = Some _ |- _ =>
      pose proof (A i y) as F; rewrite nth_upd, Nat.eqb_refl, H in F; specialize (F eq_refl); discriminate F end end.
  - (* push: somebody has not ended, since the injector was open *)
    destruct L as [|x L]; [contradiction|]. destruct (En 0 x eq_refl (A 0 x eq_refl)) as [T _].
    rewrite (C2 T) in C1. specialize (C1 eq_refl). discriminate.
  - (* steal *)
    pose proof (A j (W r' b [] false)) as F. rewrite nth_upd, Nat.eqb_refl, nth_upd in F.
    destruct (Nat.eqb_spec i j); [contradiction|]. rewrite H1 in F. specialize (F eq_refl). discriminate F.
Qed.

Lemma step_fits s s' : step s s' -> fits s -> fits s'.
Proof.
  unfold fits. intros H K. destruct H; cbn [ws] in *; intros a x E; auto; changed E; cbn in *; eauto;
  repeat match goal with H : nth_error _ _ = Some _ |- _ => apply K in H end;
  cbn in *; rewrite ?app_length in *; cbn in *; lia.
Qed.

Record inv s : Prop := { i_kept : kept s; i_in_order : in_order s; i_closing : closing s; i_endings : endings s;
  i_emptied : emptied s; i_fits : fits s }.

Definition start n := St [] Free false false (repeat (W [] [] [] false) n) [] [] [] [].
Inductive reach n : st -> Prop := reach_start : reach n (start n) | reach_step s s' : reach n s -> step s s' -> reach n s'.

Lemma reach_inv n s : reach n s -> inv s.
Proof.
  induction 1 as [|s s' _ [] H].
  - assert (forall i x, nth_error (repeat (W [] [] [] false) n) i = Some x -> x = W [] [] [] false) as E
      by (intros i x I; apply nth_error_In in I; now apply repeat_spec in I).
    split; unfold kept, in_order, closing, endings, emptied, fits; cbn; auto.
    + intros x. clear E. induction n; cbn; auto.
    + intros i x I F. apply E in I. subst. discriminate.
    + intros i x I. apply E in I. subst. cbn. lia.
  - split; eauto using step_kept, step_in_order, step_closing, step_endings, step_emptied, step_fits.
Qed.

(* injector/J7. Every task that was accepted is in the injector, or in a ring or a hand or a
   spill, or was run; once. *)
Theorem nothing_lost n s : reach n s -> Permutation (accepted s) (inj s ++ concat (map mine (ws s)) ++ ran s).
Proof.
  intros Rc. apply (Permutation_count_occ same). intros x. pose proof (i_kept _ (reach_inv _ _ Rc) x) as K.
  rewrite !count_occ_app. unfold many in K. rewrite K.
  enough (sum (fun k => count_occ same (mine k) x) (ws s) = count_occ same (concat (map mine (ws s))) x) by lia.
  generalize (ws s). intros l. induction l as [|y l IH]; cbn [sum map concat]; auto. now rewrite count_occ_app, IH.
Qed.

(* injector/J8. First in, first out: what was taken is what was pushed first, in that order. *)
Theorem first_in_first_out n s : reach n s -> entered s = gone s ++ inj s.
Proof. intros Rc. apply (i_in_order _ (reach_inv _ _ Rc)). Qed.

(* injector/J9. A batch fits: no ring has more than its capacity, when a batch has landed either. *)
Theorem batches_fit n s i x : reach n s -> nth_error (ws s) i = Some x -> length (ring x) <= cap.
Proof. intros Rc E. apply (i_fits _ (reach_inv _ _ Rc) _ _ E). Qed.

Lemma nothing_left L : (forall i x, nth_error L i = Some x -> mine x = []) -> concat (map mine L) = [].
Proof.
  induction L as [|x L IH]; intros H; cbn; auto.
  rewrite (H 0 x eq_refl), IH; auto. intros i. apply (H (S i)).
Qed.

(* injector/J10. When all workers have ended, exactly what was accepted was run, and nothing will
   be accepted any more. *)
Theorem drained n s : reach n s -> ws s <> [] -> (forall i x, nth_error (ws s) i = Some x -> ended x = true) ->
  Permutation (accepted s) (ran s) /\ forall s', step s s' -> accepted s' = accepted s.
Proof.
  intros Rc Ne A. pose proof (nothing_lost _ _ Rc) as P. destruct (reach_inv _ _ Rc) as [_ _ [C1 C2] En Em _]. split.
  - rewrite (Em Ne A), nothing_left in P; auto. intros i x E. apply (En _ _ E (A _ _ E)).
  - intros s' H. destruct H; cbn in *; auto; try (match goal with H : nth_error _ _ = Some _ |- _ => specialize (A _ _ H); discriminate A end).
    destruct L as [|x L]; [contradiction|]. destruct (En 0 x eq_refl (A 0 x eq_refl)) as [T _].
    rewrite (C2 T) in C1. specialize (C1 eq_refl). discriminate.
Qed.
End Injector.
