(* Package taskstate: the transitions of the word as functions, as in the shipped code, and
   whoever has a reference calling them, any number of them. Plain Coq, no axioms. *)
Require Import List Arith Lia Bool.
Import ListNotations.

Inductive life := Scheduled | Running | Idle | Complete.
Record word := Wd { lf : life; notified : bool; cancelled : bool; join : bool; detached : bool; shield : nat; refs : nat }.

Section Task.
Variables most deep : nat. (* the largest numbers of references and shields *)

Inductive outcome := Enqueue | Noted | Finished | Release | Poll | Cancelled | Stale | Waits | WakeJoiner | Discard | Done
  | Deferred | Already | Held | Left | Ready | Withdrawn | Kept.

(* The transitions. None: refused, which is a panic. *)
Definition move (w : word) l := Wd l false (cancelled w) (join w) (detached w) (shield w) (refs w).
Definition with_refs (w : word) n := Wd (lf w) (notified w) (cancelled w) (join w) (detached w) (shield w) n.
Definition note (w : word) := Wd (lf w) true (cancelled w) (join w) (detached w) (shield w) (refs w).
Definition cancel_ (w : word) := Wd (lf w) (notified w) true (join w) (detached w) (shield w) (refs w).
Definition effective w := cancelled w && (shield w =? 0).
Definition polled w := match refs w, lf w with S _, Running => true | _, _ => false end.

Definition wake w := match refs w, lf w with
  | 0, _ => None
  | _, Idle => Some (move w Scheduled, Enqueue)
  | _, Running => Some (note w, Noted)
  | _, Scheduled => Some (w, Noted)
  | _, Complete => Some (w, Finished) end.
Definition wake_drop w := match refs w, lf w with
  | 0, _ => None
  | 1, Complete => Some (with_refs w 0, Release)
  | 1, _ => None
  | S n, _ => wake (with_refs w n) end.
Definition to_running w := match refs w, lf w with
  | 0, _ => None
  | _, Scheduled => Some (move w Running, if effective w then Cancelled else Poll)
  | _, _ => Some (w, Stale) end.
Definition claim w := match refs w, lf w with
  | 0, _ => None
  | n, Scheduled => if n <? most then to_running (with_refs w (S n)) else None
  | _, _ => Some (w, Stale) end.
Definition to_idle w := if polled w then
  Some (if notified w then (move w Scheduled, Enqueue) else (move w Idle, Waits)) else None.
Definition yield_ w := if polled w then Some (move w Scheduled, Enqueue) else None.
Definition complete w := match polled w, shield w with
  | true, 0 => let c := move w Complete in Some (
      if join w then (c, WakeJoiner)
      else if refs w =? 1 then (with_refs c 0, Release)
      else if detached w then (c, Discard)
      else (with_refs c (refs w - 1), Done))
  | _, _ => None end.
Definition cancel w := match refs w, lf w with
  | 0, _ => None
  | _, Complete => Some (w, Finished)
  | _, _ => if cancelled w then Some (w, Already)
      else if shield w =? 0 then match wake w with
        | Some (w', Enqueue) => Some (cancel_ w', Enqueue)
        | Some (w', _) => Some (cancel_ w', Noted)
        | None => None end
      else Some (cancel_ w, Deferred) end.
Definition with_shield (w : word) n := Wd (lf w) (notified w) (cancelled w) (join w) (detached w) n (refs w).
Definition enter w := if polled w && (shield w <? deep) then Some (with_shield w (S (shield w)), Held) else None.
Definition leave w := match polled w, shield w with
  | true, S n => let w' := with_shield w n in
      Some (if 0 <? n then (w', Held) else if cancelled w then (note w', Cancelled) else (w', Left))
  | _, _ => None end.
Definition with_join (w : word) j := Wd (lf w) (notified w) (cancelled w) j (detached w) (shield w) (refs w).
Definition join_ w := match refs w, detached w, lf w with
  | 0, _, _ | _, true, _ => None
  | _, _, Complete => Some (w, Ready)
  | _, _, _ => Some (with_join w true, Waits) end.
Definition unjoin w := match refs w, detached w, lf w with
  | 0, _, _ | _, true, _ => None
  | _, _, Complete => Some (w, Ready)
  | _, _, _ => if join w then Some (with_join w false, Withdrawn) else None end.
Definition drop w := match refs w, lf w with
  | 0, _ => None
  | 1, Complete => Some (with_refs w 0, Release)
  | 1, _ => None
  | S n, _ => Some (with_refs w n, Kept) end.
Definition detach w := if detached w then None else match drop w with
  | None => None
  | Some (w', Release) => Some (Wd (lf w) (notified w) (cancelled w) (join w) true (shield w) (refs w'), Release)
  | Some (w', _) => match lf w with
    | Complete => Some (Wd Complete (notified w) (cancelled w) (join w) true (shield w) (refs w), Discard)
    | l => Some (Wd l (notified w) (cancelled w) false true (shield w) (refs w'), Done) end end.
Definition clone w := if (0 <? refs w) && (refs w <? most) then Some (with_refs w (S (refs w)), Kept) else None.

(* Who has a reference. Entry: of a queue, or in the hands of who was told to enqueue. Runner:
   polls the task. Handle: will join or detach. Holder: a waker, or whoever has to drop a
   reference. Last: the runner that has completed the task and has still to wake the joiner or
   discard the result. *)
Inductive agent := Entry | Runner | Handle | Holder | Last.

(* ags: everybody, in any order. stale: the entries that a Claim was faster than. unseen: a Wake
   has taken effect, and no poll has begun since. told: a runner was told that the task is
   cancelled. woken, released: how often. *)
Record st := St { wd : word; ags : list agent; stale : nat; unseen : bool; told : bool; woken : nat; released : nat }.

Definition entry_if o := match o with Enqueue => [Entry] | _ => [] end.
Definition once_if (b : bool) := if b then 1 else 0.
Definition is_release o := match o with Release => true | _ => false end.
Definition is_cancelled o := match o with Cancelled => true | _ => false end.
Definition is_finished o := match o with Finished | Release => true | _ => false end.

(* step x: agent x makes a transition. *)
Inductive step : agent -> st -> st -> Prop :=
| s_wake a x b w w' o z u t j r : wake w = Some (w', o) ->
    step x (St w (a ++ x :: b) z u t j r) (St w' (entry_if o ++ a ++ x :: b) z (u || negb (is_finished o)) t j r)
| s_wake_drop a b w w' o z u t j r : wake_drop w = Some (w', o) ->
    step Holder (St w (a ++ Holder :: b) z u t j r)
      (St w' (entry_if o ++ a ++ b) z (u || negb (is_finished o)) t j (r + once_if (is_release o)))
| s_run a b w w' o z u t j r : to_running w = Some (w', o) -> o <> Stale ->
    step Entry (St w (a ++ Entry :: b) z u t j r) (St w' (Runner :: a ++ b) z false (t || is_cancelled o) j r)
| s_stale a b w w' z u t j r : to_running w = Some (w', Stale) ->
    step Entry (St w (a ++ Entry :: b) z u t j r) (St w' (Holder :: a ++ b) (z - 1) u t j r)
| s_claim a x b w w' o z u t j r : claim w = Some (w', o) -> o <> Stale ->
    step x (St w (a ++ x :: b) z u t j r) (St w' (Runner :: a ++ x :: b) (z + 1) false (t || is_cancelled o) j r)
| s_to_idle a b w w' o z u t j r : to_idle w = Some (w', o) ->
    step Runner (St w (a ++ Runner :: b) z u t j r) (St w' (entry_if o ++ a ++ b) z u t j r)
| s_yield a b w w' o z u t j r : yield_ w = Some (w', o) ->
    step Runner (St w (a ++ Runner :: b) z u t j r) (St w' (entry_if o ++ a ++ b) z u t j r)
| s_complete a b w w' o z u t j r : complete w = Some (w', o) ->
    step Runner (St w (a ++ Runner :: b) z u t j r)
      (St w' (match o with WakeJoiner | Discard => [Last] | _ => [] end ++ a ++ b) z u t
        (j + match o with WakeJoiner => 1 | _ => 0 end) (r + once_if (is_release o)))
| s_cancel a x b w w' o z u t j r : cancel w = Some (w', o) ->
    step x (St w (a ++ x :: b) z u t j r) (St w' (entry_if o ++ a ++ x :: b) z u t j r)
| s_enter a b w w' o z u t j r : enter w = Some (w', o) ->
    step Runner (St w (a ++ Runner :: b) z u t j r) (St w' (a ++ Runner :: b) z u t j r)
| s_leave a b w w' o z u t j r : leave w = Some (w', o) ->
    step Runner (St w (a ++ Runner :: b) z u t j r) (St w' (a ++ Runner :: b) z u t j r)
| s_join a b w w' o z u t j r : join_ w = Some (w', o) \/ unjoin w = Some (w', o) ->
    step Handle (St w (a ++ Handle :: b) z u t j r) (St w' (a ++ Handle :: b) z u t j r)
| s_detach a b w w' o z u t j r : detach w = Some (w', o) ->
    step Handle (St w (a ++ Handle :: b) z u t j r)
      (St w' (match o with Discard => [Holder] | _ => [] end ++ a ++ b) z u t j (r + once_if (is_release o)))
| s_clone a x b w w' o z u t j r : clone w = Some (w', o) ->
    step x (St w (a ++ x :: b) z u t j r) (St w' (Holder :: a ++ x :: b) z u t j r)
| s_drop a x b w w' o z u t j r : drop w = Some (w', o) -> x = Holder \/ x = Last \/ x = Handle /\ lf w = Complete ->
    step x (St w (a ++ x :: b) z u t j r) (St w' (a ++ b) z u t j (r + once_if (is_release o))).

Fixpoint sum {X} (f : X -> nat) (l : list X) := match l with [] => 0 | x :: r => f x + sum f r end.
Definition anybody (_ : agent) := 1.
Definition entry x := match x with Entry => 1 | _ => 0 end.
Definition runner x := match x with Runner => 1 | _ => 0 end.
Definition handle x := match x with Handle => 1 | _ => 0 end.
Definition last x := match x with Last => 1 | _ => 0 end.
Definition at_ l w := match l, lf w with Scheduled, Scheduled | Running, Running | Idle, Idle | Complete, Complete => 1 | _, _ => 0 end.

Record inv s : Prop := {
  i_refs : refs (wd s) = sum anybody (ags s) + at_ Idle (wd s);
  i_runner : sum runner (ags s) = at_ Running (wd s);
  i_entry : sum entry (ags s) = stale s + at_ Scheduled (wd s);
  i_notified : notified (wd s) = true -> lf (wd s) = Running;
  i_unseen : unseen s = true -> match lf (wd s) with Idle => False | Running => notified (wd s) = true | _ => True end;
  i_told : effective (wd s) = true -> told s = false ->
    match lf (wd s) with Idle => False | Running => notified (wd s) = true | _ => True end;
  i_woken : woken s = match lf (wd s), join (wd s) with Complete, true => 1 | _, _ => 0 end;
  i_released : released s = match refs (wd s) with 0 => 1 | _ => 0 end;
  i_handle : sum handle (ags s) <= once_if (negb (detached (wd s)));
  i_last : sum last (ags s) <= at_ Complete (wd s);
  i_shield : shield (wd s) <= deep;
  i_unshielded : lf (wd s) = Complete -> shield (wd s) = 0 }.

Lemma sum_app {X} (f : X -> nat) a b : sum f (a ++ b) = sum f a + sum f b.
Proof. induction a; simpl; lia. Qed.

Ltac cases := repeat match goal with
  | H : Some _ = None |- _ => discriminate H
  | H : None = Some _ |- _ => discriminate H
  | H : _ \/ _ |- _ => destruct H
  | H : _ /\ _ |- _ => destruct H
  | H : context[match ?x with _ => _ end] |- _ => destruct x eqn:?; cbn in *; try discriminate
  | H : Some _ = Some _ |- _ => injection H; clear H; intros; subst; cbn in *
  end.

Ltac numbers := match goal with
  | |- @eq nat _ _ => idtac | |- _ <= _ => idtac | |- _ -> @eq nat _ _ => intros end;
  repeat match goal with
  | H : (_ =? _) = true |- _ => apply Nat.eqb_eq in H; subst
  | H : (_ =? _) = false |- _ => apply Nat.eqb_neq in H
  | H : (_ <=? _) = true |- _ => apply Nat.leb_le in H
  | H : (_ <? _) = true |- _ => apply Nat.ltb_lt in H end; cbn in *;
  try match goal with |- context[match ?n with 0 => _ | S _ => _ end] => destruct n eqn:? end; lia.
Ltac flags := intros; repeat match goal with f : bool |- _ => destruct f end; cbn in *; congruence.

(* One step, by cases. *)
Ltac keeps w := destruct w as [l n c jn d sh rf]; cbn in *; rewrite ?sum_app in *; cbn in *; rewrite ?sum_app in *; cbn in *;
  unfold wake, wake_drop, to_running, claim, to_idle, yield_, complete, cancel, enter, leave, join_, unjoin, detach, drop, clone,
    move, note, cancel_, with_refs, with_join, with_shield, polled, effective in *; cbn in *;
  cases; subst; cbn in *; try congruence;
  constructor; cbn; unfold effective in *; cbn; rewrite ?sum_app; cbn; rewrite ?sum_app; cbn;
  first [assumption | discriminate | now auto | numbers | flags | now intuition congruence].

Lemma step_inv x s s' : step x s s' -> inv s -> inv s'.
Proof. intros H [Rf Ru En No Un To Wo Re Ha La Sd Sh]. destruct H; keeps w. Qed.
(* A new task is in a queue; its handle has a reference, and n wakers have one. *)
Definition start n := St (Wd Scheduled false false false false 0 (2 + n)) (Entry :: Handle :: repeat Holder n) 0 false false 0 0.
Inductive reach n : st -> Prop := reach_start : reach n (start n) | reach_step x s s' : reach n s -> step x s s' -> reach n s'.

Lemma sum_repeat {X} (f : X -> nat) x n : sum f (repeat x n) = n * f x.
Proof. induction n; cbn; lia. Qed.
Lemma reach_inv n s : reach n s -> inv s.
Proof.
  induction 1; eauto using step_inv.
  constructor; cbn; rewrite ?sum_repeat; unfold anybody; cbn; auto; try lia; discriminate.
Qed.

(* taskstate/T10. Exactly while the task is RUNNING one agent may poll it. *)
Theorem one_poller n s : reach n s -> sum runner (ags s) = at_ Running (wd s).
Proof. intros Rc. apply (i_runner _ (reach_inv _ _ Rc)). Qed.

(* taskstate/T11. While it is SCHEDULED there is one entry, beside those that a Claim was faster
   than; and those only otherwise. *)
Theorem one_entry n s : reach n s -> sum entry (ags s) = stale s + at_ Scheduled (wd s).
Proof. intros Rc. apply (i_entry _ (reach_inv _ _ Rc)). Qed.

(* taskstate/T12. After a Wake that has taken effect, no poll begun since: the task is SCHEDULED,
   or RUNNING and will be, or ended. *)
Theorem no_lost_notify n s : reach n s -> unseen s = true ->
  lf (wd s) = Scheduled \/ lf (wd s) = Complete \/ lf (wd s) = Running /\ notified (wd s) = true.
Proof. intros Rc U. pose proof (i_unseen _ (reach_inv _ _ Rc) U). destruct (lf (wd s)); tauto. Qed.

(* taskstate/T13. The task is released once, when nobody has a reference any more, and after its
   end. *)
Theorem dropped_once n s : reach n s -> released s <= 1 /\ (released s = 1 <-> ags s = [] /\ lf (wd s) <> Idle) /\
  (released s = 1 -> lf (wd s) = Complete).
Proof.
  intros Rc. destruct (reach_inv _ _ Rc) as [Rf Ru En _ _ _ _ Re _ _ _ _]. rewrite Re.
  destruct (ags s) as [|x l] eqn:E; cbn in *; destruct (lf (wd s)) eqn:F, (refs (wd s)) eqn:G; cbn in *;
  repeat split; intros; try lia; try discriminate; try tauto; destruct H; congruence.
Qed.

(* taskstate/T17. The joiner that has published its waker, and not withdrawn it, is woken when
   the task ends, once. *)
Theorem joiner_woken_once n s : reach n s -> woken s = match lf (wd s), join (wd s) with Complete, true => 1 | _, _ => 0 end.
Proof. intros Rc. apply (i_woken _ (reach_inv _ _ Rc)). Qed.

Lemma sum_in {X} (f : X -> nat) x l : In x l -> f x <= sum f l.
Proof. induction l; cbn; [tauto|]. intros [->|I]; [lia | specialize (IHl I); lia]. Qed.
Lemma there (f : agent -> nat) l : sum f l > 0 -> exists x, f x > 0 /\ In x l.
Proof.
  induction l as [|x l IH]; cbn; [lia|]. destruct (f x) eqn:E; [|exists x; split; [lia | auto]].
  intros G. destruct (IH G) as (y & ? & ?). eauto.
Qed.
Definition holder x := match x with Holder => 1 | _ => 0 end.
Lemma parts l : sum anybody l = sum entry l + sum runner l + sum handle l + sum last l + sum holder l.
Proof. induction l as [|[] l IH]; cbn in *; lia. Qed.

(* taskstate/T16. Who keeps the rules is never refused. *)
Definition permitted x s := let w := wd s in
  wake w <> None /\ cancel w <> None /\ (refs w < most -> clone w <> None /\ claim w <> None) /\
  match x with
  | Entry => to_running w <> None
  | Runner => to_idle w <> None /\ yield_ w <> None /\ (shield w = 0 -> complete w <> None) /\
      (shield w < deep -> enter w <> None) /\ (shield w > 0 -> leave w <> None)
  | Handle => join_ w <> None /\ (join w = true -> unjoin w <> None) /\ detach w <> None /\ (lf w = Complete -> drop w <> None)
  | Holder => wake_drop w <> None /\ drop w <> None
  | Last => drop w <> None end.
Theorem never_refused n s x : reach n s -> In x (ags s) -> permitted x s.
Proof.
  intros Rc I. destruct (reach_inv _ _ Rc) as [Rf Ru En _ _ _ _ _ Ha La _ _].
  assert (1 <= sum anybody (ags s)) by apply (sum_in anybody _ _ I). pose proof (sum_in runner _ _ I). pose proof (sum_in handle _ _ I).
  pose proof (sum_in last _ _ I). pose proof (sum_in holder _ _ I). pose proof (parts (ags s)).
  unfold permitted, wake, wake_drop, to_running, claim, to_idle, yield_, complete, cancel, enter, leave, join_, unjoin, detach, drop,
    clone, polled, effective.
  destruct (wd s) as [l n' c jn d sh rf]; cbn -[Nat.ltb] in *.
  destruct rf as [|[|rf]], l, d, x; cbn -[Nat.ltb] in *; try lia;
  repeat split; intros; try discriminate; try lia;
  repeat match goal with |- context[match ?e with _ => _ end] => destruct e eqn:?; cbn -[Nat.ltb] in *; try discriminate end;
  repeat match goal with
  | H : _ && _ = false |- _ => apply andb_false_iff in H; destruct H
  | H : (_ <? _) = false |- _ => apply Nat.ltb_ge in H end; try lia.
Qed.

(* taskstate/T15. Shields are counted: never more than the largest number, none when the task
   ends; and while there is one, or the task is not cancelled, no runner is told that it is. *)
Theorem shields n s : reach n s -> shield (wd s) <= deep /\ (lf (wd s) = Complete -> shield (wd s) = 0) /\
  forall x s', step x s s' -> told s = false -> told s' = true -> cancelled (wd s) = true /\ shield (wd s) = 0.
Proof.
  intros Rc. destruct (reach_inv _ _ Rc) as [_ _ _ _ _ _ _ _ _ _ Sd Sh]. repeat split; auto.
  all: destruct H; cbn in *; try congruence; rewrite H0 in H1; destruct o; try discriminate H1;
    unfold claim, to_running, effective, with_refs in H; cases; cbn in *; try discriminate;
    match goal with E : _ && _ = true |- _ => apply andb_true_iff in E as [? E]; apply Nat.eqb_eq in E; auto end.
Qed.

(* What the task does by itself: its entry is run, and its runner goes on. *)
Inductive by_itself : st -> st -> Prop :=
| nothing s : by_itself s s
| and_then s s' s'' : by_itself s s' -> step Entry s' s'' \/ step Runner s' s'' -> by_itself s s''.
Lemma by_itself_trans s s' s'' : by_itself s s' -> by_itself s' s'' -> by_itself s s''.
Proof. intros A B. revert A. induction B as [|x y z B IH H]; intros A; [exact A | eapply and_then; [exact (IH A) | exact H]]. Qed.
Lemma by_itself_inv s s' : by_itself s s' -> inv s -> inv s'.
Proof. induction 1 as [|s s' s'' _ IH [H|H]]; eauto using step_inv. Qed.

Lemma agent_there f x s : sum f (ags s) > 0 -> (forall y, f y > 0 -> y = x) -> exists a b, ags s = a ++ x :: b.
Proof. intros G U. destruct (there _ _ G) as (y & P & I). rewrite (U y P) in I. now apply in_split. Qed.

(* A scheduled task is run: *)
Lemma runs s : inv s -> lf (wd s) = Scheduled -> exists s', step Entry s s' /\ lf (wd s') = Running /\
  cancelled (wd s') = cancelled (wd s) /\ shield (wd s') = shield (wd s) /\ told s' = told s || effective (wd s).
Proof.
  intros [Rf _ En _ _ _ _ _ _ _ _ _] L.
  destruct (agent_there entry Entry s) as (a & b & E); [unfold at_ in En; rewrite L in En; cbn in En; lia | intros []; cbn; intros; auto; lia |].
  destruct s as [w l z u t j r]; cbn in *; subst l. destruct (refs w) eqn:F; [rewrite sum_app in Rf; cbn in Rf; lia|].
  destruct (effective w) eqn:Ef; eexists; (split; [eapply s_run; [unfold to_running; rewrite F, L, Ef; reflexivity | discriminate] | cbn; auto]).
Qed.
(* and leaves its shields: *)
Lemma leaves_shields n : forall s, inv s -> lf (wd s) = Running -> shield (wd s) = n -> exists s', by_itself s s' /\
  lf (wd s') = Running /\ cancelled (wd s') = cancelled (wd s) /\ shield (wd s') = 0 /\ told s' = told s.
Proof.
  induction n as [|n IH]; intros s I L Sh; [exists s; repeat split; auto; constructor|].
  pose proof I as [Rf Ru _ _ _ _ _ _ _ _ _ _].
  destruct (agent_there runner Runner s) as (a & b & E); [unfold at_ in Ru; rewrite L in Ru; cbn in Ru; lia | intros []; cbn; intros; auto; lia |].
  destruct s as [w l z u t j r]; cbn in *; subst l. destruct (refs w) eqn:F; [rewrite sum_app in Rf; cbn in Rf; lia|].
  destruct (leave w) as [[w' o]|] eqn:Le; unfold leave, polled in Le; rewrite F, L, Sh in Le; [|discriminate].
  pose proof (s_leave a b w w' o z u t j r) as St. unfold leave, polled in St. rewrite F, L, Sh in St. specialize (St Le).
  assert (lf w' = Running /\ cancelled w' = cancelled w /\ shield w' = n) as (L' & C' & Sh').
  { destruct (0 <? n); [|destruct (cancelled w) eqn:C]; injection Le as <- <-; cbn; auto. }
  destruct (IH _ (step_inv _ _ _ St I) L' Sh') as (s' & B & ? & ? & ? & ?). exists s'. cbn in *.
  repeat split; auto; try congruence. eapply by_itself_trans; [|exact B]. eapply and_then; [constructor | now right].
Qed.
(* and may end then, *)
Lemma ends s : inv s -> lf (wd s) = Running -> shield (wd s) = 0 -> exists s', step Runner s s' /\ lf (wd s') = Complete.
Proof.
  intros [Rf Ru _ _ _ _ _ _ _ _ _ _] L Sh.
  destruct (agent_there runner Runner s) as (a & b & E); [unfold at_ in Ru; rewrite L in Ru; cbn in Ru; lia | intros []; cbn; intros; auto; lia |].
  destruct s as [w l z u t j r]; cbn in *; subst l. destruct (refs w) eqn:F; [rewrite sum_app in Rf; cbn in Rf; lia|].
  destruct (complete w) as [[w' o]|] eqn:Co; [|unfold complete, polled in Co; rewrite F, L, Sh in Co; discriminate].
  eexists. split; [eapply s_complete; exact Co|]. cbn. unfold complete, polled in Co. rewrite F, L, Sh in Co.
  destruct (join w); [|destruct (S n =? 1); [|destruct (detached w)]]; injection Co as <- <-; reflexivity.
Qed.
(* or wait, and is then run again if it was notified. *)
Lemma comes_back s : inv s -> lf (wd s) = Running -> notified (wd s) = true -> exists s', step Runner s s' /\
  lf (wd s') = Scheduled /\ cancelled (wd s') = cancelled (wd s) /\ shield (wd s') = shield (wd s) /\ told s' = told s.
Proof.
  intros [Rf Ru _ _ _ _ _ _ _ _ _ _] L N.
  destruct (agent_there runner Runner s) as (a & b & E); [unfold at_ in Ru; rewrite L in Ru; cbn in Ru; lia | intros []; cbn; intros; auto; lia |].
  destruct s as [w l z u t j r]; cbn in *; subst l. destruct (refs w) eqn:F; [rewrite sum_app in Rf; cbn in Rf; lia|].
  eexists. split; [eapply s_to_idle; unfold to_idle, polled; rewrite F, L, N; reflexivity | cbn; auto].
Qed.

(* taskstate/T14. A cancelled task, outside its shields if it waits, whose runner has not been
   told yet, needs no other wake: by its own entry and runner alone it comes to a poll that is
   told, and from there to its end. *)
Theorem cancel_completes n s : reach n s -> cancelled (wd s) = true -> told s = false -> lf (wd s) <> Complete ->
  (lf (wd s) = Idle -> shield (wd s) = 0) ->
  exists s', by_itself s s' /\ lf (wd s') = Running /\ told s' = true /\
  exists s'', by_itself s' s'' /\ lf (wd s'') = Complete.
Proof.
  intros Rc C T NC Sh. pose proof (reach_inv _ _ Rc) as I.
  assert (exists s', by_itself s s' /\ lf (wd s') = Running /\ cancelled (wd s') = true /\ shield (wd s') = 0) as (s1 & B1 & L1 & C1 & Sh1).
  { assert (exists s', by_itself s s' /\ inv s' /\ lf (wd s') = Running /\ cancelled (wd s') = true) as (s0 & B0 & I0 & L0 & C0).
    { destruct (lf (wd s)) eqn:L; [| exists s; repeat split; auto; try constructor; apply I | | contradiction].
      - destruct (runs s I L) as (s' & H & ? & ? & _). exists s'. repeat split; auto; try congruence; try (eapply step_inv; eauto; fail).
        eapply and_then; [constructor | now left].
      - exfalso. pose proof (i_told _ I) as To. unfold effective in To. rewrite C, Sh, L in To by auto. auto. }
    destruct (leaves_shields _ s0 I0 L0 eq_refl) as (s' & B & ? & ? & ? & _). exists s'. repeat split; auto; try congruence.
    eapply by_itself_trans; eauto. }
  pose proof (by_itself_inv _ _ B1 I) as I1.
  destruct (told s1) eqn:T1.
  - destruct (ends s1 I1 L1 Sh1) as (s2 & H2 & L2).
    exists s1. repeat split; auto. exists s2. split; auto. eapply and_then; [constructor | now right].
  - assert (notified (wd s1) = true) as N1.
    { pose proof (i_told _ I1) as To. unfold effective in To. rewrite C1, Sh1, L1 in To. auto. }
    destruct (comes_back s1 I1 L1 N1) as (s2 & H2 & L2 & C2 & Sh2 & T2).
    pose proof (step_inv _ _ _ H2 I1) as I2.
    destruct (runs s2 I2 L2) as (s3 & H3 & L3 & C3 & Sh3 & T3).
    pose proof (step_inv _ _ _ H3 I2) as I3.
    destruct (ends s3 I3 L3) as (s4 & H4 & L4); [congruence|].
    exists s3. repeat split; auto.
    + eapply by_itself_trans; [exact B1|]. eapply and_then; [eapply and_then; [constructor | right; exact H2] | now left].
    + rewrite T3. unfold effective. rewrite C2, C1, Sh2, Sh1. cbn. apply orb_true_r.
    + exists s4. split; auto. eapply and_then; [constructor | now right].
Qed.
End Task.
