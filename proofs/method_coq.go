package proofs

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/surewake/surewake/model/mutant"
)

// lemma is a theorem in a Coq file, which must go through without axioms.
type lemma struct {
	source  string // the file, in coq/
	theorem string
	made    *made // the file of definitions that it speaks about, nil if they are in its own
	numbers bool  // it is about numbers, not about steps
	// Of a mutant: its text, the text of the made file, and the lemma whose proof must fail, all
	// before it granted.
	text, table, falseLemma string
}

// A coqRun is what coqc says about a file: many theorems share one.
type coqRun struct {
	once         sync.Once
	key          string // its text, and that of what it requires
	path, output string
	paths        []string // the options by which coqc finds the files that this one requires
	status       int
	err          error
}

func (l lemma) method() string { return "proof assistant" }
func (l lemma) tools() []tool  { return []tool{coqc} }
func (l lemma) anyN() bool     { return true }
func (l lemma) file() string   { return "coq/" + l.source }
func (l lemma) tables() []string {
	if l.made == nil {
		return nil
	}
	return []string{l.made.table}
}

func (l lemma) byHand() bool { return l.made == nil && !l.numbers }

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
	texts := map[string]string{l.source: source}
	if l.table != "" {
		texts[path.Base(l.made.file)] = l.table
	}
	r := b.compile(ctx, l.source, texts)
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
	ask, err := b.file("Assumptions.v",
		fmt.Sprintf("Require %s.\nPrint Assumptions %s.%s.\n", module, module, l.theorem))
	if err != nil {
		return err
	}
	out, status, err := run(ctx, filepath.Dir(ask), "coqc",
		append([]string{"-q", "-R", filepath.Dir(r.path), ""}, append(r.paths, ask)...)...)
	if err != nil {
		return err
	}
	if status != 0 || strings.TrimSpace(out) != "Closed under the global context" {
		return fmt.Errorf("%s rests on more than definitions: %s", l.theorem, tail(out))
	}
	if l.made != nil {
		return l.made.vacuous()
	}
	return nil
}

func (l lemma) weaken(bug *mutant.Mutant, in string) (proof, error) {
	text, err := sources.ReadFile(l.file())
	if err != nil {
		return nil, err
	}
	weak := string(text)
	if l.made.edits(bug) {
		l.table, err = l.made.weaken(bug)
	} else {
		weak, err = edited(l, weak, bug)
	}
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

// compile runs coqc on a file, once for the same text of it and of all that it requires. texts are
// those that are not what is checked in.
func (b *bench) compile(ctx context.Context, name string, texts map[string]string) *coqRun {
	source, known := texts[name]
	if !known {
		text, err := sources.ReadFile("coq/" + name)
		if err != nil {
			return nil // Coq's own
		}
		source = string(text)
	}
	key := source
	var needs []*coqRun
	for _, other := range requires.FindAllStringSubmatch(source, -1) {
		if r := b.compile(ctx, other[1]+".v", texts); r != nil {
			needs = append(needs, r)
			key += "\x00" + r.key
		}
	}
	b.mu.Lock()
	r := b.coq[key]
	if r == nil {
		r = &coqRun{key: key}
		b.coq[key] = r
	}
	b.mu.Unlock()
	r.once.Do(func() {
		for _, n := range needs {
			if n.err != nil || n.status != 0 {
				r.err = fmt.Errorf("what %s needs: %w: %s", name, n.err, tail(n.output))
				return
			}
			r.paths = append(append(r.paths, "-R", filepath.Dir(n.path), ""), n.paths...)
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
