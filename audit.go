package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/surewake/surewake/proofs"
)

const auditUsage = "usage: surewake audit [-json] [-run expression] [-html file]"

// An auditCall is an audit with its flags.
type auditCall struct {
	flags     *flag.FlagSet
	json      bool
	run, html string
}

func newAuditCall() *auditCall {
	c := &auditCall{flags: flag.NewFlagSet("audit", flag.ContinueOnError)}
	c.flags.SetOutput(io.Discard)
	c.flags.BoolVar(&c.json, "json", false, "print one JSON object per theorem")
	c.flags.StringVar(&c.run, "run", "",
		"check only the theorems whose id matches the regular `expression`")
	c.flags.StringVar(&c.html, "html", "audit.html",
		"also write the rows as a page with pictures and links to `file`; empty: no page")
	return c
}

// audit redoes the proofs of package proofs and prints one row per theorem. The proofs are part of
// this program: no packages are read.
func audit(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := newAuditCall()
	flags := c.flags
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(stdout, auditUsage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return exitOK
	}
	if err == nil && flags.NArg() > 0 {
		err = errors.New("audit takes no arguments")
	}
	var match *regexp.Regexp
	if err == nil {
		match, err = regexp.Compile(c.run)
	}
	if err != nil {
		fmt.Fprintf(stderr, "surewake: %v\n%s\n", err, auditUsage)
		return exitTrouble
	}
	var theorems []proofs.Theorem
	for _, t := range proofs.Theorems() {
		if match.MatchString(t.ID) {
			theorems = append(theorems, t)
		}
	}
	if len(theorems) == 0 {
		fmt.Fprintf(stderr, "surewake: no theorem's id matches %s\n", match)
		return exitTrouble
	}
	count := map[string]int{}
	var rows []proofs.Row
	mutants := 0
	failed, err := proofs.Audit(ctx, theorems, func(r proofs.Row) {
		count[r.Result]++
		rows = append(rows, r)
		if c.json {
			line, _ := json.Marshal(r)
			fmt.Fprintf(stdout, "%s\n", line)
			return
		}
		fmt.Fprintf(stdout, "%-9s %-7s %6.2f s  %s\n", r.ID, r.Result, r.Seconds, r.Statement)
		fmt.Fprintf(stdout, "%29s %s; %s; %s; %s\n", "", r.Scope, r.Method, r.Tool, r.File)
		if made := r.Made(); made != "" {
			fmt.Fprintf(stdout, "%29s %s\n", "", made)
		}
		for _, a := range r.Assumptions {
			fmt.Fprintf(stdout, "%29s assumes: %s\n", "", a)
		}
		for _, m := range r.Mutants {
			mutants++
			fmt.Fprintf(stdout, "%29s mutant %s, %s: %s\n", "", m.ID, m.What, m.Result)
		}
		if r.Message != "" {
			fmt.Fprintf(stdout, "\t%s\n", indented(r.Message))
		}
	})
	if err != nil {
		fmt.Fprintf(stderr, "surewake: %v\n", err)
		return exitTrouble
	}
	if c.html != "" {
		if err := writePage(c.html, rows); err != nil {
			fmt.Fprintf(stderr, "surewake: %v\n", err)
			return exitTrouble
		}
	}
	if !c.json {
		fmt.Fprintf(stdout, "%d theorems: %d proved, %d bounded, %d failed; %d mutants\n",
			len(theorems), count[proofs.Proved], count[proofs.Bounded], failed, mutants)
		for _, r := range rows { // again, where a reader of a long output looks first
			if r.Result == proofs.Failed {
				fmt.Fprintf(stdout, "failed: %s\n\t%s\n", r.ID, indented(r.Message))
			}
		}
	}
	if failed > 0 {
		return exitFailed
	}
	return exitOK
}

// indented returns a message whose further lines are indented as the first one is.
func indented(message string) string {
	return strings.ReplaceAll(strings.TrimSpace(message), "\n", "\n\t")
}

// writePage writes rows as a page beside which, in this module's directory, the files that it links
// to are; elsewhere it links to the public ones.
func writePage(file string, rows []proofs.Row) error {
	var named map[string][]proofs.Place
	base := "https://" + modulePath + "/blob/main/"
	if _, err := os.Stat("proofs/spec/idle.go"); err == nil && filepath.Dir(file) == "." {
		base = ""
		if named, err = proofs.Named(os.DirFS(".")); err != nil {
			return err
		}
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(proofs.HTML(f, rows, base, named), f.Close())
}
