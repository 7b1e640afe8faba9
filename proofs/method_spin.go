package proofs

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/surewake/surewake/model/mutant"
)

// model is an independent model of a protocol in Promela, written by hand, which spin goes through
// at one size.
type model struct {
	source  string   // the file, in spin/
	text    string   // of a mutant
	defines []string // "N=2": the size
	// live asks for the model's ltl formula in all fair runs, instead of assertions and stuck
	// states.
	live bool
	// litmus says that the model has a few accesses only.
	litmus bool
}

func (m model) method() string {
	switch {
	case m.live:
		return "second model, liveness"
	case m.litmus:
		return "litmus test"
	}
	return "second model"
}
func (m model) tools() []tool { return []tool{spin, gcc} }
func (m model) anyN() bool    { return false }
func (m model) file() string  { return "spin/" + m.source }
func (m model) byHand() bool  { return !m.litmus }

var (
	spinErrors = regexp.MustCompile(`errors: (\d+)`)
	spinWhat   = regexp.MustCompile(`pan:\d+: (.*)`)
)

func (m model) weaken(bug *mutant.Mutant, _ string) (proof, error) {
	text, err := sources.ReadFile(m.file())
	if err != nil {
		return nil, err
	}
	m.text, err = edited(m, string(text), bug)
	return m, err
}

func (m model) check(ctx context.Context, b *bench) error {
	text := m.text
	if text == "" {
		source, err := sources.ReadFile(m.file())
		if err != nil {
			return err
		}
		text = string(source)
	}
	path, err := b.file("model.pml", text)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	args := []string{"-a"}
	for _, d := range m.defines {
		args = append(args, "-D"+d)
	}
	flags := []string{"-O2", "-w", "-DCOLLAPSE", "-DMEMLIM=4000", "-DVECTORSZ=2048", "-o", "pan",
		"pan.c"}
	search := []string{"-m1000000"}
	if m.litmus {
		flags[0] = "-O0" // compiling is what takes time
	}
	if m.live {
		args = append(args, "-DLIVE")
		flags = append(flags, "-DNOREDUCE")
		search = append(search, "-a", "-f")
	} else {
		flags = append(flags, "-DSAFETY")
		search = append(search, "-E")
	}
	for _, step := range [][]string{
		append([]string{"spin"}, append(args, "model.pml")...),
		append([]string{"gcc"}, flags...),
	} {
		out, status, err := run(ctx, dir, step[0], step[1:]...)
		if err != nil {
			return err
		}
		if status != 0 {
			return fmt.Errorf("%s: %s", strings.Join(step, " "), tail(out))
		}
	}
	out, _, err := run(ctx, dir, "./pan", search...)
	if err != nil {
		return err
	}
	found := spinErrors.FindStringSubmatch(out)
	switch {
	case found == nil || strings.Contains(out, "max search depth too small") ||
		strings.Contains(out, "out of memory"):
		return fmt.Errorf("pan: %s", tail(out))
	case found[1] != "0":
		what := "a run that is not permitted"
		if w := spinWhat.FindStringSubmatch(out); w != nil {
			what = w[1]
		}
		return &refuted{what}
	}
	return nil
}
