// Command bench measures packages runtime and fork beside other ways to do the same.
//
//	go run . [-rounds 300] [-run REGEXP] [-quick]    prints a table for each row
//	./run.sh                                         the session whose table is in README.md
//
// All contenders of a row take turns, one short round each, so that whatever else the machine does
// hits all of them. Nothing is left out: the table shows the fastest round, the median and the 90th
// percentile. Times are of an operation, such as one spawn.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"
)

var (
	rounds = flag.Int("rounds", 300,
		"rounds of each contender; those that take 100 ms and more do a tenth")
	only = flag.String("run", "",
		"regular expression of the rows to measure: of their titles, with -drive of their keys and of titles of surveys")
	quick = flag.Bool("quick", false,
		"three rounds of everything, and smaller recursions, to see that it works")

	serving = flag.Bool("serve", false, "measure what standard input asks for; for -drive")
	driving = flag.String("drive", "", "write the results of a session into this `file`; see run.sh")
	rust    = flag.String("rust", "", "with -drive: the `program` of the folder rust")
	old     = flag.String("old", "", "with -drive: an older `binary` of this program")
	before  = flag.String("before", "", "with -drive: what the older binary is")
	turns   = flag.Int("turns", 9, "with -drive: how often each process is to have its turn")
	block   = flag.Duration("block", 250*time.Millisecond, "with -drive: how long a turn lasts")
	most    = flag.Duration("most", 330*time.Second,
		"with -drive: how long all rows may take, those of -run their part of it")
	counted = flag.Bool("surveys", true, "with -drive: what is no time of a round, too")
	adding  = flag.String("into", "",
		"with -drive: put what is measured among the results of this `file`, in place of "+
			"the same rows")
	drawing = flag.String("render", "",
		"make the tables and charts of README.md, RESULTS.md and charts from this `file`")
	printing  = flag.String("print", "", "print the table of this `file` of results")
	comparing = flag.String("compare", "",
		"print ours beside -old's, of this `file` of results; fail if a row is slower")
)

func main() {
	flag.Parse()
	if isPart() {
		return
	}
	selected, err := regexp.Compile(*only)
	if err != nil || *rounds < 1 || *turns < 1 || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	switch {
	case *serving:
		err = serve(os.Stdin, os.Stdout)
	case *driving != "":
		err = session{file: *driving, rust: *rust, old: *old, before: *before, turns: *turns,
			block: *block, most: *most, selected: selected, surveys: *counted,
			into: *adding}.drive()
	case *drawing != "":
		err = render(*drawing, ".")
	case *printing != "":
		err = printResults(*printing, os.Stdout)
	case *comparing != "":
		err = compareResults(*comparing, os.Stdout)
	default:
		show(selected)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// show measures rows one after the other, and prints each as a table.
func show(selected *regexp.Regexp) {
	if *quick {
		*rounds = 3
	}
	fmt.Printf("%s, %d processors, GOMAXPROCS %d, %s/%s; load %s; %d rounds\n", runtime.Version(),
		runtime.NumCPU(), runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH, load(), *rounds)
	start := time.Now()
	for _, r := range rows() {
		if selected.MatchString(r.title) {
			r.print(os.Stdout, *rounds)
		}
	}
	for _, s := range surveys() {
		if selected.MatchString(s.title) {
			s.print(os.Stdout, *quick)
		}
	}
	fmt.Printf("\n%v; load %s\n", time.Since(start).Round(time.Second), load())
}

// load returns what else the machine does, where that is known.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}
