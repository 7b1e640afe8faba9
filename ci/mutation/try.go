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
	packages       []string
	most           int
	seed           int64
	fresh, quick   bool
	results, match string
}

func (o *options) run(ctx context.Context) error {
	known, err := readResults(o.results)
	if err != nil {
		return err
	}
	why, err := readHarmless("ci/mutation/harmless.txt")
	if err != nil {
		return err
	}
	edits, keys, err := generate(ctx)
	if err != nil {
		return err
	}
	for _, e := range edits {
		if o.fresh || known[e.ID].key != keys[e.pkg] {
			delete(known, e.ID)
		}
	}
	chosen, err := o.choose(edits, known)
	if err != nil {
		return err
	}
	copied, err := os.MkdirTemp("", "surewake-mutation-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(copied)
	if err := copyTree(ctx, copied); err != nil {
		return err
	}
	keep := func(e edit, r result) error {
		if r.verdict == survived && known[e.ID].verdict == "" {
			r.verdict = unnoticed
		}
		r.id, r.key = e.ID, keys[e.pkg]
		known[r.id] = r
		fmt.Printf("%-9s %s %s\n", r.verdict, r.id, r.killer)
		return writeResults(o.results, known, edits)
	}
	for _, p := range o.packages {
		for _, look := range []struct{ after, flags string }{
			{"", "-race=false -budget 2s"},
			{unnoticed, "-budget 10s"},
		} {
			if o.quick && look.after == unnoticed {
				continue
			}
			var now []edit
			for _, e := range chosen {
				if e.pkg == p && known[e.ID].verdict == look.after {
					now = append(now, e)
				}
			}
			if err := try(ctx, copied, p, look.flags, now, keep); err != nil {
				return err
			}
		}
	}
	return judge(edits, known, why)
}

// choose returns the edits to try: those of the packages that match and are not known.
func (o *options) choose(edits []edit, known map[string]result) (chosen []edit, err error) {
	match, err := regexp.Compile(o.match)
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		verdict := known[e.ID].verdict
		if slices.Contains(o.packages, e.pkg) && match.MatchString(e.ID) &&
			(verdict == "" || verdict == unnoticed && !o.quick) {
			chosen = append(chosen, e)
		}
	}
	if o.most > 0 && o.most < len(chosen) {
		r := rand.New(rand.NewPCG(uint64(o.seed), 0))
		r.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:o.most]
	}
	return chosen, nil
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
		if err := os.WriteFile(name, []byte(e.Text()), 0o666); err != nil {
			return err
		}
	}
	args := append([]string{"run", ".", "mutants"}, strings.Fields(flags)...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+part)...)
	cmd.Dir = copied
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

// judge prints what is known of the parts, and returns an error if an edit survives that has no
// argument, or an argument is about none that does.
func judge(edits []edit, known map[string]result, why map[string]string) error {
	wrong := 0
	count := map[string]map[string]int{}
	for _, p := range parts {
		count[p] = map[string]int{}
	}
	for _, e := range edits {
		r, ok := known[e.ID]
		switch {
		case !ok:
			count[e.pkg]["not tried"]++
		case r.verdict == survived && why[e.ID] != "":
			count[e.pkg]["harmless"]++
		default:
			count[e.pkg][r.verdict]++
			if r.verdict == survived || r.verdict == unnoticed && why[e.ID] == "" {
				wrong++
				fmt.Printf("\nnobody notices %s\n%s", e.ID, e.Text())
			}
			if why[e.ID] != "" && r.verdict != unnoticed {
				wrong++
				fmt.Printf("\n%s is %s, and is argued to be harmless\n", e.ID, r.verdict)
			}
		}
	}
	for id := range why {
		if !slices.ContainsFunc(edits, func(e edit) bool { return e.ID == id }) {
			wrong++
			fmt.Printf("\nan argument is about %s, which is no edit\n", id)
		}
	}
	columns := []string{killed, "harmless", unnoticed, survived, "not tried"}
	fmt.Printf("\n%-10s", "")
	for _, c := range columns {
		fmt.Printf(" %10s", c)
	}
	for _, p := range parts {
		fmt.Printf("\n%-10s", p)
		for _, c := range columns {
			fmt.Printf(" %10d", count[p][c])
		}
	}
	fmt.Println()
	if wrong > 0 {
		return fmt.Errorf("%d edits survive without an argument, or have one and do not", wrong)
	}
	return nil
}
