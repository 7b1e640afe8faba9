package model

import (
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/wire"
)

// replay runs the schedule that the command gave.
func (c *check) replay(cfg explore.Config) {
	d, f, res, err := c.again(&cfg)
	if err != nil {
		c.refuse(wire.KindInternal, "%v", err)
		return
	}
	r := c.result(cfg, res)
	r.Schedule, r.Verdict, r.Bounded = c.set.Schedule, wire.Bounded, "one schedule"
	if f == nil {
		r.Trace = trace(&res, nil, "")
		send(wire.Message{Result: &r})
		return
	}
	c.failsAgain(r, recording(cfg, d), f, &res)
}

// regress runs the schedule that the command gave, before all others, if it is one of a regression
// test. It reports whether that fails, which is the result of the check, and else says what came
// of it.
func (c *check) regress(cfg explore.Config) (replayed string, fails bool) {
	if c.set.Mode != wire.Regress {
		return "", false
	}
	d, f, res, err := c.again(&cfg)
	switch {
	case err != nil:
		c.refuse(wire.KindRefused, "%v", err)
		return "", true
	case f != nil && kindOf(f).Verdict() == wire.Failed:
		r := c.result(cfg, res)
		r.Schedule, r.Replayed = c.set.Schedule, "its schedule fails"
		if res.Unfit != "" {
			r.Replayed = unfit(res.Unfit) + "; what was run in its place fails"
		}
		c.failsAgain(r, recording(cfg, d), f, &res)
		return "", true
	case res.Unfit != "":
		return unfit(res.Unfit), false
	}
	return "its schedule passes", false
}

func unfit(why string) string {
	return "its schedule no longer applies to the changed program: " + why
}

// again records an execution of that schedule, and prepares cfg for it.
func (c *check) again(
	cfg *explore.Config,
) (d []wire.Deviation, f *explore.Failure, res explore.Result, err error) {
	text, orders := wire.CutMapOrders(c.set.Schedule)
	cfg.MapOrders = cfg.MapOrders || orders
	text, passes := wire.CutTimePasses(text)
	if d, err = wire.DecodeSchedule(text); err != nil {
		return nil, nil, res, err
	}
	if passes {
		c.letTimePass(cfg)
	}
	f, res = c.record(*cfg, d)
	return d, f, res, nil
}

// failsAgain sends the result of an execution that was recorded by cfg and fails.
func (c *check) failsAgain(
	r wire.Result, cfg explore.Config, f *explore.Failure, res *explore.Result,
) {
	c.decide(&r, f, res.Trace)
	r.Bounded, r.Message = "", withOutput(said(f))
	if f.Stack != "" {
		r.Message += "\n" + userStack(f.Stack)
	}
	r.Trace = trace(res, f, r.Message)
	c.files(&r)
	c.failDecided(r, cfg, res)
}
