(* Any number of rings of package deque together, each with its owner, who steals from the others
   into its own: nothing is lost or duplicated over all of them and what is in transit between
   them. Plain Coq, no axioms. *)
Require Import List Arith Lia Permutation.
Require Import Deque.
Import ListNotations.

Section Rings.
Variable V : Type.
Hypothesis same : forall a b : V, {a = b} + {a <> b}.
Variables cap rounds : nat.
Hypothesis cap_pos : cap > 0.
Hypothesis rounds_pos : rounds > 1.

(* hands: for each owner, what it has read and neither written to its ring nor handed out: the
   values of an open steal, a popped one, a batch that overflows. spawned: what owners were given
   to push. handed: what they have given away, to be run or to the injector. *)
Record st := St { rings : list (Deque.st V); hands : list (list V); spawned : list V; handed : list V }.

Fixpoint upd {X} (i : nat) (y : X) (l : list X) :=
  match l, i with [], _ => [] | _ :: r, 0 => y :: r | x :: r, S i' => x :: upd i' y r end.
Definition opt (v : option V) := match v with Some v => [v] | None => [] end.
Definition alone (e : event V) := match e with Writes _ _ | Reads _ _ | Copies _ _ => False | _ => True end.

(* ring_step e s s': a step of one ring. *)
Definition ring_step := Deque.step V cap rounds.

Inductive step : st -> st -> Prop :=
| by_itself R L sp hd i e s s' : nth_error R i = Some s -> ring_step e s s' -> alone e ->
    step (St R L sp hd) (St (upd i s' R) L sp hd)
| spawn R L sp hd i v s s' : nth_error R i = Some s -> ring_step (Writes V v) s s' ->
    step (St R L sp hd) (St (upd i s' R) L (sp ++ [v]) hd)
| copies R L sp hd i j v s s' h : nth_error R i = Some s -> ring_step (Copies V v) s s' -> nth_error L j = Some h -> (* j steals from i *)
    step (St R L sp hd) (St (upd i s' R) (upd j (h ++ opt v) L) sp hd)
| lands R L sp hd j v a b s s' : nth_error R j = Some s -> ring_step (Writes V v) s s' -> nth_error L j = Some (a ++ v :: b) ->
    step (St R L sp hd) (St (upd j s' R) (upd j (a ++ b) L) sp hd)
| reads_own R L sp hd j v s s' h : nth_error R j = Some s -> ring_step (Reads V v) s s' -> nth_error L j = Some h ->
    step (St R L sp hd) (St (upd j s' R) (upd j (h ++ opt v) L) sp hd)
| hands_out R L sp hd j v a b : nth_error L j = Some (a ++ v :: b) ->
    step (St R L sp hd) (St R (upd j (a ++ b) L) sp (hd ++ [v])).

Fixpoint sum {X} (f : X -> nat) (l : list X) := match l with [] => 0 | x :: r => f x + sum f r end.
Definition many x (l : list V) := count_occ same l x.
Definition got (s : Deque.st V) := flat_map (fun pv => opt (snd pv)) (out V s).
(* What is in a ring: queued, written, or taken and not yet read. *)
Definition inside (s : Deque.st V) := flat_map (fun p => opt (nth_error (vals V s) p))
  (held V s ++ pend V s ++ seq (real V s) (length (vals V s) - real V s)).

Definition sound s := forall i r, nth_error (rings s) i = Some r -> Deque.reach V cap rounds r.
Definition accounts s := forall x, many x (spawned s) + sum (fun r => many x (got r)) (rings s) =
  many x (handed s) + sum (many x) (hands s) + sum (fun r => many x (vals V r)) (rings s).

Lemma sum_upd {X} (f : X -> nat) l : forall i x y, nth_error l i = Some x -> sum f (upd i y l) + f x = sum f l + f y.
Proof.
  induction l; destruct i; simpl; intros; try discriminate.
  - injection H as ->; lia.
  - specialize (IHl _ _ y H); lia.
Qed.
Lemma nth_upd {X} (l : list X) : forall i j y, nth_error (upd i y l) j =
  if i =? j then match nth_error l j with None => None | _ => Some y end else nth_error l j.
Proof. induction l; destruct i, j; simpl; intros; auto; now destruct (_ =? _). Qed.

(* What a step of a ring writes and reads. *)
Lemma ring_effect e s s' : ring_step e s s' ->
  vals V s' = vals V s ++ match e with Writes _ v => [v] | _ => [] end /\
  got s' = got s ++ match e with Reads _ v | Copies _ v => opt v | _ => [] end.
Proof.
  unfold got. intros H. destruct H; cbn; rewrite ?flat_map_app, ?app_nil_r; cbn; rewrite ?app_nil_r; auto.
Qed.

Lemma step_sound s s' : step s s' -> sound s -> sound s'.
Proof.
  unfold sound. intros H K. destruct H; cbn in *; intros k r E; eauto;
  rewrite nth_upd in E; match type of E with (if ?a =? ?b then _ else _) = _ => destruct (Nat.eqb_spec a b) end; eauto;
  subst; rewrite H in E; injection E as <-; eapply Deque.reach_step; eauto.
Qed.
Lemma step_accounts s s' : step s s' -> accounts s -> accounts s'.
Proof.
  unfold accounts. intros H K x. specialize (K x).
  destruct H; cbn [rings hands spawned handed] in *;
  try match goal with S : ring_step _ ?r ?r', N : nth_error ?l ?i = Some ?r |- _ =>
    destruct (ring_effect _ _ _ S) as [Ev Eg];
    pose proof (sum_upd (fun r => many x (got r)) l i r r' N); pose proof (sum_upd (fun r => many x (vals V r)) l i r r' N) end;
  try match goal with N : nth_error ?l ?i = Some ?h |- context[upd ?i ?h' ?l] =>
    lazymatch type of h with list V => pose proof (sum_upd (many x) l i h h' N) end end;
  cbn beta in *; rewrite ?Ev, ?Eg in *; unfold many in *; rewrite ?count_occ_app in *; cbn [count_occ] in *;
  repeat match goal with H : context[if same ?a ?b then _ else _] |- _ => destruct (same a b)
    | |- context[if same ?a ?b then _ else _] => destruct (same a b) end;
  try (destruct e; try contradiction; cbn in *); lia.
Qed.

(* In one ring. *)
Lemma all_of l : flat_map (fun p => opt (nth_error l p)) (seq 0 (length l)) = l.
Proof.
  enough (forall a l, flat_map (fun p => opt (nth_error (a ++ l) p)) (seq (length a) (length l)) = l) as E by apply (E []).
  intros a m. revert a. induction m as [|x m IH]; intros a; cbn [length]; auto.
  change (seq (length a) (S (length m))) with (length a :: seq (S (length a)) (length m)). cbn [flat_map].
  rewrite nth_error_app2, Nat.sub_diag by lia. cbn. f_equal.
  specialize (IH (a ++ [x])). rewrite app_length, Nat.add_1_r in IH. now rewrite <- app_assoc in IH.
Qed.
Lemma one_ring s : Deque.reach V cap rounds s -> Permutation (vals V s) (got s ++ inside s).
Proof.
  intros Rc. destruct (Deque.reach_inv _ _ _ cap_pos rounds_pos _ Rc) as [(_ & Le & Le' & _) _ _ _ _ On Rt].
  unfold once in On. unfold right in Rt. set (f := fun p => opt (nth_error (vals V s) p)).
  assert (got s = flat_map f (map fst (out V s))) as ->.
  { clear On. unfold got. induction (out V s) as [|[p v] l IH]; cbn; auto.
    destruct (Rt p v (or_introl eq_refl)) as [-> _]. rewrite IH; auto. intros. apply Rt. now right. }
  unfold inside. fold f. rewrite <- (all_of (vals V s)) at 1. fold f.
  replace (length (vals V s)) with (real V s + (length (vals V s) - real V s)) at 1 by lia.
  rewrite seq_app, !flat_map_app, !app_assoc. apply Permutation_app_tail.
  rewrite <- !flat_map_app. apply Permutation_flat_map. now rewrite <- app_assoc, On.
Qed.

(* n rings, all of them empty. *)
Definition start n := St (repeat (Deque.start V) n) (repeat [] n) [] [].
Inductive reach n : st -> Prop := reach_start : reach n (start n) | reach_step s s' : reach n s -> step s s' -> reach n s'.

Lemma reach_sound n s : reach n s -> sound s /\ accounts s.
Proof.
  induction 1 as [|s s' _ [] H]; [|split; eauto using step_sound, step_accounts].
  split; unfold sound, accounts; cbn.
  - intros i r E. apply nth_error_In, repeat_spec in E. subst. constructor.
  - intros x. induction n; cbn; lia.
Qed.

(* deque/D12. What was spawned is in a ring, in somebody's hands, or handed out; once. *)
Theorem union n s : reach n s -> Permutation (spawned s) (handed s ++ concat (hands s) ++ concat (map inside (rings s))).
Proof.
  intros Rc. destruct (reach_sound _ _ Rc) as [Sd Ac]. apply (Permutation_count_occ same). intros x. specialize (Ac x).
  rewrite !count_occ_app. unfold many in Ac.
  assert (count_occ same (concat (hands s)) x = sum (fun h => count_occ same h x) (hands s)) as ->
    by (generalize (hands s); intros l; induction l; cbn; rewrite ?count_occ_app; auto).
  assert (sum (fun r => count_occ same (vals V r) x) (rings s) =
    sum (fun r => count_occ same (got r) x) (rings s) + count_occ same (concat (map inside (rings s))) x).
  { revert Sd. unfold sound. generalize (rings s). intros l. induction l as [|r l IH]; intros Sd; cbn; auto.
    rewrite IH by (intros i; apply (Sd (S i))). rewrite count_occ_app.
    pose proof (one_ring r (Sd 0 r eq_refl)) as P. apply (Permutation_count_occ same) with (x := x) in P.
    rewrite count_occ_app in P. lia. }
  lia.
Qed.
End Rings.
