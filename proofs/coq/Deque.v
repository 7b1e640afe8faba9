(* Package deque: what is taken is what was pushed, once, for any capacity and any number of thieves. Plain Coq, no axioms.
   Positions are numbers without end here; Wrap.v is about counting them modulo 2^32. *)
Require Import List Arith Lia Permutation.
Import ListNotations.

Section Ring.
Variable V : Type.   (* the values *)
Variable cap : nat.  (* the capacity *)
Hypothesis cap_pos : cap > 0.

(* vals: all that the owner has written so far, in order; the value of position p is number p of them. Those before tail are
   published, the others are written behind the tail. slot: what a slot of the ring holds. held: positions that the thief has
   claimed and not yet read; opn: whether a steal is open. pend: positions that the owner has taken, by Pop or an
   overflow, and not yet read. out: what takers have read, with the position. *)
Record st := St { slot : nat -> option V; steal : nat; real : nat; tail : nat; vals : list V;
  opn : bool; held : list nat; pend : list nat; out : list (nat * option V) }.

Definition put (m : nat -> option V) i v j := if j =? i then v else m j.
Definition at_ (m : nat -> option V) p := m (p mod cap).
Arguments put : simpl never.
Arguments at_ : simpl never.
Arguments seq : simpl never.

Inductive step : st -> st -> Prop :=
(* Push, and StealInto as the destination: the owner has seen the steal head, and is not between a CAS and its reads *)
| write m s r t l o h out v : length l < s + cap ->
    step (St m s r t l o h [] out) (St (put m (length l mod cap) (Some v)) s r t (l ++ [v]) o h [] out)
| publish m s r t l o h out : step (St m s r t l o h [] out) (St m s r (length l) l o h [] out)
(* Pop, with and without an open steal: the CAS, and later the read *)
| pop m r l out : r < length l ->
    step (St m r r (length l) l false [] [] out) (St m (r+1) (r+1) (length l) l false [] [r] out)
| pop_open m s r l h out : r < length l ->
    step (St m s r (length l) l true h [] out) (St m s (r+1) (length l) l true h [r] out)
(* pushFull: the CAS takes n of the oldest *)
| overflow m r l n out : r + n <= length l ->
    step (St m r r (length l) l false [] [] out) (St m (r+n) (r+n) (length l) l false [] (seq r n) out)
| read_own m s r t l o h p ps out :
    step (St m s r t l o h (p :: ps) out) (St (put m (p mod cap) None) s r t l o h ps (out ++ [(p, at_ m p)]))
(* StealInto: the three phases *)
| claim m r t l n ps out : r + n <= t ->
    step (St m r r t l false [] ps out) (St m r (r+n) t l true (seq r n) ps out)
| copy m s r t l o p h ps out :
    step (St m s r t l o (p :: h) ps out) (St (put m (p mod cap) None) s r t l o h ps (out ++ [(p, at_ m p)]))
| release m s r t l ps out : step (St m s r t l true [] ps out) (St m r r t l false [] ps out).

(* Somebody will read the slot of this position. *)
Definition live s p := real s <= p < length (vals s) \/ In p (held s) \/ In p (pend s).

Definition ordered s := steal s <= real s /\ real s <= tail s /\ tail s <= length (vals s) /\ length (vals s) <= steal s + cap.
Definition opened s := opn s = false -> steal s = real s /\ held s = [].
Definition holds s := (forall p, In p (held s) -> steal s <= p < real s) /\
  (forall p, In p (pend s) -> p < real s /\ length (vals s) <= p + cap).
Definition kept s := forall p, live s p -> at_ (slot s) p = nth_error (vals s) p.
Definition once s := Permutation (map fst (out s) ++ held s ++ pend s) (seq 0 (real s)).
Definition right s := forall p v, In (p, v) (out s) -> v = nth_error (vals s) p /\ p < real s.
Record inv s : Prop := { i_ordered : ordered s; i_opened : opened s; i_holds : holds s; i_kept : kept s; i_once : once s; i_right : right s }.

Lemma other_slot p p' : p < p' -> p' < p + cap -> p mod cap <> p' mod cap.
Proof.
  intros L U E. pose proof (Nat.div_mod_eq p cap). pose proof (Nat.div_mod_eq p' cap).
  assert (p' - p = cap * (p' / cap - p / cap)) by nia.
  destruct (p' / cap - p / cap) eqn:Q; nia.
Qed.
Lemma at_put m p p' v : p <> p' -> p' < p + cap -> p < p' + cap -> at_ (put m (p mod cap) v) p' = at_ m p'.
Proof.
  intros. unfold at_, put. destruct (Nat.eqb_spec (p' mod cap) (p mod cap)); auto.
  destruct (Nat.lt_total p p') as [|[|]]; try lia; exfalso.
  - apply (other_slot p p'); auto.
  - apply (other_slot p' p); auto.
Qed.

Lemma step_ordered s s' : step s s' -> opened s -> holds s -> ordered s -> ordered s'.
Proof.
  unfold ordered, opened, holds. intros H O Hd K.
  destruct H; cbn in *; rewrite ?app_length; cbn; try lia;
  try (destruct (O eq_refl)); subst; lia.
Qed.
Lemma step_opened s s' : step s s' -> opened s -> opened s'.
Proof.
  unfold opened. intros H O. destruct H; cbn in *; intros E; try discriminate; auto.
  destruct (O E) as [? D]. discriminate D.
Qed.
Lemma step_holds s s' : step s s' -> ordered s -> opened s -> holds s -> holds s'.
Proof.
  unfold holds, ordered, opened. intros H K O [Hh Hp].
  destruct H; cbn in *; split; intros p' I; rewrite ?app_length; cbn; try contradiction;
  try (destruct I as [<-|[]]; split; lia); try (apply in_seq in I; lia);
  try (specialize (Hh p' ltac:(auto))); try (specialize (Hp p' ltac:(auto))); lia.
Qed.
Lemma step_kept s s' : step s s' -> ordered s -> opened s -> holds s -> once s -> kept s -> kept s'.
Proof.
  unfold kept, live, holds, ordered, opened, once. intros H K O [Hh Hp] N Kp.
  destruct H; cbn in *; intros p' L'; rewrite ?app_length in *; cbn in *.
  - (* write *)
    destruct (Nat.eq_dec p' (length l)) as [->|Ne].
    + unfold at_, put. rewrite Nat.eqb_refl, nth_error_app2, Nat.sub_diag by lia. reflexivity.
    + assert (r <= p' < length l \/ In p' h) as L by (destruct L' as [|[|[]]]; [left; lia | now right]).
      assert (s <= p' < length l) by (destruct L as [|I]; [lia | specialize (Hh _ I); lia]).
      rewrite nth_error_app1, at_put by lia. apply Kp. tauto.
  - auto.
  - apply Kp. destruct L' as [|[[]|[<-|[]]]]; left; lia.
  - apply Kp. destruct L' as [|[|[<-|[]]]]; [left; lia | auto | left; lia].
  - apply Kp. left. destruct L' as [|[[]|I]]; [lia | apply in_seq in I; lia].
  - (* read_own *)
    assert (p' <> p) as Ne.
    { intros ->. pose proof (proj1 (Hp p (or_introl eq_refl))).
      apply Permutation_sym, Permutation_NoDup in N; [|apply seq_NoDup].
      rewrite app_assoc in N. apply NoDup_remove_2 in N.
      destruct L' as [|[|]]; [lia | |]; apply N; rewrite !in_app_iff; auto. }
    destruct (Hp p (or_introl eq_refl)).
    assert (p' < length l /\ length l <= p' + cap).
    { destruct L' as [|[I|I]]; [lia | specialize (Hh _ I); lia | specialize (Hp _ (or_intror I)); lia]. }
    rewrite at_put by lia. apply Kp. tauto.
  - apply Kp. destruct L' as [|[I|]]; [left; lia | apply in_seq in I; left; lia | auto].
  - (* copy *)
    assert (p' <> p) as Ne.
    { intros ->. pose proof (Hh p (or_introl eq_refl)).
      apply Permutation_sym, Permutation_NoDup in N; [|apply seq_NoDup].
      apply NoDup_remove_2 in N.
      destruct L' as [|[|]]; [lia | |]; apply N; rewrite !in_app_iff; auto. }
    pose proof (Hh p (or_introl eq_refl)).
    assert (p' < length l /\ length l <= p' + cap).
    { destruct L' as [|[I|I]]; [lia | specialize (Hh _ (or_intror I)); lia | specialize (Hp _ I); lia]. }
    rewrite at_put by lia. apply Kp. tauto.
  - apply Kp. destruct L' as [|[[]|]]; auto.
Qed.
Lemma step_once s s' : step s s' -> once s -> once s'.
Proof.
  unfold once. intros H N. destruct H; cbn in *; rewrite ?map_app; cbn; auto.
  - rewrite app_nil_r in N. rewrite seq_app. now apply Permutation_app_tail.
  - rewrite app_nil_r in N. rewrite seq_app, app_assoc. now apply Permutation_app_tail.
  - rewrite app_nil_r in N. rewrite seq_app. now apply Permutation_app_tail.
  - rewrite <- N, <- app_assoc. apply Permutation_app_head. now apply Permutation_cons_app.
  - rewrite seq_app, <- N, <- app_assoc. apply Permutation_app_head, Permutation_app_comm.
  - now rewrite <- N, <- app_assoc.
Qed.
Lemma step_right s s' : step s s' -> ordered s -> holds s -> kept s -> right s -> right s'.
Proof.
  unfold right, ordered, holds, kept, live. intros H K [Hh Hp] Kp R.
  destruct H; cbn in *; intros p' v' I; try apply in_app_iff in I as [I|[[= <- <-]|[]]];
  try (destruct (R _ _ I) as [-> ?]; split; try lia; auto; try (rewrite nth_error_app1 by lia; auto); fail).
  - split; [apply Kp; auto | apply Hp; auto].
  - split; [apply Kp; auto | apply Hh; auto].
Qed.

Definition start := St (fun _ => None) 0 0 0 [] false [] [] [].
Inductive reach : st -> Prop := reach_start : reach start | reach_step s s' : reach s -> step s s' -> reach s'.

Lemma reach_inv s : reach s -> inv s.
Proof.
  induction 1 as [|s s' _ [] H].
  - split; unfold ordered, opened, holds, kept, live, once, right; cbn; repeat split; auto; try lia; try tauto.
  - split; eauto using step_ordered, step_opened, step_holds, step_kept, step_once, step_right.
Qed.

(* deque/D5. What was read at a position is what was pushed there. *)
Theorem takes_what_was_pushed s p v : reach s -> In (p, v) (out s) -> v = nth_error (vals s) p /\ v <> None.
Proof.
  intros Rc I. destruct (reach_inv _ Rc) as [(_ & ? & ? & _) _ _ _ _ R]. destruct (R _ _ I) as [E ?].
  split; auto. rewrite E. apply nth_error_Some. lia.
Qed.

(* deque/D6. Every position below real is read once, or is about to be, and no other is; so none is lost and none taken
   twice. *)
Theorem no_loss_no_duplication s : reach s -> Permutation (map fst (out s) ++ held s ++ pend s) (seq 0 (real s)).
Proof. intros Rc. apply (i_once _ (reach_inv _ Rc)). Qed.

(* deque/D8. A write goes to a slot that nobody will read any more: not a queued one, nor one that a thief or the owner has taken
   and not yet read. *)
Theorem no_overwrite s p : reach s -> pend s = [] -> length (vals s) < steal s + cap -> live s p ->
  p mod cap <> length (vals s) mod cap.
Proof.
  intros Rc P L Lv. destruct (reach_inv _ Rc) as [(? & ? & ? & ?) _ [Hh _] _ _ _].
  assert (steal s <= p < length (vals s)).
  { destruct Lv as [|[I|I]]; [lia | specialize (Hh _ I); lia | rewrite P in I; destruct I]. }
  apply other_slot; lia.
Qed.
End Ring.
