package proofs

import (
	"context"
	"embed"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/surewake/surewake/model/mutant"
)

//go:embed coq/*.v spin/*.pml
var sources embed.FS

// lemma is a theorem in a Coq file, which must go through without axioms.
type lemma struct {
	source  string // the file, in coq/
	theorem string
	// Of a mutant: its text, and the lemma whose proof must fail, all before it granted.
	text, falseLemma string
}

// A coqRun is what coqc says about a file: many theorems share one.
type coqRun struct {
	once         sync.Once
	path, output string
	paths        []string // the options by which coqc finds the files that this one requires
	status       int
	err          error
}

func (l lemma) method() string { return "proof assistant" }
func (l lemma) tools() []tool  { return []tool{coqc} }
func (l lemma) anyN() bool     { return true }
func (l lemma) file() string   { return "coq/" + l.source }

// line returns where the theorem stands in the file.
func (l lemma) line() int {
	text, _ := sources.ReadFile(l.file())
	before, _, found := strings.Cut(string(text), "\nTheorem "+l.theorem+" ")
	if !found {
		return 0
	}
	return strings.Count(before, "\n") + 2
}

var (
	requires = regexp.MustCompile(`(?m)^Require Import (\w+)\.$`)
	script   = regexp.MustCompile(`(?s)Proof\..*?Qed\.`)
	anyLemma = heading(`\w+`)
	coqError = regexp.MustCompile(`line (\d+), characters [^\n]*\nError:`)
)

func (l lemma) check(ctx context.Context, b *bench) error {
	source := l.text
	if source == "" {
		text, err := sources.ReadFile(l.file())
		if err != nil {
			return err
		}
		source = string(text)
	}
	r := b.compile(ctx, l.source, source)
	switch {
	case r.err != nil:
		return r.err
	case r.status != 0:
		failed, line := failedIn(source, r.output)
		why := fmt.Sprintf("%s:%d, in %s: %s", l.source, line, failed, tail(r.output))
		if l.falseLemma != "" && failed == l.falseLemma {
			return &refuted{why}
		}
		return fmt.Errorf("%s", why)
	case l.text != "":
		return nil
	}
	// The file goes through. Ask for what this theorem rests on.
	module := strings.TrimSuffix(l.source, ".v")
	path, err := b.file("Assumptions.v",
		fmt.Sprintf("Require %s.\nPrint Assumptions %s.%s.\n", module, module, l.theorem))
	if err != nil {
		return err
	}
	out, status, err := run(ctx, filepath.Dir(path), "coqc",
		append([]string{"-q", "-R", filepath.Dir(r.path), ""}, append(r.paths, path)...)...)
	if err != nil {
		return err
	}
	if status != 0 || strings.TrimSpace(out) != "Closed under the global context" {
		return fmt.Errorf("%s rests on more than definitions: %s", l.theorem, tail(out))
	}
	return nil
}

func (l lemma) weaken(bug *mutant.Mutant, in string) (proof, error) {
	text, err := sources.ReadFile(l.file())
	if err != nil {
		return nil, err
	}
	weak, err := edited(l, string(text), bug)
	if err != nil {
		return nil, err
	}
	if in == wholeFile {
		l.text = weak
		return l, nil
	}
	if !heading(regexp.QuoteMeta(in)).MatchString(weak) {
		return nil, fmt.Errorf("%s has no lemma %q whose proof could fail", l.source, in)
	}
	l.text, l.falseLemma = grant(weak, in), in
	return l, nil
}

// grant leaves out the proofs of the lemmas before this one: nothing that its own proof needs is
// missing then.
func grant(source, lemma string) string {
	at := heading(lemma).FindStringIndex(source)
	if at == nil {
		return source
	}
	return script.ReplaceAllString(source[:at[0]], "Admitted.") + source[at[0]:]
}

// heading finds where a lemma begins.
func heading(lemma string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:Lemma|Theorem|Corollary) (` + lemma + `)\b`)
}

// refutation is a mutant whose negation is a theorem.
type refutation struct{ lemma }

func (r refutation) check(ctx context.Context, b *bench) error {
	if err := r.lemma.check(ctx, b); err != nil {
		return err
	}
	return &refuted{r.theorem + " says that it is false"}
}

// compile runs coqc on a text, once.
func (b *bench) compile(ctx context.Context, name, source string) *coqRun {
	b.mu.Lock()
	r := b.coq[source]
	if r == nil {
		r = &coqRun{}
		b.coq[source] = r
	}
	b.mu.Unlock()
	r.once.Do(func() {
		for _, other := range requires.FindAllStringSubmatch(source, -1) {
			file := other[1] + ".v"
			text, err := sources.ReadFile("coq/" + file)
			if err != nil {
				continue // Coq's own
			}
			needs := b.compile(ctx, file, string(text))
			if needs.err != nil || needs.status != 0 {
				r.err = fmt.Errorf("%s, which %s needs: %w: %s", file, name, needs.err,
					tail(needs.output))
				return
			}
			r.paths = append(append(r.paths, "-R", filepath.Dir(needs.path), ""), needs.paths...)
		}
		r.path, r.err = b.file(name, source)
		if r.err == nil {
			r.output, r.status, r.err = run(ctx, filepath.Dir(r.path), "coqc",
				append(append([]string{"-q"}, r.paths...), name)...)
		}
	})
	return r
}

// failedIn returns the lemma that coqc's error is in, and the line.
func failedIn(source, output string) (name string, line int) {
	m := coqError.FindStringSubmatch(output)
	if m == nil {
		return "", 0
	}
	line, _ = strconv.Atoi(m[1])
	for i, text := range strings.Split(source, "\n") {
		if i >= line {
			break
		}
		if h := anyLemma.FindStringSubmatch(text); h != nil {
			name = h[1]
		}
	}
	return name, line
}
