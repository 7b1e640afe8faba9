package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/surewake/surewake/model/driver"
)

// emit prints a regression test for an execution that was replayed.
func (c *call) emit(again *driver.Replayed) int {
	text, err := again.EmitTest(selfAnywhere(os.Args[0], again.Dir()))
	if err != nil {
		return c.trouble(err)
	}
	if _, err := c.stdout.Write(text); err != nil {
		return c.trouble(err)
	}
	return exitOK
}

// debugToken builds a binary that runs a schedule, and prints how a debugger starts it.
func (c *call) debugToken(token string) int {
	if c.emitTest || c.html != "" {
		return c.trouble(&driver.UsageError{
			Text: "-debug runs nothing that -emit-test or -html could show",
		})
	}
	d, err := driver.Debug(c.ctx, c.opts, token, c.debug)
	if err != nil {
		return c.trouble(err)
	}
	words := append([]string{"dlv", "exec", d.Binary, "--"}, d.Args...)
	for i, w := range words {
		words[i] = quoted(w)
	}
	for i, v := range d.Env {
		name, value, _ := strings.Cut(v, "=")
		d.Env[i] = name + "=" + quoted(value)
	}
	fmt.Fprintf(c.stdout, "cd %s && %s %s\n",
		quoted(d.Dir), strings.Join(d.Env, " "), strings.Join(words, " "))
	return exitOK
}

// selfAnywhere returns the words that start this command from the package in dir, as far as it can
// on other machines, too: a test has them.
func selfAnywhere(arg0, dir string) []string {
	if gomod, _ := enclosingGoMod(dir); toolLine.Match(gomod) {
		return []string{"go", "tool", "surewake"}
	}
	words := self(arg0)
	switch {
	case len(words) > 1 && words[len(words)-1] == ".":
		return []string{"go", "run", modulePath}
	case len(words) > 1:
		return words
	}
	own, err := os.Executable()
	if err != nil {
		return words
	}
	name := filepath.Base(own)
	if found, err := exec.LookPath(name); err == nil && sameFile(found, own) {
		return []string{name}
	}
	return []string{own}
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
