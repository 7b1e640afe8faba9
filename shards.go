package main

import (
	"fmt"
	"path/filepath"

	"github.com/surewake/surewake/model/driver"
)

func (c *call) shardFlags() {
	o := &c.opts
	c.flags.Var(&o.Shard, "shard",
		"explore only the K-th of N parts of the executions of each check, as `K/N` says, and write\n"+
			"a certificate of what was found; surewake merge makes one result of all N")
	c.flags.StringVar(&c.shardOut, "shard-out", "",
		"write the certificate of -shard into `file` (default shard-K-of-N.json)")
	c.flags.StringVar(&o.ShardModes, "shard-modes", "",
		"begin with `letters` that surewake merge has asked for")
}

// certifier returns what writes the certificate of a shard, nil without -shard.
func (c *call) certifier() (*driver.Certifier, error) {
	shard := c.opts.Shard
	if shard.Of == 0 {
		if c.shardOut != "" {
			return nil, &driver.UsageError{Text: "-shard-out is for -shard"}
		}
		return nil, nil
	}
	if c.shardOut == "" {
		c.shardOut = fmt.Sprintf("shard-%d-of-%d.json", shard.K, shard.Of)
	}
	return driver.NewCertifier(&c.opts, c.below(c.shardOut)), nil
}

// below returns the name of a file for this process: relative ones are below the directory of -C.
func (c *call) below(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.opts.Dir, name)
}

// merge prints the results of checks of which all shards were run.
func (c *call) merge() int {
	if len(c.operands) == 0 {
		return c.trouble(&driver.UsageError{Text: "merge wants the certificates of all shards"})
	}
	var names []string
	for _, name := range c.operands {
		names = append(names, c.below(name))
	}
	shards, err := driver.ReadShards(names)
	if err != nil {
		return c.trouble(err)
	}
	shards.Into(&c.opts)
	out, err := c.output()
	if err != nil {
		return c.trouble(err)
	}
	page, err := c.page()
	if err != nil {
		return c.trouble(err)
	}
	return c.explore(out, page, nil)
}
