// Mutation puts every single edit of the protocol code back that Generate of package mutant makes,
// and says which of them nobody notices.
//
//	go run ./ci/mutation [flags] [packages]
//
// Each edit is tried on a copy of the repository by "surewake mutants": by the tests and the first
// two seconds of each check of its package, and with -quick by nothing else; those that nobody has
// noticed, by the checks under the race detector and for longer. Tests that notice a bug by chance
// are not asked. Results are kept in a file that git ignores, with a hash of the sources of the
// package and of what it imports here, and are not asked for again as long as these stay the same.
// Once all edits of a package are known, they go to ci/mutation/table.txt, with the hash.
//
// An edit that survives must have an argument why it is no bug, in ci/mutation/harmless.txt: a line
// with its id, and lines with the argument, indented. Mutation fails if one has none, or if an
// argument is about an edit that is killed, or that is not made any more.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// parts are the packages whose every edit is to be noticed.
var parts = []string{"deque", "fork", "idle", "injector", "park", "taskstate"}

func main() {
	var o options
	flag.IntVar(&o.most, "n", 0, "try so many edits that are not known yet, drawn by -seed; 0: all")
	flag.Int64Var(&o.seed, "seed", 1, "which edits are drawn")
	flag.BoolVar(&o.fresh, "fresh", false, "try edits whose results are known, too")
	flag.BoolVar(&o.quick, "quick", false, "leave out the race detector, and long looks")
	flag.IntVar(&o.sample, "sample", 0,
		"try so many edits of parts in the table, drawn by -seed, and keep nothing")
	flag.StringVar(&o.results, "results", "ci/mutation/.results", "`file` of the results so far")
	flag.StringVar(&o.table, "table", "ci/mutation/table.txt", "`file` of the parts' results")
	flag.StringVar(&o.match, "run", "", "try only edits whose id matches the `regexp`")
	flag.Parse()
	if o.packages = flag.Args(); len(o.packages) == 0 {
		o.packages = parts
	}
	for i, p := range o.packages {
		o.packages[i] = filepath.ToSlash(filepath.Clean(p))
		if !slices.Contains(parts, o.packages[i]) {
			fmt.Fprintf(os.Stderr, "mutation: package %q: want some of %s\n", p,
				strings.Join(parts, ", "))
			os.Exit(2)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop has been called
	}
}
