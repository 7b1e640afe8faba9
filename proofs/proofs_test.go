package proofs

import (
	"context"
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
		if th.Statement == "" || strings.Contains(th.Statement, "\n") || th.Scope == "" || len(th.mutants) == 0 {
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
	failed, err := Audit(context.Background(), Theorems()[:1], func(r Row) {
		if r.Result != Failed || !strings.Contains(r.Message, "apt-get install") || !strings.Contains(r.Message, "cvc5") {
			t.Errorf("%+v", r)
		}
	})
	if failed != 1 || err != nil {
		t.Errorf("%d failed, %v", failed, err)
	}
}
