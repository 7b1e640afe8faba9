package runtime

// Records returns how many tasks have records.
func Records(rt *Runtime) int { return int(rt.records.count.Load()) }
