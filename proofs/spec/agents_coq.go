package spec

import (
	"fmt"
	"slices"
	"strings"
)

// Coq returns the file of definitions that is made from the table: the states, with all workers,
// notifiers and words, and the relation step with one constructor a rule.
func (a *Agents) Coq() (string, error) {
	steps, err := a.Steps()
	if err != nil {
		return "", err
	}
	var notifiers []string
	for _, n := range a.Notifiers {
		notifiers = append(notifiers, coqConstructor(n))
	}
	var b strings.Builder
	fmt.Fprintf(&b, coqHead, a.Name, strings.Join(slices.Concat(a.Workers, a.Parked), " | "),
		strings.Join(notifiers, " | "), a.Workers[0])
	for _, s := range steps {
		c, err := coqStep(a, s)
		if err != nil {
			return "", fmt.Errorf("rule %s of table %s: %w", s.Name, a.Name, err)
		}
		b.WriteString(c)
	}
	b.WriteString(".\nEnd Words.\n")
	return b.String(), nil
}

const coqHead = `(* Made from table %[1]s of proofs/spec by go test ./proofs -run TestMade -update.
   Do not edit. *)
Require Import List Arith.
Import ListNotations.

(* Where a worker is. *)
Inductive pc := %[2]s.

(* bit: its bit in the bitmap. tok: its token. wd: the word that its bit is in, which never
   changes. *)
Record w := W { p : pc; bit : nat; tok : nat; wd : nat }.

(* Where a notifier is. *)
Inductive nf := %[3]s.

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
Definition start words := St (map (W %[4]s 0 0) words) [] 0 0 Open.

Section Words.
Variable nw : nat. (* the number of words *)

Inductive step : st -> st -> Prop :=
`

// coqConstructor returns "M1(k)" as "M1 (k : nat)".
func coqConstructor(place string) string {
	name, args, _ := strings.Cut(strings.TrimSuffix(place, ")"), "(")
	if args == "" {
		return name
	}
	return name + " (" + args + " : nat)"
}

// coqShared names the shared numbers in a state.
var coqShared = map[string]string{"q": "q", "searching": "n"}

// coqStep returns a step as a constructor.
func coqStep(a *Agents, s *Step) (string, error) {
	premises, err := coqNumbers(a, s)
	if err != nil {
		return "", err
	}
	var binders []string
	bind := func(names ...string) {
		for _, n := range names {
			if n != "" && n[0] >= 'a' && n[0] <= 'z' && !slices.Contains(binders, n) {
				binders = append(binders, n)
			}
		}
	}
	workers, notifiers, closer := "L", "M", "c"
	binders = append(binders, "L")
	if s.Notifier != nil {
		bind("a", "b")
		bind(s.Notifier.Args...)
		notifiers = "(a ++ " + coqPlace(s.Notifier) + " :: b)"
	} else {
		binders = append(binders, "M")
	}
	bind("q", "n")
	if s.Close != nil {
		closer = coqPlace(s.Close)
		bind(slices.DeleteFunc(slices.Clone(s.Close.Args), isTerm)...)
	} else {
		bind("c")
	}
	if s.NotClose != nil {
		premises = append(premises, "c <> "+coqPlace(s.NotClose))
	}
	is, becomes := coqWorker(s)
	if is != nil {
		bind(s.Worker)
		bind(is...)
		premises = append([]string{fmt.Sprintf("nth_error L %s = Some (W %s)", s.Worker,
			strings.Join(is, " "))}, premises...)
		if s.Needs["tok"] == "> 0" {
			premises = append(premises, "t > 0")
		}
	}
	before := fmt.Sprintf("(St %s %s q n %s)", workers, notifiers, closer)
	if becomes != nil {
		workers = fmt.Sprintf("(upd %s (W %s) L)", s.Worker, strings.Join(becomes, " "))
	}
	switch {
	case s.Ends:
		notifiers = "(a ++ b)"
	case s.Becomes != nil:
		notifiers = "(a ++ " + coqPlace(s.Becomes) + " :: b)"
	}
	if s.Starts != nil {
		notifiers = "(" + coqPlace(s.Starts) + " :: " + strings.Trim(notifiers, "()") + ")"
		if s.Notifier != nil {
			return "", fmt.Errorf("a notifier starts another one")
		}
	}
	if s.Closes != nil {
		closer = coqPlace(s.Closes)
		bind(slices.DeleteFunc(slices.Clone(s.Closes.Args), isTerm)...)
		if slices.Contains(s.Closes.Args, "bits(k)") {
			bind("l")
			premises = append(premises, "set_in k L l")
		}
	}
	var conditions string
	for _, p := range premises {
		conditions += " " + p + " ->"
	}
	return fmt.Sprintf("\n(* %s *)\n| %s %s :%s\n    step %s (St %s %s %s %s %s)", s.Code, s.Name,
		strings.Join(binders, " "), conditions, before, workers, notifiers,
		coqAfter(s, "q"), coqAfter(s, "searching"), closer), nil
}

// isTerm reports whether an argument is no name.
func isTerm(arg string) bool { return arg == "none" || strings.ContainsAny(arg, " (") }

// coqNumbers returns the conditions on numbers, but for those on bounds.
func coqNumbers(a *Agents, s *Step) ([]string, error) {
	ops := map[string]string{"==": "=", "!=": "<>", ">": ">", "<": "<", ">=": ">=", "<=": "<="}
	var all []string
	for _, n := range s.Numbers {
		switch {
		case n.Op == "zero":
			all = append(all, "sum (within "+n.X+") L = 0")
		case slices.Contains(a.Bounds, n.X) || slices.Contains(a.Bounds, n.Y):
		case n.X == "k" && n.Y == "words":
			all = append(all, "k "+ops[n.Op]+" nw")
		case coqShared[n.X] == "" || ops[n.Op] == "":
			return nil, fmt.Errorf("%s %s %s has no meaning here", n.X, n.Op, n.Y)
		default:
			all = append(all, coqShared[n.X]+" "+ops[n.Op]+" "+n.Y)
		}
	}
	return all, nil
}

// coqWorker returns what the fields of the worker are before and after a step, nil if they do not
// matter or do not change.
func coqWorker(s *Step) (is, becomes []string) {
	is = []string{"x", "e", "t", "d"}
	if s.At != "" {
		is[0] = s.At
	}
	if bit, ok := strings.CutPrefix(s.Needs["bit"], "== "); ok {
		is[1] = bit
	}
	if word, ok := strings.CutPrefix(s.Needs["word"], "== "); ok {
		is[3] = word
	}
	if s.To != "" || len(s.Gets) > 0 {
		becomes = slices.Clone(is)
		if s.To != "" {
			becomes[0] = s.To
		}
		for i, what := range []string{"bit", "tok"} {
			switch got := s.Gets[what]; got {
			case "":
			case "+", "-":
				becomes[1+i] = "(" + is[1+i] + " " + got + " 1)"
			default:
				becomes[1+i] = got
			}
		}
	}
	if s.At == "" && len(s.Needs) == 0 && becomes == nil {
		return nil, nil
	}
	return is, becomes
}

func coqAfter(s *Step, number string) string {
	if change := s.Sets[number]; change != "" {
		return "(" + coqShared[number] + " " + change + " 1)"
	}
	return coqShared[number]
}

// coqPlace returns a place as a term.
func coqPlace(p *Place) string {
	text := p.Name
	for i, arg := range p.Args {
		switch {
		case arg == "none":
			arg = "[]"
		case arg == "bits(k)":
			arg = "l"
		case strings.Contains(arg, " "):
			arg = "(" + arg + ")"
		case p.Name == "Claims" && len(p.Args) == 3 && i == 1:
			arg = "(" + arg + " :: " + p.Args[2] + ")"
		case p.Name == "Claims" && len(p.Args) == 3 && i == 2:
			continue
		}
		text += " " + arg
	}
	if len(p.Args) > 0 {
		return "(" + text + ")"
	}
	return text
}
