(* Package deque: what is taken is what was pushed, once, and each operation linearizes at one
   access; for any capacity, any width of a word, any number of thieves. Plain Coq, no axioms. *)
Require Import List Arith Lia Permutation.
Require Import Wrap.
Import ListNotations.

(* n values from number p on. *)
Definition slice {X} p n (l : list X) := firstn n (skipn p l).
Lemma slice_app1 {X} p n (l : list X) x : p + n <= length l -> slice p n (l ++ [x]) = slice p n l.
Proof.
  intros L. unfold slice. rewrite skipn_app, firstn_app, skipn_length.
  replace (n - (length l - p)) with 0 by lia. cbn. apply app_nil_r.
Qed.
Lemma slice_split {X} p n k (l : list X) : slice p (n + k) l = slice p n l ++ slice (p + n) k l.
Proof.
  unfold slice. revert n l. induction p as [|p IH]; intros n l; cbn [skipn plus].
  - revert l. induction n as [|n IH]; intros [|x l]; cbn; auto; [now rewrite firstn_nil | now rewrite IH].
  - destruct l; [now rewrite !firstn_nil | apply IH].
Qed.
Lemma slice_nth {X} p n (l : list X) : p + n <= length l -> map Some (slice p n l) = map (nth_error l) (seq p n).
Proof.
  revert p. induction n as [|n IH]; intros p L; auto.
  change (S n) with (1 + n). rewrite slice_split, map_app, seq_app, map_app, IH by lia. f_equal.
  clear IH. unfold slice. cbn. revert l L. induction p as [|p IH]; intros [|x l] L; cbn in *; try lia; auto. apply IH. lia.
Qed.
Lemma slice_take {X} p n t (l : list X) : p + n <= t -> t <= length l ->
  exists vs, slice p (t - p) l = vs ++ slice (p + n) (t - (p + n)) l /\ map Some vs = map (nth_error l) (seq p n).
Proof.
  intros L U. exists (slice p n l). split; [|apply slice_nth; lia].
  rewrite <- slice_split. f_equal. lia.
Qed.

Section Ring.
Variable V : Type.        (* the values *)
Variables cap rounds : nat. (* the capacity, and how many times it goes into what a word can count *)
Hypothesis cap_pos : cap > 0.
Hypothesis rounds_pos : rounds > 1.

(* Positions are numbers without end. The code sees words: *)
Definition width := cap * rounds.
Definition word p := p mod width.
Definition sub a b := (a + (width - b)) mod width. (* of words *)
Definition idx p := word p mod cap.                (* the slot *)

(* What a thief has in hand. H: the head that it has loaded. T: and the tail. *)
Inductive look := H (s r : nat) | T (s r t : nat).

(* vals: all that the owner has written so far, in order; the value of position p is number p of
   them. Those before tail are published, the others are written after the tail. slot: what a
   slot of the ring holds. held: positions that the thief has claimed and not yet read; opn:
   whether a steal is open. pend: positions that the owner has taken, by Pop or an overflow, and
   not yet read. out: what takers have read, with the position. *)
Record st := St { slot : nat -> option V; steal : nat; real : nat; tail : nat; vals : list V;
  opn : bool; held : list nat; pend : list nat; out : list (nat * option V); looks : list look }.

Definition put (m : nat -> option V) i v j := if j =? i then v else m j.
Definition at_ (m : nat -> option V) p := m (idx p).
Arguments slice : simpl never.
Arguments put : simpl never.
Arguments at_ : simpl never.
Arguments seq : simpl never.
Arguments sub : simpl never.
Arguments word : simpl never.
Arguments width : simpl never.

(* What a step is: a write after the tail; a take by the owner, or by a thief, which reads the
   slots later; an answer that there is nothing; a read by the owner or by a thief; or nothing
   that others notice. *)
Inductive event := Writes (v : V) | Publishes | Takes | Steals | Empty | Reads (v : option V) | Copies (v : option V) | Quiet.

Inductive step : event -> st -> st -> Prop :=
(* Push, and StealInto as the destination: the owner has seen the steal head, and is not between
   a CAS and its reads *)
| write m s r t l o h out k v : sub (word (length l)) (word s) < cap ->
    step (Writes v) (St m s r t l o h [] out k) (St (put m (idx (length l)) (Some v)) s r t (l ++ [v]) o h [] out k)
| publish m s r t l o h out k : step Publishes (St m s r t l o h [] out k) (St m s r (length l) l o h [] out k)
(* Pop: the CAS, and later the read *)
| pop m s r l o h out k : word r <> word (length l) ->
    step Takes (St m s r (length l) l o h [] out k)
      (St m (if word s =? word r then r+1 else s) (r+1) (length l) l o h [r] out k)
| pop_none m s r l o h out k : word r = word (length l) ->
    step Empty (St m s r (length l) l o h [] out k) (St m s r (length l) l o h [] out k)
(* pushFull: the CAS takes n of the oldest *)
| overflow m s r l o h n out k : word s = word r -> sub (word (length l)) (word r) = cap -> n <= cap ->
    step Takes (St m s r (length l) l o h [] out k) (St m (r+n) (r+n) (length l) l o h (seq r n) out k)
| read_own m s r t l o h p ps out k :
    step (Reads (at_ m p)) (St m s r t l o h (p :: ps) out k) (St (put m (idx p) None) s r t l o h ps (out ++ [(p, at_ m p)]) k)
(* StealInto: the loads, which may find nothing, and the three phases. Fewer than width advances
   come between the first load and the second, and between the first load and the CAS. *)
| look_head m s r t l o h ps out k : step Quiet (St m s r t l o h ps out k) (St m s r t l o h ps out (H s r :: k))
| look_tail m s r t l o h ps out a hs hr b :
    step Quiet (St m s r t l o h ps out (a ++ H hs hr :: b)) (St m s r t l o h ps out (a ++ T hs hr t :: b))
| look_none m s r t l o h ps out a hs hr b : t < hr + width -> word t = word hr ->
    step Empty (St m s r t l o h ps out (a ++ H hs hr :: b)) (St m s r t l o h ps out (a ++ b))
| give_up m s r t l o h ps out a x b :
    step Quiet (St m s r t l o h ps out (a ++ x :: b)) (St m s r t l o h ps out (a ++ b))
| claim m s r t l o h ps out a hs hr ht b n : r < hr + width -> s < hs + width ->
    word s = word hs -> word r = word hr ->
    word hs = word hr -> 1 <= n -> n <= sub (word ht) (word hr) ->
    step Steals (St m s r t l o h ps out (a ++ T hs hr ht :: b)) (St m s (r+n) t l true (seq r n) ps out (a ++ b))
| copy m s r t l o p h ps out k :
    step (Copies (at_ m p)) (St m s r t l o (p :: h) ps out k) (St (put m (idx p) None) s r t l o h ps (out ++ [(p, at_ m p)]) k)
| release m s r t l ps out k : step Quiet (St m s r t l true [] ps out k) (St m r r t l false [] ps out k).

(* Somebody will read the slot of this position. *)
Definition live s p := real s <= p < length (vals s) \/ In p (held s) \/ In p (pend s).

Definition ordered s := steal s <= real s /\ real s <= tail s /\ tail s <= length (vals s) /\ length (vals s) <= steal s + cap.
Definition opened s := (opn s = false -> steal s = real s /\ held s = []) /\ (opn s = true -> steal s < real s).
Definition seen s := forall x, In x (looks s) -> match x with
  | H hs hr => hs <= steal s /\ hr <= real s /\ hs <= hr /\ hr <= hs + cap
  | T hs hr ht => hs <= steal s /\ hr <= real s /\ hs <= hr /\ hr <= hs + cap /\ hr <= ht /\ ht <= tail s end.
Definition holds s := (forall p, In p (held s) -> steal s <= p < real s) /\
  (forall p, In p (pend s) -> p < real s /\ length (vals s) <= p + cap).
Definition kept s := forall p, live s p -> at_ (slot s) p = nth_error (vals s) p.
Definition once s := Permutation (map fst (out s) ++ held s ++ pend s) (seq 0 (real s)).
Definition right s := forall p v, In (p, v) (out s) -> v = nth_error (vals s) p /\ p < real s.
Record inv s : Prop := { i_ordered : ordered s; i_opened : opened s; i_seen : seen s; i_holds : holds s; i_kept : kept s;
  i_once : once s; i_right : right s }.

Lemma cap_width : cap < width.
Proof. unfold width. nia. Qed.

(* Words mean positions, as long as these are not a whole round apart. *)
Lemma word_eq a b : word a = word b -> a < b + width -> b < a + width -> a = b.
Proof.
  unfold word. intros E L U. destruct (Nat.le_ge_cases a b).
  - apply (same_word_same_position width); auto.
  - symmetry. apply (same_word_same_position width); auto.
Qed.
Lemma sub_eq a b : b <= a -> a < b + width -> sub (word a) (word b) = a - b.
Proof. intros. now apply difference_of_words. Qed.
Lemma idx_eq p : idx p = p mod cap.
Proof. apply slot_of_word; lia. Qed.

Lemma other_slot p p' : p < p' -> p' < p + cap -> idx p <> idx p'.
Proof.
  rewrite !idx_eq. intros L U E. enough (p = p') by lia. apply (same_word_same_position cap); auto; lia.
Qed.
Lemma at_put m p p' v : p <> p' -> p' < p + cap -> p < p' + cap -> at_ (put m (idx p) v) p' = at_ m p'.
Proof.
  intros. unfold at_, put. destruct (Nat.eqb_spec (idx p') (idx p)); auto.
  destruct (Nat.lt_total p p') as [|[|]]; try lia; exfalso.
  - apply (other_slot p p'); auto.
  - apply (other_slot p' p); auto.
Qed.

(* What the words in a step say of positions. K is the order of them, L what the thief in
   question has seen. *)
Ltac thief := match goal with
  | Sn : forall x, In x (?a ++ ?y :: ?b) -> _ |- _ => pose proof (Sn y ltac:(apply in_elt)); cbn in *
  | _ => idtac end.
Ltac plain := pose proof cap_width; repeat match goal with
  | E : word ?a = word ?b |- _ => apply word_eq in E; [| lia | lia]
  | L : context[sub (word ?a) (word ?b)] |- _ => rewrite (sub_eq a b) in L by lia
  | N : word ?a <> word ?b |- _ => lazymatch goal with _ : a <> b |- _ => fail | _ => assert (a <> b) by (intros ->; now apply N) end
  | |- context[if word ?a =? word ?b then _ else _] => destruct (Nat.eqb_spec (word a) (word b)) end.

Lemma step_ordered e s s' : step e s s' -> opened s -> seen s -> holds s -> ordered s -> ordered s'.
Proof.
  unfold ordered, opened, seen, holds. intros St [O O'] Sn Hd K.
  destruct St; cbn in *; rewrite ?app_length; cbn; thief; plain; try lia.
  all: destruct o; [| destruct (O eq_refl)]; subst; lia.
Qed.
Lemma step_opened e s s' : step e s s' -> ordered s -> seen s -> opened s -> opened s'.
Proof.
  unfold ordered, opened, seen. intros St K Sn [O O'].
  destruct St; cbn in *; thief; plain; split; intros E; try discriminate; auto; try lia;
  try (destruct (O E) as [? D]; try discriminate D; subst; split; auto; try lia; congruence);
  try (specialize (O' E); lia).
Qed.
Lemma step_seen e s s' : step e s s' -> opened s -> ordered s -> seen s -> seen s'.
Proof.
  unfold seen, ordered, opened. intros St O K Sn.
  destruct St; cbn in *; thief; intros y I; plain;
  try (apply in_app_iff in I as [I|[<-|I]]); try (destruct I as [<-|I]); cbn; try lia;
  try (specialize (Sn y ltac:(rewrite ?in_app_iff in *; cbn; tauto)); destruct y; rewrite ?app_length in *; lia).
Qed.
Lemma step_holds e s s' : step e s s' -> ordered s -> opened s -> seen s -> holds s -> holds s'.
Proof.
  unfold holds, ordered, opened, seen. intros St K [O O'] Sn [Hh Hp].
  destruct St; cbn in *; thief; plain; split; intros p' I; rewrite ?app_length; cbn; try contradiction;
  try (destruct I as [<-|[]]; split; lia); try (apply in_seq in I; lia);
  try (specialize (Hh p' ltac:(auto))); try (specialize (Hp p' ltac:(auto))); lia.
Qed.
Lemma step_kept e s s' : step e s s' -> ordered s -> opened s -> seen s -> holds s -> once s -> kept s -> kept s'.
Proof.
  unfold kept, live, holds, ordered, opened, seen, once. intros St K [O O'] Sn [Hh Hp] N Kp.
  destruct St; cbn in *; thief; intros p' L'; rewrite ?app_length in *; cbn in *.
  - (* write *)
    plain. destruct (Nat.eq_dec p' (length l)) as [->|Ne].
    + unfold at_, put. rewrite Nat.eqb_refl, nth_error_app2, Nat.sub_diag by lia. reflexivity.
    + assert (r <= p' < length l \/ In p' h) as L by (destruct L' as [|[|[]]]; [left; lia | now right]).
      assert (s <= p' < length l) by (destruct L as [|I]; [lia | specialize (Hh _ I); lia]).
      rewrite nth_error_app1, at_put by lia. apply Kp. tauto.
  - auto.
  - (* pop *)
    plain; apply Kp; destruct L' as [|[|[<-|[]]]]; auto; left; lia.
  - auto.
  - (* overflow *)
    plain. apply Kp. destruct L' as [|[|I]]; [left; lia | auto | apply in_seq in I; left; lia].
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
  - auto.
  - auto.
  - auto.
  - auto.
  - (* claim *)
    plain. apply Kp. destruct L' as [|[I|]]; [left; lia | apply in_seq in I; left; lia | auto].
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
Lemma step_once e s s' : step e s s' -> ordered s -> opened s -> seen s -> once s -> once s'.
Proof.
  unfold once, ordered, opened, seen. intros St K [O O'] Sn N. destruct St; cbn in *; thief; rewrite ?map_app; cbn; auto.
  - rewrite app_nil_r in N. rewrite seq_app, app_assoc. now apply Permutation_app_tail.
  - rewrite app_nil_r in N. rewrite seq_app, app_assoc. now apply Permutation_app_tail.
  - rewrite <- N, <- app_assoc. apply Permutation_app_head. now apply Permutation_cons_app.
  - (* claim: no steal is open, since the two halves of the head are the same *)
    assert (h = []) as -> by (plain; destruct o; [lia | apply O; auto]).
    cbn in N. rewrite seq_app, <- N, <- app_assoc. apply Permutation_app_head, Permutation_app_comm.
  - now rewrite <- N, <- app_assoc.
Qed.
Lemma step_right e s s' : step e s s' -> ordered s -> seen s -> holds s -> kept s -> right s -> right s'.
Proof.
  unfold right, ordered, seen, holds, kept, live. intros St K Sn [Hh Hp] Kp R.
  destruct St; cbn in *; intros p' v' I; try apply in_app_iff in I as [I|[[= <- <-]|[]]];
  try (destruct (R _ _ I) as [-> ?]; split; try lia; auto; try (rewrite nth_error_app1 by lia; auto); fail).
  - split; [apply Kp; auto | apply Hp; auto].
  - split; [apply Kp; auto | apply Hh; auto].
Qed.

Definition start := St (fun _ => None) 0 0 0 [] false [] [] [] [].
Inductive reach : st -> Prop := reach_start : reach start | reach_step e s s' : reach s -> step e s s' -> reach s'.

Lemma reach_inv s : reach s -> inv s.
Proof.
  induction 1 as [|e s s' _ [] St].
  - split; unfold ordered, opened, seen, holds, kept, live, once, right; cbn; repeat split; auto; try lia; try tauto; discriminate.
  - split; eauto using step_ordered, step_opened, step_seen, step_holds, step_kept, step_once, step_right.
Qed.

(* deque/D5. What was read at a position is what was pushed there. *)
Theorem takes_what_was_pushed s p v : reach s -> In (p, v) (out s) -> v = nth_error (vals s) p /\ v <> None.
Proof.
  intros Rc I. destruct (reach_inv _ Rc) as [(_ & ? & ? & _) _ _ _ _ _ R]. destruct (R _ _ I) as [E ?].
  split; auto. rewrite E. apply nth_error_Some. lia.
Qed.

(* deque/D6. Every position below real is read once, or is about to be, and no other is; so none
   is lost and none taken twice. *)
Theorem no_loss_no_duplication s : reach s -> Permutation (map fst (out s) ++ held s ++ pend s) (seq 0 (real s)).
Proof. intros Rc. apply (i_once _ (reach_inv _ Rc)). Qed.

(* deque/D8. A write goes to a slot that nobody will read any more: not a queued one, nor one
   that a thief or the owner has taken and not yet read. *)
Theorem no_overwrite s p : reach s -> pend s = [] -> sub (word (length (vals s))) (word (steal s)) < cap -> live s p ->
  idx p <> idx (length (vals s)).
Proof.
  intros Rc P L Lv. destruct (reach_inv _ Rc) as [(? & ? & ? & ?) _ _ [Hh _] _ _ _]. plain.
  assert (steal s <= p < length (vals s)).
  { destruct Lv as [|[I|I]]; [lia | specialize (Hh _ I); lia | rewrite P in I; destruct I]. }
  apply other_slot; lia.
Qed.

(* The deque as everybody may think of it: *)
Definition queue s := slice (real s) (tail s - real s) (vals s).

(* deque/D11. Each operation linearizes at one step, and no other step changes the queue. *)
Definition effect e s s' := match e with
  | Publishes => queue s' = queue s ++ slice (tail s) (length (vals s) - tail s) (vals s)
  | Takes => exists vs, queue s = vs ++ queue s' /\ map Some vs = map (nth_error (vals s)) (pend s')
  | Steals => exists vs, queue s = vs ++ queue s' /\ map Some vs = map (nth_error (vals s)) (held s')
  | Empty => queue s = [] /\ queue s' = []
  | _ => queue s' = queue s end.
Theorem linearization e s s' : reach s -> step e s s' -> effect e s s'.
Proof.
  intros Rc St. destruct (reach_inv _ Rc) as [K [O O'] Sn _ _ _ _]. unfold ordered, seen, queue in *.
  destruct St; unfold effect, queue; cbn in *; thief; plain; auto.
  - (* write *) apply slice_app1. lia.
  - (* publish *) replace (length l - r) with ((t - r) + (length l - t)) by lia. rewrite slice_split.
    now replace (r + (t - r)) with t by lia.
  - (* pop *) apply (slice_take r 1); lia.
  - (* pop_none *) subst. now rewrite Nat.sub_diag.
  - (* overflow *) subst. apply slice_take; lia.
  - (* look_none: real has moved up since it was loaded, and not beyond the tail *)
    replace (t - r) with 0 by lia. auto.
  - (* claim *) apply slice_take; lia.
Qed.
End Ring.
