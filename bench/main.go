// Command bench measures package runtime beside other ways to do the same in Go, and prints a
// table.
//
//	go run . [-rounds 300] [-run REGEXP] [-quick]
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
	only  = flag.String("run", "", "regular expression of the rows to measure")
	quick = flag.Bool("quick", false, "three rounds of everything, to see that it works")
)

func main() {
	flag.Parse()
	if isPart() {
		return
	}
	selected, err := regexp.Compile(*only)
	if err != nil || *rounds < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: go run . [-rounds N] [-run REGEXP] [-quick]")
		os.Exit(2)
	}
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
