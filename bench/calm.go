package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// A turn is disturbed if others used more than this part of the processors' time, the hypervisor
// included; what a system counts in ticks of 10 ms is known to two ticks at best.
const (
	othersAllowed = 0.05
	tick          = 10 * time.Millisecond
)

// It is also disturbed if the calibration loop took more than so many times what it takes at best
// in the session, on any processor, before the turn or after it: a neighbour on the same core. On a
// processor that has slept it takes a third longer for a while.
const slowdownAllowed = 1.4

// A reading is what the processors have done so far.
type reading struct {
	at    time.Time
	known bool // on Linux
	// What they have done for anybody: in ticks, which miss much of what is short; and exactly, as
	// far as control groups tell.
	busy, exact time.Duration
	stolen      time.Duration // by the hypervisor
	own         time.Duration // what they have done for the processes that are measured
	loop        time.Duration // what the calibration loop takes now
}

// look takes a reading. own are the processes that are measured.
func look(own []int) reading {
	r := reading{loop: calibrate()}
	r.at = time.Now()
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return r
	}
	var user, nice, system, idle, wait, irq, soft, steal int64
	_, err = fmt.Sscanf(string(stat), "cpu %d %d %d %d %d %d %d %d", &user, &nice, &system, &idle,
		&wait, &irq, &soft, &steal)
	if err != nil {
		return r
	}
	r.busy = time.Duration(user+nice+system+irq+soft) * tick
	r.stolen = time.Duration(steal) * tick
	r.exact = accounted()
	for _, pid := range append(own, os.Getpid()) {
		r.own += used(pid)
	}
	r.known = true
	return r
}

// accounted is how long all processes have run that a control group counts: those of the machine,
// or of a container. It is 0 if there is none.
func accounted() time.Duration {
	if ran, ok := firstNumber("/sys/fs/cgroup/cpuacct/cpuacct.usage", "%d"); ok {
		return ran
	}
	ran, _ := firstNumber("/sys/fs/cgroup/cpu.stat", "usage_usec %d")
	return ran * time.Microsecond
}

// used is how long the threads of a process have run.
func used(pid int) (sum time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, name := range threads {
		ran, _ := firstNumber(name, "%d") // 0 if the thread has ended
		sum += ran
	}
	return sum
}

// firstNumber reads the number that a file begins with; false if there is none.
func firstNumber(name, format string) (n time.Duration, ok bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, false
	}
	_, err = fmt.Sscanf(string(text), format, &n)
	return n, err == nil
}

// disturbance says by how much others disturbed what was between two readings: above 1, it does not
// count. fastest is what the calibration loop takes at best.
func disturbance(before, after reading, fastest time.Duration) float64 {
	slow := float64(max(before.loop, after.loop)) / float64(fastest)
	worst := (slow - 1) / (slowdownAllowed - 1)
	if before.known && after.known {
		others := max(after.busy-before.busy, after.exact-before.exact) -
			(after.own - before.own) + after.stolen - before.stolen
		available := float64(after.at.Sub(before.at)) * float64(runtime.NumCPU())
		allowed := math.Max(othersAllowed*available, float64(2*tick))
		worst = math.Max(worst, float64(others)/allowed)
	}
	return math.Max(worst, 0)
}

// calibrate measures a loop on all processors at the same time, and returns the time of the
// slowest one, by its best of several.
func calibrate() time.Duration {
	times := make([]time.Duration, runtime.NumCPU())
	var all sync.WaitGroup
	for i := range times {
		all.Go(func() {
			best := time.Duration(math.MaxInt64)
			for range 15 {
				begin := time.Now()
				if steps(200*stepsPerMicrosecond) < 0 {
					panic("a wrong result")
				}
				best = min(best, time.Since(begin))
			}
			times[i] = best
		})
	}
	all.Wait()
	slowest := time.Duration(0)
	for _, t := range times {
		slowest = max(slowest, t)
	}
	return slowest
}

// steps is work that no compiler makes shorter: each step needs the result of the one before.
func steps(n int) float64 {
	x := 1.0
	for range n {
		x = x*0.999 + 0.1
	}
	return x
}

// stepsPerMicrosecond is about how many steps take a microsecond.
const stepsPerMicrosecond = 700

// processor names the processor, where that is known.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, found := strings.Cut(line, ":"); found &&
			strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
