package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each program, built through the rewriter, has exactly the traces it must
// have, in the plain run and in the race run.
func TestExactCounts(t *testing.T) {
	want := map[string][2]int64{ // complete, deadlocked
		"TestStoreBuffering":     {3, 0},
		"TestMessagePassing":     {3, 0},
		"TestLoadBuffering":      {3, 0},
		"Test2Plus2W":            {3, 0},
		"TestIRIW":               {15, 0},
		"TestIncrement/2":        {4, 0},
		"TestIncrement/3":        {60, 0},
		"TestABBA":               {2, 1},
		"TestCheckThenPark":      {2, 1},
		"TestAnnounceThenCheck":  {3, 0},
		"TestTreiber":            {4, 0},
		"TestChaseLev/1-1-0x1":   {8, 0},
		"TestChaseLev/2-2-0x1":   {18, 0},
		"TestChaseLev/5-3-2x1":   {59, 0},
		"TestChaseLev/5-3-2x2":   {3065, 0},
		"TestCondLosesItsSignal": {2, 1},
		"TestAdds":               {12870, 0},
		"TestPull/1":             {2, 0},
		"TestPull/2":             {6, 0},
		"TestPull/3":             {20, 0},
		"TestPullHandedOver":     {2, 0},
		"TestPullGoexit":         {2, 0},
		"TestRuntimeFunctions":   {2, 0},
		"TestRange":              {1, 0},
		"TestChannelAsMutex/2x1": {2, 0},
		"TestChannelAsMutex/2x3": {20, 0},
		"TestChannelAsMutex/3x2": {90, 0},
		"TestWorkOrEnd":          {1, 0},
		"TestEither":             {4, 0},
		"TestOffer":              {1, 1},
		"TestSelectsSend/1x1":    {1, 0},
		"TestSelectsSend/1x12":   {1, 0},
		"TestSelectsSend/2x1":    {2, 0},
		"TestSelectsSend/2x3":    {20, 0},
		"TestSelectsSend/3x2":    {90, 0},
		"TestBothSend/0":         {0, 1},
		"TestBothSend/1":         {1, 0},
		"TestValueOrTimeout/0":   {1, 0},
		"TestValueOrTimeout/1":   {3, 0},
		"TestTimePasses":         {1, 0},
		"TestStop/0":             {1, 0},
		"TestStop/1":             {2, 0},
		"TestAfterFunc":          {1, 0},
		"TestCancel/1":           {1, 0},
		"TestCancel/2":           {1, 0},
		"TestCancel/3":           {1, 0},
		"TestErr":                {2, 0},
		"TestDeadline":           {1, 0},
		"TestCustomContext":      {1, 0},
		"TestLastZero":           {64, 0},
		"TestCrowd/0":            {8100, 0},
		"TestCrowd/2":            {8100, 0},
	}
	factorial := func(n int) int64 {
		f := int64(1)
		for i := 2; i <= n; i++ {
			f *= int64(i)
		}
		return f
	}
	for n := 1; n <= 6; n++ {
		want[fmt.Sprint("TestWriters/", n)] = [2]int64{factorial(n), 0}
	}
	for n := 1; n <= 8; n++ {
		want[fmt.Sprint("TestReaders/", n)] = [2]int64{1 << n, 0}
		want[fmt.Sprint("TestReadersOfOne/", n)] = [2]int64{1 << n, 0}
	}
	for n := 1; n <= 4; n++ {
		want[fmt.Sprint("TestValuesOrTimeouts/", n)] = [2]int64{[]int64{1, 3, 9, 27, 81}[n], 0}
		want[fmt.Sprint("TestSleeps/", n)] = [2]int64{1, 0}
		want[fmt.Sprint("TestPullUnderAMutex/", n)] = [2]int64{factorial(n), 0}
	}
	for n := 1; n <= 7; n++ {
		want[fmt.Sprint("TestCAS/", n)] = [2]int64{int64(n), 0}
	}
	for _, c := range []struct{ n, k int }{
		{2, 1}, {2, 2}, {2, 3}, {2, 5}, {3, 1}, {3, 2}, {4, 1}, {4, 2},
	} {
		traces := factorial(c.n * c.k)
		for range c.n {
			traces /= factorial(c.k)
		}
		want[fmt.Sprintf("TestMutex/%dx%d", c.n, c.k)] = [2]int64{traces, 0}
	}

	for _, capacity := range []int{0, 1, 2, 4} {
		want[fmt.Sprint("TestPipe/", capacity)] = [2]int64{1, 0}
	}
	for n := 1; n <= 5; n++ {
		for _, capacity := range []int{0, 1, 5} {
			want[fmt.Sprintf("TestSenders/%d-%d", n, capacity)] = [2]int64{factorial(n), 0}
		}
		want[fmt.Sprint("TestReceivers/", n)] = [2]int64{factorial(n), 0}
		want[fmt.Sprint("TestClose/", n)] = [2]int64{1, 0}
	}
	for n := 1; n <= 4; n++ {
		want[fmt.Sprint("TestPolls/", n)] = [2]int64{2, 0}
	}

	// The counts are those of the first of the two ways in which time passes.
	rows, _ := surewake(t, ".", "check", "-time=synctest", "-json", "./testdata/counts").Rows(t)
	got := map[string][2]int64{}
	for _, r := range rows {
		got[r.Name] = [2]int64{r.Complete, r.Deadlocked}
		if r.Name != "TestChaseLev/5-3-2x2" { // it compares and swaps, and so has no wakeup trees
			require.Zero(t, r.Pruned, "executions of %s that were cut short", r.Name)
		}
	}
	require.Equal(t, want, got)
}
