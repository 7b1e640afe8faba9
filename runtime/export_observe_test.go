package runtime

// Records returns how many tasks have records.
func Records(rt *Runtime) int { return int(rt.records.count.Load()) }

// Alarms makes Debug tell f in place of the standard error.
func Alarms(f func(Alarm)) Option {
	return func(c *config) error {
		c.alarm = f
		return nil
	}
}

// Quiet reports whether a watchdog would find that nothing goes on.
func (rt *Runtime) Quiet() bool { return rt.quiet() }
