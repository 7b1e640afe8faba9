package driver

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Budget bounds the exploration of every single check. The zero value is no
// bound. It is a flag.Value.
type Budget struct {
	Time       time.Duration // of the plain run and the race run together
	Executions int64         // of each run that is made
}

const budgetForms = "want a duration (30s, 2m), a number of executions (10000x) " +
	"or both (30s,10000x), greater than zero"

// ParseBudget reads what String writes.
func ParseBudget(s string) (Budget, error) {
	var b Budget
	refuse := func() (Budget, error) {
		return Budget{}, fmt.Errorf("budget %q: %s", s, budgetForms)
	}
	for _, part := range strings.Split(s, ",") {
		if count, ok := strings.CutSuffix(part, "x"); ok {
			n, err := strconv.ParseInt(count, 10, 64)
			if err != nil || n <= 0 || b.Executions != 0 {
				return refuse()
			}
			b.Executions = n
			continue
		}
		d, err := time.ParseDuration(part)
		if err != nil || d <= 0 || b.Time != 0 {
			return refuse()
		}
		b.Time = d
	}
	return b, nil
}

func (b Budget) String() string {
	var parts []string
	if b.Time > 0 {
		parts = append(parts, b.Time.String())
	}
	if b.Executions > 0 {
		parts = append(parts, strconv.FormatInt(b.Executions, 10)+"x")
	}
	return strings.Join(parts, ",")
}

// Set makes *Budget a flag.Value.
func (b *Budget) Set(s string) error {
	v, err := ParseBudget(s)
	if err != nil {
		// The flag package names the value itself.
		return fmt.Errorf("%s", budgetForms)
	}
	*b = v
	return nil
}
