package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surewake/surewake/model/driver"
	"github.com/surewake/surewake/model/shardplan"
)

// planned is what the command shard is asked for.
type planned struct {
	folder, image string
	shards        int
}

func (c *call) planFlags() {
	o := &c.opts
	c.flags.StringVar(&c.planned.folder, "plan", "",
		"write into `folder` an image with the packages, an Indexed Job for Kubernetes and a\n"+
			"workflow for GitHub Actions, which run all shards of the checks and merge them")
	c.flags.IntVar(&c.planned.shards, "shards", 16, "divide the checks into `n` shards")
	c.flags.StringVar(&c.planned.image, "image", "surewake-shards",
		"the `name` of the image, with its registry")
	c.flags.StringVar(&o.ShardModes, "shard-modes", "",
		"begin with `letters` that surewake merge has asked for")
}

// plan writes what runs the shards of checks.
func (c *call) plan() int {
	files, matrix, err := c.planFiles()
	if err != nil {
		return c.trouble(err)
	}
	folder := c.below(c.planned.folder)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return c.trouble(err)
	}
	for _, f := range files {
		name := filepath.Join(folder, f.Name)
		if err := os.WriteFile(name, []byte(f.Text), 0o666); err != nil {
			return c.trouble(err)
		}
		fmt.Fprintln(c.stdout, name)
	}
	if !matrix {
		fmt.Fprintf(c.stderr, "no workflow: %d shards, and a matrix of GitHub Actions has at most %d "+
			"jobs\n", c.planned.shards, shardplan.MostMatrix)
	}
	return exitOK
}

func (c *call) planFiles() (files []shardplan.File, matrix bool, err error) {
	switch folder := c.planned.folder; {
	case folder == "":
		return nil, false, &driver.UsageError{
			Text: "shard wants -plan FOLDER: it writes there what runs all shards of checks\n" +
				"usage: surewake " + synopsis["shard"] + "\n" +
				"(surewake check -shard K/N runs one of them)",
		}
	case filepath.IsAbs(folder) || !filepath.IsLocal(folder):
		return nil, false, &driver.UsageError{Text: fmt.Sprintf(
			"-plan %s: want a folder below that of go.mod, which the image is made of", folder)}
	}
	of := c.opts // as a shard will be asked
	of.Shard = driver.Part{K: 1, Of: c.planned.shards}
	if err := of.Validate(); err != nil {
		return nil, false, err
	}
	p := shardplan.Plan{
		Shards: c.planned.shards, Packages: c.packages(), Image: c.planned.image,
		Folder: filepath.ToSlash(c.planned.folder),
	}
	c.flags.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "C", "plan", "shards", "image":
			return
		}
		arg := "-" + f.Name + "=" + f.Value.String()
		if f.Name == "preemptions" {
			arg = fmt.Sprintf("-preemptions=%d", c.opts.Preemptions)
		}
		p.Flags = append(p.Flags, arg)
		if !slices.Contains([]string{"budget", "shard-modes"}, f.Name) {
			p.Only = append(p.Only, arg)
		}
	})
	if p.Go, p.Below, err = c.surroundings(); err != nil {
		return nil, false, err
	}
	files, matrix, err = p.Files()
	if err != nil {
		err = &driver.UsageError{Text: err.Error()}
	}
	return files, matrix, err
}

// surroundings returns the version of Go and where in its repository the module is.
func (c *call) surroundings() (version, below string, err error) {
	_, noModule := os.Stat(c.below("go.mod"))
	_, noWorkspace := os.Stat(c.below("go.work"))
	if noModule != nil && noWorkspace != nil {
		return "", "", &driver.UsageError{
			Text: "no go.mod in this folder: plan where it is, or say where with -C",
		}
	}
	output := func(name string, args ...string) (string, error) {
		cmd := exec.CommandContext(c.ctx, name, args...)
		cmd.Dir = c.opts.Dir
		out, err := cmd.Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, exit.Stderr)
		}
		return strings.TrimSpace(string(out)), err
	}
	if version, err = output("go", "env", "GOVERSION"); err != nil {
		return "", "", err
	}
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "go"), " ")
	if below, err = output("git", "rev-parse", "--show-prefix"); err != nil {
		below = "" // not in a repository of git
	}
	return version, strings.TrimSuffix(below, "/"), nil
}
