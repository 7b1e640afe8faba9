package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// park/X1 needs no tools.
func TestAuditPrintsARowATheorem(t *testing.T) {
	var out, stderr bytes.Buffer
	page := filepath.Join(t.TempDir(), "audit.html")
	args := []string{"audit", "-run", "^park/X1$", "-html", page}
	if code := run(context.Background(), args, &out, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	for _, want := range []string{
		"park/X1", "bounded", "assumes: one parker at a time", "mutant blind", ": killed",
		"1 theorems: 0 proved, 1 bounded, 0 failed; 2 mutants",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if text, err := os.ReadFile(page); err != nil || !bytes.Contains(text, []byte("park/X1")) {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestAuditInJSON(t *testing.T) {
	var out, stderr bytes.Buffer
	args := []string{"audit", "-json", "-html", "", "-run", "^park/X1$"}
	if code := run(context.Background(), args, &out, &stderr); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	var row map[string]any
	if err := json.Unmarshal(out.Bytes(), &row); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"id", "statement", "scope", "method", "tool", "assumptions", "result", "seconds",
	} {
		if row[name] == nil {
			t.Errorf("no %s in %s", name, &out)
		}
	}
}

func TestAuditWithoutToolsFails(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var out, stderr bytes.Buffer
	args := []string{"audit", "-html", "", "-run", "^park/P1$"}
	if code := run(context.Background(), args, &out, &stderr); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	const what = "apt-get install --no-install-recommends z3"
	_, last, _ := strings.Cut(out.String(), "1 failed; 0 mutants\nfailed: park/P1\n")
	for _, text := range []string{out.String(), last} {
		if !strings.Contains(text, what) {
			t.Errorf("no %q in\n%s", what, text)
		}
	}
}

func TestAuditUsage(t *testing.T) {
	for _, args := range [][]string{
		{"audit", "park"},
		{"audit", "-run", "("},
		{"audit", "-run", "nothing"},
		{"audit", "-wrong"},
	} {
		var out, stderr bytes.Buffer
		if code := run(context.Background(), args, &out, &stderr); code != exitTrouble ||
			stderr.Len() == 0 {
			t.Errorf("%q: exit code %d, %s", args, code, &stderr)
		}
	}
}
