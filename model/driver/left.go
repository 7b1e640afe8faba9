package driver

import (
	"fmt"
	"math"
)

// leftSpread is the factor on either side of the estimated number of all executions within which
// the true one is to be expected. TestEstimateOfOwnChecks measures how often it is.
const leftSpread = 3

// leftText says how many executions a budget cut off, of a check of which n were run: the estimate,
// and the range that is to be expected. It is empty if nothing is known.
func leftText(left float64, n int64) string {
	if left <= 0 {
		return ""
	}
	total := left + float64(n)
	least, most := total/leftSpread-float64(n), total*leftSpread-float64(n)
	if left >= 1e15 {
		return "executions left: more than 10^15"
	}
	if least < 1 {
		return fmt.Sprintf("executions left: about %s (at most %s)", rounded(left), rounded(most))
	}
	return fmt.Sprintf("executions left: about %s (%s to %s)",
		rounded(left), rounded(least), rounded(most))
}

// rounded writes x with two significant digits.
func rounded(x float64) string {
	x = max(1, x)
	unit := math.Pow(10, max(0, math.Floor(math.Log10(x))-1))
	return grouped(int64(math.Round(x/unit) * unit))
}
