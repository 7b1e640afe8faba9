(* Made from table Task of proofs/spec by go test ./proofs -run TestMade -update.
   Do not edit. *)
Require Import ZArith Bool.
Open Scope Z_scope.

Record st := St { life : Z; notified : Z; cancelled : Z; join : Z;
  detached : Z; shield : Z; refs : Z; most : Z; deep : Z; entries : Z; stale : Z; runner : Z;
  handle : Z; holders : Z; last : Z; unseen : Z; told : Z; woken : Z; released : Z }.

Inductive rule := r_to_running | r_stale | r_claim | r_to_idle |
  r_to_idle_notified | r_yield | r_complete_join | r_complete_release | r_complete_discard |
  r_complete | r_enter | r_leave | r_join | r_unjoin | r_detach | r_detach_discard |
  r_detach_release | r_clone | r_drop_holders | r_drop_last_holders | r_drop_handle |
  r_drop_last_handle | r_drop_last | r_drop_last_last | r_wake_drop_complete |
  r_wake_drop_release | r_wake_idle | r_wake_running | r_wake_scheduled | r_wake_drop_idle |
  r_wake_drop_running | r_wake_drop_scheduled | r_cancel_deferred | r_cancel_idle |
  r_cancel_running | r_cancel_scheduled.

Definition start s :=
  life s = 0 /\ notified s = 0 /\ cancelled s = 0 /\
  join s = 0 /\ detached s = 0 /\ shield s = 0 /\ deep s >= 0 /\ entries s = 1 /\
  stale s = 0 /\ runner s = 0 /\ handle s = 1 /\ holders s >= 0 /\ refs s = 2 + holders s /\
  most s >= refs s /\ last s = 0 /\ unseen s = 0 /\ told s = 0 /\ woken s = 0 /\ released s = 0.

Inductive step : rule -> st -> st -> Prop :=
(* ToRunning *)
| do_to_running s :
    entries s > 0 /\ life s = 0 ->
    step r_to_running s (St (1) (0) (cancelled s) (join s) (detached s) (shield s)
  (refs s) (most s) (deep s) (entries s - 1) (stale s) (1) (handle s) (holders s) (last s) (0)
  ((if ((cancelled s =? 1) && (shield s =? 0)) then 1 else told s)) (woken s) (released s))
(* ToRunning: RunStale, the reference is to be dropped *)
| do_stale s :
    entries s > 0 /\ life s <> 0 ->
    step r_stale s (St (life s) (notified s) (cancelled s) (join s)
  (detached s) (shield s) (refs s) (most s) (deep s) (entries s - 1) (stale s - 1) (runner s)
  (handle s) (holders s + 1) (last s) (unseen s) (told s) (woken s) (released s))
(* Claim *)
| do_claim s :
    (holders s + handle s + runner s + entries s + last s) > 0 /\ life s = 0 /\ refs s < most s ->
    step r_claim s (St (1) (0) (cancelled s) (join s) (detached s) (shield s)
  (refs s + 1) (most s) (deep s) (entries s) (stale s + 1) (1) (handle s) (holders s) (last s)
  (0) ((if ((cancelled s =? 1) && (shield s =? 0)) then 1 else told s)) (woken s) (released s))
(* ToIdle: IdleWaits *)
| do_to_idle s :
    runner s = 1 /\ notified s = 0 ->
    step r_to_idle s (St (2) (notified s) (cancelled s) (join s) (detached s)
  (shield s) (refs s) (most s) (deep s) (entries s) (stale s) (0) (handle s) (holders s)
  (last s) (unseen s) (told s) (woken s) (released s))
(* ToIdle: IdleEnqueue *)
| do_to_idle_notified s :
    runner s = 1 /\ notified s = 1 ->
    step r_to_idle_notified s (St (0) (0) (cancelled s) (join s) (detached s) (shield s)
  (refs s) (most s) (deep s) (entries s + 1) (stale s) (0) (handle s) (holders s) (last s)
  (unseen s) (told s) (woken s) (released s))
(* Yield *)
| do_yield s :
    runner s = 1 ->
    step r_yield s (St (0) (0) (cancelled s) (join s) (detached s) (shield s)
  (refs s) (most s) (deep s) (entries s + 1) (stale s) (0) (handle s) (holders s) (last s)
  (unseen s) (told s) (woken s) (released s))
(* Complete: CompleteWakeJoiner *)
| do_complete_join s :
    runner s = 1 /\ shield s = 0 /\ join s = 1 ->
    step r_complete_join s (St (3) (0) (cancelled s) (join s) (detached s) (shield s)
  (refs s) (most s) (deep s) (entries s) (stale s) (0) (handle s) (holders s) (1) (unseen s)
  (told s) (woken s + 1) (released s))
(* Complete: CompleteRelease *)
| do_complete_release s :
    runner s = 1 /\ shield s = 0 /\ join s = 0 /\ refs s = 1 ->
    step r_complete_release s (St (3) (0) (cancelled s) (join s) (detached s) (shield s)
  (0) (most s) (deep s) (entries s) (stale s) (0) (handle s) (holders s) (last s) (unseen s)
  (told s) (woken s) (released s + 1))
(* Complete: CompleteDiscard *)
| do_complete_discard s :
    runner s = 1 /\ shield s = 0 /\ join s = 0 /\ refs s > 1 /\ detached s = 1 ->
    step r_complete_discard s (St (3) (0) (cancelled s) (join s) (detached s) (shield s)
  (refs s) (most s) (deep s) (entries s) (stale s) (0) (handle s) (holders s) (1) (unseen s)
  (told s) (woken s) (released s))
(* Complete: CompleteDone *)
| do_complete s :
    runner s = 1 /\ shield s = 0 /\ join s = 0 /\ refs s > 1 /\ detached s = 0 ->
    step r_complete s (St (3) (0) (cancelled s) (join s) (detached s) (shield s)
  (refs s - 1) (most s) (deep s) (entries s) (stale s) (0) (handle s) (holders s) (last s)
  (unseen s) (told s) (woken s) (released s))
(* EnterShield *)
| do_enter s :
    runner s = 1 /\ shield s < deep s ->
    step r_enter s (St (life s) (notified s) (cancelled s) (join s)
  (detached s) (shield s + 1) (refs s) (most s) (deep s) (entries s) (stale s) (runner s)
  (handle s) (holders s) (last s) (unseen s) (told s) (woken s) (released s))
(* LeaveShield *)
| do_leave s :
    runner s = 1 /\ shield s > 0 ->
    step r_leave s (St (life s)
  ((if ((shield s =? 1) && (cancelled s =? 1)) then 1 else notified s)) (cancelled s) (join s)
  (detached s) (shield s - 1) (refs s) (most s) (deep s) (entries s) (stale s) (runner s)
  (handle s) (holders s) (last s) (unseen s) (told s) (woken s) (released s))
(* Join: JoinWait *)
| do_join s :
    handle s = 1 /\ life s <> 3 ->
    step r_join s (St (life s) (notified s) (cancelled s) (1) (detached s)
  (shield s) (refs s) (most s) (deep s) (entries s) (stale s) (runner s) (handle s) (holders s)
  (last s) (unseen s) (told s) (woken s) (released s))
(* Unjoin: JoinWithdrawn *)
| do_unjoin s :
    handle s = 1 /\ life s <> 3 /\ join s = 1 ->
    step r_unjoin s (St (life s) (notified s) (cancelled s) (0) (detached s)
  (shield s) (refs s) (most s) (deep s) (entries s) (stale s) (runner s) (handle s) (holders s)
  (last s) (unseen s) (told s) (woken s) (released s))
(* Detach: DetachDone *)
| do_detach s :
    handle s = 1 /\ life s <> 3 ->
    step r_detach s (St (life s) (notified s) (cancelled s) (0) (1) (shield s)
  (refs s - 1) (most s) (deep s) (entries s) (stale s) (runner s) (0) (holders s) (last s)
  (unseen s) (told s) (woken s) (released s))
(* Detach: DetachDiscard *)
| do_detach_discard s :
    handle s = 1 /\ life s = 3 /\ refs s > 1 ->
    step r_detach_discard s (St (life s) (notified s) (cancelled s) (join s) (1)
  (shield s) (refs s) (most s) (deep s) (entries s) (stale s) (runner s) (0) (holders s + 1)
  (last s) (unseen s) (told s) (woken s) (released s))
(* Detach: DetachRelease *)
| do_detach_release s :
    handle s = 1 /\ life s = 3 /\ refs s = 1 ->
    step r_detach_release s (St (life s) (notified s) (cancelled s) (join s) (1)
  (shield s) (refs s - 1) (most s) (deep s) (entries s) (stale s) (runner s) (0) (holders s)
  (last s) (unseen s) (told s) (woken s) (released s + 1))
(* Clone *)
| do_clone s :
    (holders s + handle s + runner s + entries s + last s) > 0 /\ refs s < most s ->
    step r_clone s (St (life s) (notified s) (cancelled s) (join s)
  (detached s) (shield s) (refs s + 1) (most s) (deep s) (entries s) (stale s) (runner s)
  (handle s) (holders s + 1) (last s) (unseen s) (told s) (woken s) (released s))
(* Drop: DropKept *)
| do_drop_holders s :
    holders s > 0 /\ refs s > 1 ->
    step r_drop_holders s (St (life s) (notified s) (cancelled s) (join s)
  (detached s) (shield s) (refs s - 1) (most s) (deep s) (entries s) (stale s) (runner s)
  (handle s) (holders s - 1) (last s) (unseen s) (told s) (woken s) (released s))
(* Drop: DropRelease *)
| do_drop_last_holders s :
    holders s > 0 /\ refs s = 1 /\ life s = 3 ->
    step r_drop_last_holders s (St (life s) (notified s) (cancelled s) (join s)
  (detached s) (shield s) (refs s - 1) (most s) (deep s) (entries s) (stale s) (runner s)
  (handle s) (holders s - 1) (last s) (unseen s) (told s) (woken s) (released s + 1))
(* Drop: DropKept *)
| do_drop_handle s :
    handle s > 0 /\ life s = 3 /\ refs s > 1 ->
    step r_drop_handle s (St (life s) (notified s) (cancelled s) (join s)
  (detached s) (shield s) (refs s - 1) (most s) (deep s) (entries s) (stale s) (runner s)
  (handle s - 1) (holders s) (last s) (unseen s) (told s) (woken s) (released s))
(* Drop: DropRelease *)
| do_drop_last_handle s :
    handle s > 0 /\ life s = 3 /\ refs s = 1 /\ life s = 3 ->
    step r_drop_last_handle s (St (life s) (notified s) (cancelled s) (join s)
  (detached s) (shield s) (refs s - 1) (most s) (deep s) (entries s) (stale s) (runner s)
  (handle s - 1) (holders s) (last s) (unseen s) (told s) (woken s) (released s + 1))
(* Drop: DropKept *)
| do_drop_last s :
    last s > 0 /\ refs s > 1 ->
    step r_drop_last s (St (life s) (notified s) (cancelled s) (join s)
  (detached s) (shield s) (refs s - 1) (most s) (deep s) (entries s) (stale s) (runner s)
  (handle s) (holders s) (last s - 1) (unseen s) (told s) (woken s) (released s))
(* Drop: DropRelease *)
| do_drop_last_last s :
    last s > 0 /\ refs s = 1 /\ life s = 3 ->
    step r_drop_last_last s (St (life s) (notified s) (cancelled s) (join s)
  (detached s) (shield s) (refs s - 1) (most s) (deep s) (entries s) (stale s) (runner s)
  (handle s) (holders s) (last s - 1) (unseen s) (told s) (woken s) (released s + 1))
(* WakeDrop: WakeFinished *)
| do_wake_drop_complete s :
    holders s > 0 /\ refs s > 1 /\ life s = 3 ->
    step r_wake_drop_complete s (St (life s) (notified s) (cancelled s) (join s)
  (detached s) (shield s) (refs s - 1) (most s) (deep s) (entries s) (stale s) (runner s)
  (handle s) (holders s - 1) (last s) (unseen s) (told s) (woken s) (released s))
(* WakeDrop: WakeRelease *)
| do_wake_drop_release s :
    holders s > 0 /\ refs s = 1 /\ life s = 3 ->
    step r_wake_drop_release s (St (life s) (notified s) (cancelled s) (join s)
  (detached s) (shield s) (refs s - 1) (most s) (deep s) (entries s) (stale s) (runner s)
  (handle s) (holders s - 1) (last s) (unseen s) (told s) (woken s) (released s + 1))
(* Wake: WakeEnqueue *)
| do_wake_idle s :
    (holders s + handle s + runner s + entries s + last s) > 0 /\ life s = 2 ->
    step r_wake_idle s (St (0) (notified s) (cancelled s) (join s) (detached s)
  (shield s) (refs s) (most s) (deep s) (entries s + 1) (stale s) (runner s) (handle s)
  (holders s) (last s) (1) (told s) (woken s) (released s))
(* Wake: WakeNoted *)
| do_wake_running s :
    (holders s + handle s + runner s + entries s + last s) > 0 /\ life s = 1 ->
    step r_wake_running s (St (life s) (1) (cancelled s) (join s) (detached s)
  (shield s) (refs s) (most s) (deep s) (entries s) (stale s) (runner s) (handle s) (holders s)
  (last s) (1) (told s) (woken s) (released s))
(* Wake: WakeNoted *)
| do_wake_scheduled s :
    (holders s + handle s + runner s + entries s + last s) > 0 /\ life s = 0 ->
    step r_wake_scheduled s (St (life s) (notified s) (cancelled s) (join s)
  (detached s) (shield s) (refs s) (most s) (deep s) (entries s) (stale s) (runner s)
  (handle s) (holders s) (last s) (1) (told s) (woken s) (released s))
(* WakeDrop: WakeEnqueue *)
| do_wake_drop_idle s :
    holders s > 0 /\ refs s > 1 /\ life s = 2 ->
    step r_wake_drop_idle s (St (0) (notified s) (cancelled s) (join s) (detached s)
  (shield s) (refs s - 1) (most s) (deep s) (entries s + 1) (stale s) (runner s) (handle s)
  (holders s - 1) (last s) (1) (told s) (woken s) (released s))
(* WakeDrop: WakeNoted *)
| do_wake_drop_running s :
    holders s > 0 /\ refs s > 1 /\ life s = 1 ->
    step r_wake_drop_running s (St (life s) (1) (cancelled s) (join s) (detached s)
  (shield s) (refs s - 1) (most s) (deep s) (entries s) (stale s) (runner s) (handle s)
  (holders s - 1) (last s) (1) (told s) (woken s) (released s))
(* WakeDrop: WakeNoted *)
| do_wake_drop_scheduled s :
    holders s > 0 /\ refs s > 1 /\ life s = 0 ->
    step r_wake_drop_scheduled s (St (life s) (notified s) (cancelled s) (join s)
  (detached s) (shield s) (refs s - 1) (most s) (deep s) (entries s) (stale s) (runner s)
  (handle s) (holders s - 1) (last s) (1) (told s) (woken s) (released s))
(* Cancel: CancelDeferred *)
| do_cancel_deferred s :
    (holders s + handle s + runner s + entries s + last s) > 0 /\ cancelled s = 0 /\
  life s <> 3 /\ shield s > 0 ->
    step r_cancel_deferred s (St (life s) (notified s) (1) (join s) (detached s)
  (shield s) (refs s) (most s) (deep s) (entries s) (stale s) (runner s) (handle s) (holders s)
  (last s) (unseen s) (told s) (woken s) (released s))
(* Cancel: CancelEnqueue *)
| do_cancel_idle s :
    (holders s + handle s + runner s + entries s + last s) > 0 /\ cancelled s = 0 /\
  life s = 2 /\ shield s = 0 ->
    step r_cancel_idle s (St (0) (notified s) (1) (join s) (detached s) (shield s)
  (refs s) (most s) (deep s) (entries s + 1) (stale s) (runner s) (handle s) (holders s)
  (last s) (unseen s) (told s) (woken s) (released s))
(* Cancel: CancelNoted *)
| do_cancel_running s :
    (holders s + handle s + runner s + entries s + last s) > 0 /\ cancelled s = 0 /\
  life s = 1 /\ shield s = 0 ->
    step r_cancel_running s (St (life s) (1) (1) (join s) (detached s) (shield s)
  (refs s) (most s) (deep s) (entries s) (stale s) (runner s) (handle s) (holders s) (last s)
  (unseen s) (told s) (woken s) (released s))
(* Cancel: CancelNoted *)
| do_cancel_scheduled s :
    (holders s + handle s + runner s + entries s + last s) > 0 /\ cancelled s = 0 /\
  life s = 0 /\ shield s = 0 ->
    step r_cancel_scheduled s (St (life s) (notified s) (1) (join s) (detached s)
  (shield s) (refs s) (most s) (deep s) (entries s) (stale s) (runner s) (handle s) (holders s)
  (last s) (unseen s) (told s) (woken s) (released s)).

(* The code refuses what a caller does who keeps the rules. *)
Inductive refused : st -> Prop :=
(* Wake, Cancel, Clone, Claim *)
| refuses_anybody s :
    (holders s + handle s + runner s + entries s + last s) > 0 /\ refs s = 0 -> refused s
(* WakeDrop *)
| refuses_wake_drop s :
    holders s > 0 /\ (refs s = 0 \/ refs s = 1 /\ life s <> 3) -> refused s
(* ToRunning *)
| refuses_to_running s :
    entries s > 0 /\ refs s = 0 -> refused s
(* ToIdle *)
| refuses_to_idle s :
    runner s > 0 /\ (refs s = 0 \/ life s <> 1) -> refused s
(* Yield *)
| refuses_yield s :
    runner s > 0 /\ (refs s = 0 \/ life s <> 1) -> refused s
(* Complete *)
| refuses_complete s :
    runner s > 0 /\ (refs s = 0 \/ life s <> 1) /\ shield s = 0 -> refused s
(* EnterShield *)
| refuses_enter s :
    runner s > 0 /\ (refs s = 0 \/ life s <> 1) /\ shield s < deep s -> refused s
(* LeaveShield *)
| refuses_leave s :
    runner s > 0 /\ (refs s = 0 \/ life s <> 1) /\ shield s > 0 -> refused s
(* Join, Unjoin *)
| refuses_join s :
    handle s > 0 /\ (refs s = 0 \/ detached s = 1) -> refused s
(* Detach *)
| refuses_detach s :
    handle s > 0 /\ (detached s = 1 \/ refs s = 0 \/ refs s = 1 /\ life s <> 3) -> refused s
(* Drop *)
| refuses_drop s :
    holders s + last s > 0 /\ (refs s = 0 \/ refs s = 1 /\ life s <> 3) -> refused s
(* Drop *)
| refuses_drop_handle s :
    handle s > 0 /\ life s = 3 /\ refs s = 0 -> refused s.
