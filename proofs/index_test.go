package proofs

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestIndexIsInOrder(t *testing.T) {
	seen := map[string]bool{}
	for _, th := range Theorems() {
		if !regexp.MustCompile(`^[a-z]+/[A-Z]\d+$`).MatchString(th.ID) || seen[th.ID] {
			t.Errorf("%s: no id, or not the only one", th.ID)
		}
		seen[th.ID] = true
		if th.Statement == "" || strings.Contains(th.Statement, "\n") || th.Scope == "" ||
			len(th.mutants) == 0 {
			t.Errorf("%s: lacks a statement of one line, a scope, or a mutant", th.ID)
		}
		for _, file := range append([]string{"proofs/" + th.File()}, th.Code...) {
			if _, err := os.Stat("../" + file); err != nil {
				t.Errorf("%s: %v", th.ID, err)
			}
		}
	}
}

// What needs no tools is checked here, with its mutants; the rest by the command's audit.
func TestTheoremsThatNeedNoTools(t *testing.T) {
	theorems := slices.DeleteFunc(Theorems(), func(th Theorem) bool {
		return !slices.Equal(th.proof.tools(), []tool{goTool})
	})
	if len(theorems) == 0 {
		t.Fatal("there are none")
	}
	_, err := Audit(context.Background(), theorems, func(r Row) {
		if r.Result != Bounded {
			t.Errorf("%s: %s: %s", r.ID, r.Result, r.Message)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestMissingToolIsAFailedRowThatNamesThePackage(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	theorems := slices.DeleteFunc(Theorems(),
		func(th Theorem) bool { return slices.Equal(th.proof.tools(), []tool{goTool}) })
	failed, err := Audit(context.Background(), theorems, func(r Row) {
		for _, name := range strings.Split(r.Tool, ", ") {
			debian := map[string]string{"coqc": "coq", "z3": "z3", "cvc5": "cvc5", "spin": "spin",
				"gcc": "gcc libc6-dev"}[name]
			want := name + " is not installed; on Debian: apt-get install --no-install-recommends " + debian
			if name == "surewake check (this program)" {
				want = "go is not installed; see https://go.dev/dl"
			}
			if r.Result != Failed || !slices.Contains(strings.Split(r.Message, "\n"), want) {
				t.Errorf("%s: %s: %s", r.ID, r.Result, r.Message)
			}
		}
	})
	if failed != len(theorems) || err != nil {
		t.Errorf("%d of %d failed, %v", failed, len(theorems), err)
	}
}

// A comment in the shipped code that names a theorem names one that there is, and each theorem is
// named where the code is that it speaks about.
func TestTagsInTheCodeAreTheTheorems(t *testing.T) {
	named := map[string]map[string]bool{} // by directory
	known := map[string]bool{}
	for _, th := range Theorems() {
		known[th.ID] = true
	}
	for _, dir := range []string{"idle", "park", "deque", "fork", "taskstate", "injector",
		"runtime", "proofs/coq", "proofs/spec", "proofs/refine"} {
		named[dir] = map[string]bool{}
		files, err := os.ReadDir("../" + dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasSuffix(f.Name(), ".go") && !strings.HasSuffix(f.Name(), ".v") {
				continue
			}
			text, err := os.ReadFile("../" + dir + "/" + f.Name())
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range tag.FindAllString(string(text), -1) {
				named[dir][id] = named[dir][id] || !strings.HasSuffix(f.Name(), "_test.go")
				if !known[id] {
					t.Errorf("%s/%s names %s, which is no theorem", dir, f.Name(), id)
				}
			}
		}
	}
	for _, th := range Theorems() {
		dir, _, _ := strings.Cut(th.ID, "/")
		switch dir {
		case "memory":
			continue // accesses, which Accesses has
		case "injector": // the queue, and the scheduler around it
			if named["runtime"][th.ID] {
				continue
			}
		}
		if !named[dir][th.ID] {
			t.Errorf("no comment in %s/*.go names %s", dir, th.ID)
		}
	}
}

func TestPageHasEveryRow(t *testing.T) {
	rows := []Row{
		{ID: "idle/I1", Statement: "a < b", Scope: AnyN, Result: Proved, File: "coq/Idle.v",
			Code: []string{"idle/idle.go"}},
		{ID: "park/P1", Result: Failed, Message: "z3 is not installed",
			Mutants: []Mutant{{ID: "M", What: "weaker", Result: Survived},
				{ID: "N", What: "gone", Result: Inapplicable}}},
	}
	var b strings.Builder
	if err := HTML(&b, rows, "x/", nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a &lt; b", `href="x/proofs/coq/Idle.v"`, `href="x/idle/idle.go"`, "z3 is not installed", "SURVIVED", "DOES NOT APPLY", "searching.Load", `id="park/P1"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestReadmeListsEveryTheorem(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	all, anyN, mutants, harmless := Theorems(), 0, 0, 0
	for _, th := range all {
		if row := "| " + th.ID + " | " + th.Statement + " | " + th.Scope +
			" | "; !strings.Contains(string(text), row) {
			t.Errorf("README.md has no row %s", row)
		}
		if th.proof.anyN() {
			anyN++
		}
		for _, w := range th.mutants {
			mutants++
			if w.harmless {
				harmless++
			}
		}
	}
	counts := fmt.Sprintf("%d theorems, %d of them for any N; %d mutants, %d of which do no harm.",
		len(all), anyN, mutants, harmless)
	if !strings.Contains(string(text), counts) {
		t.Errorf("README.md does not say: %s", counts)
	}
}
