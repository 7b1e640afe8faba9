package spec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATableInCoq(t *testing.T) {
	s := counter()
	s.Rules = append(s.Rules,
		Rule{"down", "by one", "implies(x > 0, y != 0) && !(x < 1 || y < 1)",
			"x = either(x == 1 && y != 2, 0, -1)"},
		Rule{"refuses_nothing", "never", "x > 3", ""})
	got, err := s.Coq("Counter")
	require.NoError(t, err)
	require.Equal(t, "(* Made from table Counter of proofs/spec by go test ./proofs "+
		"-run TestMade -update.\n"+`   Do not edit. *)
Require Import ZArith Bool.
Open Scope Z_scope.

Record st := St { x : Z; y : Z }.

Inductive rule := r_up | r_move | r_down.

Definition start s :=
  x s = 0 /\ y s = 0.

Inductive step : rule -> st -> st -> Prop :=
(*  *)
| do_up s :
    x s < 3 ->
    step r_up s (St (x s + 1) (y s))
(*  *)
| do_move s n :
    n > 0 /\ n <= x s ->
    step r_move s (St (x s - (n)) (y s + (n)))
(* by one *)
| do_down s :
    ((x s > 0) -> y s <> 0) /\ ~ ((x s < 1 \/ y s < 1)) ->
    step r_down s (St
  ((if ((x s =? 1) && (negb (y s =? 2))) then 0 else - (1))) (y s)).

(* The code refuses what a caller does who keeps the rules. *)
Inductive refused : st -> Prop :=
(* never *)
| refuses_nothing s :
    x s > 3 -> refused s.
`, got)
	for _, r := range []Rule{{"up", "", "z > 0", "x++"}, {"up", "", "x > 0", "z++"},
		{"up", "", "x % 2 == 1", "x++"}} {
		_, err := counter().With(r).Coq("Counter")
		require.Error(t, err, r)
	}
}
