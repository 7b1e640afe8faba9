package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

type options struct {
	packages              []string
	most, sample          int
	seed                  int64
	fresh, quick          bool
	results, table, match string
}

// A session is what is known when edits are tried.
type session struct {
	*options
	edits []edit
	keys  map[string]string // of the sources of each part
	known map[string]result
	table table
	why   map[string]string // arguments by id
}

func (o *options) load(ctx context.Context) (*session, error) {
	s := &session{options: o}
	var err error
	if s.known, err = readResults(o.results); err != nil {
		return nil, err
	}
	if s.table, err = readTable(o.table); err != nil {
		return nil, err
	}
	if s.why, err = readHarmless("ci/mutation/harmless.txt"); err != nil {
		return nil, err
	}
	if s.edits, s.keys, err = generate(ctx); err != nil {
		return nil, err
	}
	chance := map[string][]string{}
	for _, p := range parts {
		if chance[p], err = byChance(p); err != nil {
			return nil, err
		}
	}
	for i := range s.edits {
		e := &s.edits[i]
		before := s.table[e.pkg].results[e.ID]
		e.suspect, _, _ = strings.Cut(before.killer, "/")
		r, ok := s.known[e.ID]
		if !ok && before.verdict != "" {
			r = before
			s.known[e.ID] = r
		}
		killer, _, _ := strings.Cut(r.killer, "/")
		if o.fresh || r.key != s.keys[e.pkg] || slices.Contains(chance[e.pkg], killer) {
			delete(s.known, e.ID)
		}
	}
	return s, nil
}

func (o *options) run(ctx context.Context) error {
	s, err := o.load(ctx)
	if err != nil {
		return err
	}
	if o.sample > 0 {
		return s.trySample(ctx)
	}
	chosen, err := s.choose()
	if err != nil {
		return err
	}
	if err := s.look(ctx, chosen, func() error {
		return writeResults(o.results, s.known, s.edits)
	}); err != nil {
		return err
	}
	s.table.update(s)
	if err := s.table.write(o.table); err != nil {
		return err
	}
	return judge(s.edits, s.known, s.why)
}

// trySample tries some edits of the parts that are in the table, whether they are known or not,
// and returns an error if one survives that has no argument. It keeps nothing.
func (s *session) trySample(ctx context.Context) error {
	match, err := regexp.Compile(s.match)
	if err != nil {
		return err
	}
	var chosen []edit
	for _, e := range s.edits {
		part, ok := s.table[e.pkg]
		if ok && slices.Contains(s.packages, e.pkg) && match.MatchString(e.ID) &&
			s.why[e.ID] == "" && part.results[e.ID].verdict != broken {
			chosen = append(chosen, e)
		}
	}
	chosen = draw(chosen, s.sample, s.seed)
	s.known = map[string]result{}
	if err := s.look(ctx, chosen, func() error { return nil }); err != nil {
		return err
	}
	survivors := 0
	for _, e := range chosen {
		if v := s.known[e.ID].verdict; v == survived || v == unnoticed {
			survivors++
			fmt.Printf("\nnobody notices %s\n%s", e.ID, e.Text())
		}
	}
	if survivors > 0 {
		return fmt.Errorf("%d of %d edits survive: each needs a test that fails, "+
			"or an argument in ci/mutation/harmless.txt", survivors, len(chosen))
	}
	fmt.Printf("%d edits, none of which survives\n", len(chosen))
	return nil
}

// look tries edits, and those that nobody has noticed once more and for longer, and calls keep
// after each.
func (s *session) look(ctx context.Context, chosen []edit, keep func() error) error {
	copied, err := os.MkdirTemp("", "surewake-mutation-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(copied)
	if err := copyTree(ctx, copied); err != nil {
		return err
	}
	each := func(e edit, r result) error {
		if r.verdict == survived && s.known[e.ID].verdict == "" {
			r.verdict = unnoticed
		}
		r.id, r.key = e.ID, s.keys[e.pkg]
		s.known[r.id] = r
		fmt.Printf("%-9s %s %s\n", r.verdict, r.id, r.killer)
		return keep()
	}
	for _, p := range s.packages {
		for _, look := range []struct{ after, flags string }{
			{"", "-race=false -budget 2s"},
			{unnoticed, "-budget 10s"},
		} {
			if s.quick && look.after == unnoticed {
				continue
			}
			var now []edit
			for _, e := range chosen {
				if e.pkg == p && s.known[e.ID].verdict == look.after {
					now = append(now, e)
				}
			}
			if err := try(ctx, copied, p, look.flags, now, each); err != nil {
				return err
			}
		}
	}
	return nil
}

// choose returns the edits to try: those of the packages that match and are not known.
func (s *session) choose() (chosen []edit, err error) {
	match, err := regexp.Compile(s.match)
	if err != nil {
		return nil, err
	}
	for _, e := range s.edits {
		verdict := s.known[e.ID].verdict
		if slices.Contains(s.packages, e.pkg) && match.MatchString(e.ID) &&
			(verdict == "" || verdict == unnoticed && !s.quick) {
			chosen = append(chosen, e)
		}
	}
	if s.most > 0 {
		chosen = draw(chosen, s.most, s.seed)
	}
	return chosen, nil
}

// draw returns at most so many of the edits, which the seed decides.
func draw(edits []edit, most int, seed int64) []edit {
	r := rand.New(rand.NewPCG(uint64(seed), 0))
	r.Shuffle(len(edits), func(i, j int) { edits[i], edits[j] = edits[j], edits[i] })
	return edits[:min(most, len(edits))]
}

var printed = regexp.MustCompile(`^(gen-\S+) \.\.\. (?:killed by (\S+)|(SURVIVED)|ERROR (.*))`)

// try has surewake judge edits of a part.
func try(ctx context.Context, copied, part, flags string, edits []edit,
	each func(edit, result) error,
) error {
	if len(edits) == 0 {
		return nil
	}
	folder := filepath.Join(copied, part, "testdata", "mutants")
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	byID := map[string]edit{}
	for _, e := range edits {
		byID[e.ID] = e
		name := filepath.Join(folder, e.ID+".mutant")
		if err := os.WriteFile(name, []byte(e.text()), 0o666); err != nil {
			return err
		}
	}
	args := append([]string{"run", ".", "mutants", "-tags", "wide"}, strings.Fields(flags)...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+part)...)
	cmd.Dir = copied
	skip, err := byChance(part)
	if err != nil {
		return err
	}
	if len(skip) > 0 {
		cmd.Env = append(os.Environ(), strings.TrimSpace("GOFLAGS="+os.Getenv("GOFLAGS")+
			" -skip=^("+strings.Join(skip, "|")+")$"))
	}
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		m := printed.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		e, ok := byID[m[1]]
		if !ok {
			continue
		}
		delete(byID, m[1])
		r := result{verdict: killed, killer: m[2]}
		switch {
		case m[3] != "":
			r.verdict = survived
		case strings.HasPrefix(m[4], "does not compile"), strings.Contains(m[4], "not part of"):
			r.verdict = broken
		case m[4] != "":
			return fmt.Errorf("%s: %s", e.ID, m[4])
		}
		if err := each(e, r); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	err = cmd.Wait() // surewake fails if an edit survives, or does not compile
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(byID) > 0 {
		return fmt.Errorf("%d edits of %s were not judged: %w", len(byID), part, err)
	}
	return nil
}
