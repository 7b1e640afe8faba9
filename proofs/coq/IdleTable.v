(* Made from table Idle of proofs/spec by go test ./proofs -run TestMade -update.
   Do not edit. *)
Require Import List Arith.
Import ListNotations.

(* Where a worker is. *)
Inductive pc := R | S | F | A | C | B | P.

(* bit: its bit in the bitmap. tok: its token. wd: the word that its bit is in, which never
   changes. *)
Record w := W { p : pc; bit : nat; tok : nat; wd : nat }.

(* Where a notifier is. *)
Inductive nf := M0 | M1 (k : nat) | M2 (j : nat) | M3 (j : nat).

(* Where Close is: before its store; about to load word k; about to go through the bits of workers
   l, which it has read in word k; through with all words. *)
Inductive closer := Open | Load (k : nat) | Claims (k : nat) (l : list nat) | Done.

Record st := St { ws : list w; ms : list nf; queued : nat; srch : nat; cl : closer }.

Fixpoint sum {X} (f : X -> nat) (l : list X) := match l with [] => 0 | x :: r => f x + sum f r end.
Fixpoint upd {X} (i : nat) (y : X) (l : list X) :=
  match l, i with [], _ => [] | _ :: r, 0 => y :: r | x :: r, Datatypes.S i' => x :: upd i' y r end.

(* The bits of word k. *)
Definition within k x := if wd x =? k then bit x else 0.
(* What a load of word k sees. *)
Definition set_in k L l :=
  forall j, In j l <-> exists x, nth_error L j = Some x /\ wd x = k /\ bit x > 0.

(* Everybody runs; where the bits are is free. *)
Definition start words := St (map (W R 0 0) words) [] 0 0 Open.

Section Words.
Variable nw : nat. (* the number of words *)

Inductive step : st -> st -> Prop :=

(* Notify: searching.Load *)
| notify_leave L a b q n c : n > 0 ->
    step (St L (a ++ M0 :: b) q n c) (St L (a ++ b) q n c)
(* Notify: searching.Load *)
| notify_go L a b q n c : n = 0 ->
    step (St L (a ++ M0 :: b) q n c) (St L (a ++ (M1 0) :: b) q n c)
(* claim: word.Load *)
| claim_none L a b k q n c : sum (within k) L = 0 ->
    step (St L (a ++ (M1 k) :: b) q n c) (St L (a ++ (M1 (k + 1)) :: b) q n c)
(* claim: it is through with the words *)
| claim_end L a b k q n c : k >= nw ->
    step (St L (a ++ (M1 k) :: b) q n c) (St L (a ++ b) q n c)
(* take: word.And *)
| claim L a b k q n c j x t : nth_error L j = Some (W x 1 t k) ->
    step (St L (a ++ (M1 k) :: b) q n c) (St (upd j (W x 0 t k) L) (a ++ (M2 j) :: b) q n c)
(* count: searching.Add(1) *)
| count L a b j q n c :
    step (St L (a ++ (M2 j) :: b) q n c) (St L (a ++ (M3 j) :: b) q (n + 1) c)
(* the claimer's Unpark *)
| token L a b j q n c x e t d : nth_error L j = Some (W x e t d) ->
    step (St L (a ++ (M3 j) :: b) q n c) (St (upd j (W x e (t + 1) d) L) (a ++ b) q n c)
(* the caller's push, then Notify *)
| push L M q n c :
    step (St L M q n c) (St L (M0 :: M) (q + 1) n c)
(* a push to another queue *)
| push_elsewhere L M q n c :
    step (St L M q n c) (St L (M0 :: M) q n c)
(* Claim: word.And *)
| claim_one L M q n c j x t d : nth_error L j = Some (W x 1 t d) ->
    step (St L M q n c) (St (upd j (W x 0 t d) L) ((M2 j) :: M) q n c)
(* the caller's look at the queue *)
| take L M q n c i e t d : nth_error L i = Some (W R e t d) -> q > 0 ->
    step (St L M q n c) (St L M (q - 1) n c)
(* the caller's look at the queue *)
| take_searching L M q n c i e t d : nth_error L i = Some (W S e t d) -> q > 0 ->
    step (St L M q n c) (St (upd i (W F e t d) L) M (q - 1) n c)
(* the caller's look at another queue *)
| take_elsewhere L M q n c i e t d : nth_error L i = Some (W S e t d) ->
    step (St L M q n c) (St (upd i (W F e t d) L) M q n c)
(* Publish: word.Or, not a searcher *)
| publish L M q n c i e t d : nth_error L i = Some (W R e t d) ->
    step (St L M q n c) (St (upd i (W C 1 t d) L) M q n c)
(* Publish: word.Or, a searcher *)
| publish_searching L M q n c i e t d : nth_error L i = Some (W S e t d) ->
    step (St L M q n c) (St (upd i (W A 1 t d) L) M q n c)
(* Publish: closed.Load *)
| open L M q n i e t d : nth_error L i = Some (W C e t d) ->
    step (St L M q n Open) (St (upd i (W B e t d) L) M q n Open)
(* Publish: word.And had the bit *)
| closed_own L M q n c i t d : nth_error L i = Some (W C 1 t d) -> c <> Open ->
    step (St L M q n c) (St (upd i (W R 0 t d) L) M q n c)
(* Publish: word.And had no bit *)
| closed L M q n c i t d : nth_error L i = Some (W C 0 t d) -> c <> Open ->
    step (St L M q n c) (St (upd i (W P 0 t d) L) M q n c)
(* the caller's recheck *)
| recheck_none L M q n c i e t d : nth_error L i = Some (W B e t d) -> q = 0 ->
    step (St L M q n c) (St (upd i (W P e t d) L) M q n c)
(* the caller's recheck *)
| recheck_work L M q n c i e t d : nth_error L i = Some (W B e t d) -> q > 0 ->
    step (St L M q n c) (St (upd i (W P e t d) L) (M0 :: M) q n c)
(* the caller's recheck of another queue *)
| recheck_elsewhere L M q n c i e t d : nth_error L i = Some (W B e t d) -> q = 0 ->
    step (St L M q n c) (St (upd i (W P e t d) L) (M0 :: M) q n c)
(* Woke(false): word.And had the bit *)
| timeout L M q n c i t d : nth_error L i = Some (W P 1 t d) ->
    step (St L M q n c) (St (upd i (W R 0 t d) L) M q n c)
(* Found: searching.Add(-1) is 0 *)
| found_last L M q n c i e t d : nth_error L i = Some (W F e t d) -> n = 1 ->
    step (St L M q n c) (St (upd i (W R e t d) L) (M0 :: M) q (n - 1) c)
(* Found: searching.Add(-1) is not 0 *)
| found L M q n c i e t d : nth_error L i = Some (W F e t d) -> n <> 1 ->
    step (St L M q n c) (St (upd i (W R e t d) L) M q (n - 1) c)
(* Search: searching.CompareAndSwap *)
| search L M q n c i e t d : nth_error L i = Some (W R e t d) ->
    step (St L M q n c) (St (upd i (W S e t d) L) M q (n + 1) c)
(* Woke(true), after the token was taken *)
| woke L M q n c i e t d : nth_error L i = Some (W P e t d) -> t > 0 ->
    step (St L M q n c) (St (upd i (W S e (t - 1) d) L) M q n c)
(* Publish: searching.Add(-1) *)
| uncount L M q n c i e t d : nth_error L i = Some (W A e t d) ->
    step (St L M q n c) (St (upd i (W C e t d) L) M q (n - 1) c)
(* Found: searching.Add(-1) is 0, by one who leaves a join *)
| leave_last L M q n c i e t d : nth_error L i = Some (W S e t d) -> n = 1 ->
    step (St L M q n c) (St (upd i (W R e t d) L) (M0 :: M) q (n - 1) c)
(* Found: searching.Add(-1) is not 0, by one who leaves a join *)
| leave L M q n c i e t d : nth_error L i = Some (W S e t d) -> n <> 1 ->
    step (St L M q n c) (St (upd i (W R e t d) L) M q (n - 1) c)
(* Close: closed.Store *)
| close L M q n :
    step (St L M q n Open) (St L M q n (Load 0))
(* Close: word.Load *)
| close_load L M q n k l : set_in k L l ->
    step (St L M q n (Load k)) (St L M q n (Claims k l))
(* Close: word.And *)
| close_claim L M q n k j l x t d : nth_error L j = Some (W x 1 t d) ->
    step (St L M q n (Claims k (j :: l))) (St (upd j (W x 0 t d) L) ((M2 j) :: M) q n (Claims k l))
(* Close: word.And *)
| close_miss L M q n k j l x t d : nth_error L j = Some (W x 0 t d) ->
    step (St L M q n (Claims k (j :: l))) (St L M q n (Claims k l))
(* Close: it is through with the word *)
| close_pass L M q n k :
    step (St L M q n (Claims k [])) (St L M q n (Load (k + 1)))
(* Close returns: see idle/I9 *)
| close_done L M q n k : k >= nw ->
    step (St L M q n (Load k)) (St L M q n Done).
End Words.
