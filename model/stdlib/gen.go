//go:build ignore

// Gen makes table.txt from rules.txt and from what the installed release of Go exports, and has
// exported on any platform. A rule that matches nothing, and a name that no rule matches, are
// errors.
package main

import (
	"fmt"
	"log"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/surewake/surewake/model/stdlib/api"
)

// A rule gives names of a package their class.
type rule struct {
	class, pattern string
	used           bool
}

func (r *rule) matches(name string) bool {
	ok, err := path.Match(r.pattern, name)
	return ok && err == nil
}

// rules gives the rules of each package: its default, then the exceptions.
func rules() (map[string][]*rule, error) {
	text, err := os.ReadFile("rules.txt")
	if err != nil {
		return nil, err
	}
	out := make(map[string][]*rule)
	var paths []string
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case line[0] == '\t':
			for _, w := range words[1:] {
				r := &rule{class: words[0], pattern: w} // of use to one of the packages
				for _, p := range paths {
					out[p] = append(out[p], r)
				}
			}
		default:
			paths = words[:len(words)-1]
			for _, p := range paths {
				out[p] = []*rule{{class: words[len(words)-1], pattern: "*", used: true}}
			}
		}
	}
	return out, nil
}

// classify gives the class of a name: the exception that matches most letters of it.
func classify(rules []*rule, name string) string {
	best := rules[0]
	for _, r := range rules[1:] {
		if r.matches(name) {
			r.used = true
			exact := name == r.pattern
			if exact || best == rules[0] || best.pattern != name && len(r.pattern) > len(best.pattern) {
				best = r
			}
		}
	}
	return best.class
}

// classes has the classes of package stdlib in the order of rules.txt.
var classes = strings.Fields(
	"pure reach model env files process system random memory global locked methods clock order own " +
		"refuse")

func write(b *strings.Builder, class string, names []string) {
	const width = 100
	line := ""
	for _, n := range names {
		if line == "" || len(line)+1+len(n)+7 > width {
			if line != "" {
				fmt.Fprintln(b, line)
			}
			line = "\t" + class
		}
		line += " " + n
	}
	fmt.Fprintln(b, line)
}

func main() {
	log.SetFlags(0)
	all, err := api.Installed()
	if err != nil {
		log.Fatal(err)
	}
	if err := all.Recorded(runtime.GOROOT()); err != nil {
		log.Fatal(err)
	}
	known, err := rules()
	if err != nil {
		log.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, "# Made by gen.go from rules.txt; do not edit.")
	bad := 0
	for _, pkg := range all.Paths() {
		rs := known[pkg]
		if rs == nil {
			log.Printf("no rule for package %s", pkg)
			bad++
			continue
		}
		byClass := make(map[string][]string)
		for _, name := range all.Names(pkg) {
			c := classify(rs, name)
			if !slices.Contains(classes, c) {
				log.Printf("%s.%s: there is no class %q", pkg, name, c)
				bad++
			}
			byClass[c] = append(byClass[c], name)
		}
		fmt.Fprintln(&b, pkg)
		for _, c := range classes {
			if names := byClass[c]; names != nil {
				write(&b, c, names)
			}
		}
	}
	for pkg, rs := range known {
		for _, r := range rs {
			if !r.used {
				log.Printf("%s: the rule %s %s matches nothing", pkg, r.class, r.pattern)
				bad++
			}
		}
	}
	if bad > 0 {
		log.Fatalf("%d errors", bad)
	}
	if err := os.WriteFile("table.txt", []byte(b.String()), 0o666); err != nil {
		log.Fatal(err)
	}
}
