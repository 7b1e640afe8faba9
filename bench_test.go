package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/surewake/surewake/model/driver"
)

// How fast real checks are explored, without the race detector: what the
// command itself measured, so that starting it does not count.
func BenchmarkExploration(b *testing.B) {
	for _, c := range []struct{ pkg, name string }{
		{"./testdata/counts", "TestAdds"},
		{"./deque", "TestThiefWhoHasSomething"},
		{"./deque", "TestOwnerAndTwoThieves"},
		{"./deque", "TestHistoryOfAnOwnerAndTwoThieves"},
		{"./park", "TestModelPingPong"},
	} {
		b.Run(c.name, func(b *testing.B) {
			var executions, steps, seconds, best float64
			for b.Loop() {
				cmd := exec.Command(command,
					"check", "-json", "-race=false", "-run", "^"+c.name+"$", c.pkg)
				out, err := cmd.Output()
				if err != nil {
					b.Fatal(err)
				}
				for line := range bytes.Lines(out) {
					if bytes.Contains(line, []byte(`"checks":`)) {
						continue // the summary
					}
					var row driver.Row
					if err := json.Unmarshal(line, &row); err != nil {
						b.Fatal(err)
					}
					n := float64(row.Complete + row.Pruned)
					executions += n
					steps += float64(row.Steps)
					seconds += row.Seconds
					best = max(best, n/row.Seconds)
				}
			}
			b.ReportMetric(executions/seconds, "execs/s")
			b.ReportMetric(steps/seconds, "steps/s")
			b.ReportMetric(best, "best-execs/s")
		})
	}
}
