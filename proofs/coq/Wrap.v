(* Positions of package deque counted modulo the width of a word: any width, any capacity. Plain
   Coq, no axioms. *)
Require Import Arith Lia.

(* deque/D7. A thief that finds the same head has seen no other one since it loaded it, if fewer
   than a whole round of advances can have happened; see also same_head_after_a_round. *)
Theorem same_word_same_position width p p' : p <= p' -> p' < p + width -> p mod width = p' mod width -> p = p'.
Proof.
  intros L U E. destruct width as [|k]; [lia|].
  pose proof (Nat.div_mod_eq p (S k)). pose proof (Nat.div_mod_eq p' (S k)).
  assert (p' - p = S k * (p' / S k - p / S k)) by nia.
  destruct (p' / S k - p / S k) eqn:Q; nia.
Qed.

(* The bound cannot be better: after exactly one round the word is the same. *)
Theorem same_head_after_a_round width p : (p + width) mod width = p mod width.
Proof. destruct width as [|k]; [cbn; lia|]. now rewrite <- Nat.add_mod_idemp_r, Nat.mod_same, Nat.add_0_r by lia. Qed.

(* deque/D9. Differences of positions are right across the wrap, if no two are further apart than
   a word can count. *)
Theorem difference_of_words width steal tail : steal <= tail -> tail < steal + width ->
  (tail mod width + (width - steal mod width)) mod width = tail - steal.
Proof.
  intros L U. destruct width as [|k]; [lia|].
  pose proof (Nat.mod_upper_bound steal (S k) ltac:(lia)).
  rewrite Nat.add_mod_idemp_l by lia.
  replace (tail + (S k - steal mod S k)) with ((tail - steal) + (1 + steal / S k) * S k).
  - rewrite Nat.mod_add by lia. apply Nat.mod_small. lia.
  - pose proof (Nat.div_mod_eq steal (S k)). nia.
Qed.

(* But not a whole round: *)
Theorem difference_after_a_round : exists width steal tail, steal <= tail /\ tail <= steal + width /\
  (tail mod width + (width - steal mod width)) mod width <> tail - steal.
Proof. exists 8, 0, 8. cbn. lia. Qed.

(* deque/D10. A slot can be found from the word, since the capacity divides the number of words. *)
Theorem slot_of_word rounds cap p : cap > 0 -> rounds > 0 -> (p mod (cap * rounds)) mod cap = p mod cap.
Proof.
  intros C R. rewrite Nat.mod_mul_r by lia.
  rewrite Nat.mul_comm, Nat.mod_add by lia. now apply Nat.mod_mod; lia.
Qed.

(* But not if it does not divide it: *)
Theorem slot_of_other_word : exists width cap p, cap > 0 /\ width > cap /\ (p mod width) mod cap <> p mod cap.
Proof. exists 5, 4, 5. cbn. lia. Qed.
