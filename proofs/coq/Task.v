(* Package taskstate: the word of a task, and whoever has a reference, any number of them. The
   states, the relation step and what is refused are made from the table Task, see TaskTable.v.
   Plain Coq, no axioms. *)
Require Import ZArith Lia Bool.
Require Import TaskTable.
Open Scope Z_scope.

(* 1 if it is so. *)
Definition one (b : bool) := if b then 1 else 0.
(* Everybody that has a reference. *)
Definition anybody s := entries s + runner s + handle s + holders s + last s.
(* The task will be polled, or polled once more, or has ended. *)
Definition polled_again s := life s = 0 \/ life s = 3 \/ life s = 1 /\ notified s = 1.

Record inv s : Prop := {
  i_life : life s = 0 \/ life s = 1 \/ life s = 2 \/ life s = 3;
  i_last : 0 <= last s <= one (life s =? 3);
  i_holders : 0 <= holders s;
  i_handle : 0 <= handle s <= 1 - detached s;
  i_detached : 0 <= detached s;
  i_entries : 0 <= stale s;
  i_join : join s = 0 \/ join s = 1;
  i_refs : refs s = anybody s + one (life s =? 2);
  i_runner : runner s = one (life s =? 1);
  i_entry : entries s = stale s + one (life s =? 0);
  i_notified : notified s = 0 \/ notified s = 1 /\ life s = 1;
  i_unseen : unseen s = 0 \/ polled_again s;
  i_told : cancelled s = 0 \/ shield s > 0 \/ told s = 1 \/ polled_again s;
  i_woken : woken s = if life s =? 3 then join s else 0;
  i_released : released s = one (refs s =? 0);
  i_shield : 0 <= shield s <= deep s;
  i_unshielded : life s = 3 -> shield s = 0;
  i_cancelled : cancelled s = 0 \/ cancelled s = 1 }.

Ltac by_life := match goal with
  | L : _ = 0 \/ _ = 1 \/ _ = 2 \/ _ = 3 |- _ => destruct L as [-> | [-> | [-> | ->]]] end.
Ltac ifs := repeat match goal with
  | |- context[if ?b then _ else _] => destruct b eqn:?
  | H : context[if ?b then _ else _] |- _ => destruct b eqn:? end.

Lemma step_inv r s s' : step r s s' -> inv s -> inv s'.
Proof.
  intros H [Li La Ho Ha De En Jo Rf Ru Ey No Un To Wo Re Sh Us Ca].
    unfold anybody, polled_again, one in *.
  destruct H; destruct s; cbn in *; by_life; cbn in *; try (exfalso; clear - H Ru Us La; lia);
  constructor; unfold anybody, polled_again, one; cbn;
    first [assumption | discriminate | clear Wo Re; ifs; lia | ifs; lia].
Qed.

Inductive reach : st -> Prop :=
| reach_start s : start s -> reach s
| reach_step r s s' : reach s -> step r s s' -> reach s'.
Lemma reach_inv s : reach s -> inv s.
Proof.
  induction 1 as [s St|]; [|eauto using step_inv].
  unfold start in St. constructor; unfold anybody, polled_again, one; ifs; lia.
Qed.

(* taskstate/T10. Exactly while the task is RUNNING one goroutine may poll it. *)
Theorem one_poller s : reach s -> runner s = one (life s =? 1).
Proof. intros Rc. apply (i_runner _ (reach_inv _ Rc)). Qed.

(* taskstate/T11. While it is SCHEDULED there is one entry, beside those that a Claim was faster
   than; and those only otherwise. *)
Theorem one_entry s : reach s -> entries s = stale s + one (life s =? 0).
Proof. intros Rc. apply (i_entry _ (reach_inv _ Rc)). Qed.

(* taskstate/T12. After a Wake that has taken effect, no poll begun since: the task is SCHEDULED,
   or RUNNING and will be, or ended. *)
Theorem no_lost_notify s : reach s -> unseen s = 1 ->
  life s = 0 \/ life s = 3 \/ life s = 1 /\ notified s = 1.
Proof. intros Rc U. destruct (i_unseen _ (reach_inv _ Rc)); [lia | auto]. Qed.

(* taskstate/T13. The task is released once, when nobody has a reference any more, and after its
   end. *)
Theorem dropped_once s : reach s -> 0 <= released s <= 1 /\
  (released s = 1 <-> anybody s = 0 /\ life s <> 2) /\ (released s = 1 -> life s = 3).
Proof.
  intros Rc. destruct (reach_inv _ Rc). unfold anybody, one in *.
  clear i_notified0 i_unseen0 i_told0 i_woken0 i_cancelled0. ifs; lia.
Qed.

(* taskstate/T17. The joiner that has published its waker, and not withdrawn it, is woken when
   the task ends, once. *)
Theorem joiner_woken_once s : reach s -> woken s = if life s =? 3 then join s else 0.
Proof. intros Rc. apply (i_woken _ (reach_inv _ Rc)). Qed.

(* taskstate/T16. Who keeps the rules is never refused. *)
Theorem never_refused s : reach s -> ~ refused s.
Proof.
  intros Rc Rd. destruct (reach_inv _ Rc). unfold anybody, one in *.
  clear i_notified0 i_unseen0 i_told0 i_woken0 i_released0 i_cancelled0.
  destruct Rd; ifs; lia.
Qed.

(* taskstate/T15. Shields are counted: never more than the largest number, none when the task
   ends; and while there is one, or the task is not cancelled, no runner is told that it is. *)
Theorem shields s : reach s -> 0 <= shield s <= deep s /\ (life s = 3 -> shield s = 0) /\
  forall r s', step r s s' -> told s = 0 -> told s' = 1 -> cancelled s = 1 /\ shield s = 0.
Proof.
  intros Rc. destruct (reach_inv _ Rc). split; [assumption | split; [assumption |]].
  clear - i_life0. intros r s' H T T'. destruct H; cbn in *; ifs; lia.
Qed.

(* What the task does by itself: its entry is run, and its runner goes on. *)
Definition own r := match r with
  | r_to_running | r_to_idle | r_to_idle_notified | r_yield | r_enter | r_leave
  | r_complete_join | r_complete_release | r_complete_discard | r_complete => True
  | _ => False end.
Inductive by_itself : st -> st -> Prop :=
| nothing s : by_itself s s
| and_then s s' s'' r : by_itself s s' -> own r -> step r s' s'' -> by_itself s s''.
Lemma by_itself_trans s s' s'' : by_itself s s' -> by_itself s' s'' -> by_itself s s''.
Proof.
  intros A B. revert A. induction B as [|x y z r B IH O H]; intros A; [exact A|].
  exact (and_then _ _ _ _ (IH A) O H).
Qed.
Lemma by_itself_inv s s' : by_itself s s' -> inv s -> inv s'.
Proof. induction 1; eauto using step_inv. Qed.

(* What there is while it is SCHEDULED, and while it is RUNNING. *)
Lemma scheduled s : inv s -> life s = 0 -> entries s > 0.
Proof. intros [] L. unfold one in *. clear - L i_entries0 i_entry0. ifs; lia. Qed.
Lemma running s : inv s -> life s = 1 ->
  runner s = 1 /\ refs s >= 1 /\ (detached s = 0 \/ detached s = 1) /\ (join s = 0 \/ join s = 1).
Proof.
  intros [] L. unfold anybody, one in *.
  clear - L i_last0 i_holders0 i_handle0 i_detached0 i_entries0 i_join0 i_refs0 i_runner0 i_entry0.
    ifs; lia.
Qed.
(* A scheduled task is run: *)
Lemma runs s : inv s -> life s = 0 -> exists s', step r_to_running s s' /\ life s' = 1 /\
  cancelled s' = cancelled s /\ shield s' = shield s /\
  (cancelled s = 1 -> shield s = 0 -> told s' = 1).
Proof.
  intros I L. eexists. split; [apply do_to_running; split; auto using scheduled|].
  cbn. repeat split; auto. intros -> ->. reflexivity.
Qed.
(* and leaves its shields: *)
Lemma leaves_shields n : forall s, inv s -> life s = 1 -> shield s = Z.of_nat n -> exists s',
  by_itself s s' /\ life s' = 1 /\ cancelled s' = cancelled s /\ shield s' = 0 /\ told s' = told s.
Proof.
  induction n as [|n IH]; intros s I L Sh; [exists s; repeat split; auto; try lia; constructor|].
  destruct (running s I L) as [Ru _].
  pose proof (do_leave s ltac:(lia)) as St. cbn in St.
  destruct (IH _ (step_inv _ _ _ St I)) as (s' & B & ? & ? & ? & ?); cbn in *; auto; [lia|].
  exists s'. repeat split; auto.
  eapply by_itself_trans; [eapply and_then; [constructor | | exact St]; exact Logic.I | exact B].
Qed.
(* and may end then, *)
Lemma ends s : inv s -> life s = 1 -> shield s = 0 ->
  exists r s', own r /\ step r s s' /\ life s' = 3.
Proof.
  intros I L Sh. destruct (running s I L) as (Ru & Rf & De & Jo).
  assert (join s = 1 \/ join s = 0 /\ refs s = 1 \/ join s = 0 /\ refs s > 1 /\ detached s = 1 \/
    join s = 0 /\ refs s > 1 /\ detached s = 0) as [J | [J | [J | J]]] by (clear - Rf De Jo; lia).
  - exists r_complete_join. eexists.
    split; [exact Logic.I | split; [apply do_complete_join; lia | reflexivity]].
  - exists r_complete_release. eexists.
    split; [exact Logic.I | split; [apply do_complete_release; lia | reflexivity]].
  - exists r_complete_discard. eexists.
    split; [exact Logic.I | split; [apply do_complete_discard; lia | reflexivity]].
  - exists r_complete. eexists. split; [exact Logic.I | split; [apply do_complete;
    lia | reflexivity]].
Qed.
(* or wait, and is then run again if it was notified. *)
Lemma comes_back s : inv s -> life s = 1 -> notified s = 1 ->
  exists s', step r_to_idle_notified s s' /\
  life s' = 0 /\ cancelled s' = cancelled s /\ shield s' = shield s.
Proof.
  intros I L N. destruct (running s I L) as [Ru _]. eexists.
  split; [apply do_to_idle_notified; auto | cbn; auto].
Qed.

(* taskstate/T14. A cancelled task, outside its shields if it waits, whose runner has not been
   told yet, needs no other wake: by its own entry and runner alone it comes to a poll that is
   told, and from there to its end. *)
Theorem cancel_completes s : reach s -> cancelled s = 1 -> told s = 0 -> life s <> 3 ->
  (life s = 2 -> shield s = 0) ->
  exists s', by_itself s s' /\ life s' = 1 /\ told s' = 1 /\
  exists s'', by_itself s' s'' /\ life s'' = 3.
Proof.
  intros Rc C T NC Sh. pose proof (reach_inv _ Rc) as I.
  assert (exists s', by_itself s s' /\ life s' = 1 /\ cancelled s' = 1 /\ shield s' = 0)
    as (s1 & B1 & L1 & C1 & Sh1).
  { assert (exists s', by_itself s s' /\ inv s' /\ life s' = 1 /\ cancelled s' = 1)
      as (s0 & B0 & I0 & L0 & C0).
    { pose proof (i_life _ I) as [L | [L | [L | L]]]; [| | | lia].
      - destruct (runs s I L) as (s' & H & L' & C' & _). exists s'.
        split; [eapply and_then; [constructor | | exact H]; exact Logic.I|].
        split; [exact (step_inv _ _ _ H I) | split; congruence].
      - exists s. split; [constructor | auto].
      - exfalso. pose proof (i_told _ I) as To. unfold polled_again in To. specialize (Sh L).
        clear - To C Sh T L. lia. }
    pose proof (i_shield _ I0).
    destruct (leaves_shields (Z.to_nat (shield s0)) s0 I0 L0 ltac:(lia)) as (s' & B & ? & ? & ? &
      _).
    exists s'. repeat split; auto; try congruence. eapply by_itself_trans; eauto. }
  pose proof (by_itself_inv _ _ B1 I) as I1.
  assert (told s1 = 1 \/ notified s1 = 1) as [T1 | N1].
  { pose proof (i_told _ I1) as To. unfold polled_again in To. clear - To C1 Sh1 L1. lia. }
  - destruct (ends s1 I1 L1 Sh1) as (r & s2 & O2 & H2 & L2).
    exists s1. repeat split; auto. exists s2. split; auto.
      eapply and_then; [constructor | exact O2 | exact H2].
  - destruct (comes_back s1 I1 L1 N1) as (s2 & H2 & L2 & C2 & Sh2).
    pose proof (step_inv _ _ _ H2 I1) as I2.
    destruct (runs s2 I2 L2) as (s3 & H3 & L3 & C3 & Sh3 & T3).
    pose proof (step_inv _ _ _ H3 I2) as I3.
    destruct (ends s3 I3 L3) as (r & s4 & O4 & H4 & L4); [congruence|].
    exists s3. repeat split; auto.
    + eapply by_itself_trans; [exact B1|].
      eapply and_then; [eapply and_then; [constructor | | exact H2] | | exact H3]; exact Logic.I.
    + apply T3; congruence.
    + exists s4. split; auto. eapply and_then; [constructor | exact O4 | exact H4].
Qed.
