package runtime_test

import (
	"bytes"
	"context"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sw "github.com/surewake/surewake/runtime"
)

// nextLine is the place of the line after the call.
func nextLine() string {
	_, file, line, _ := runtime.Caller(1)
	return regexp.QuoteMeta(file) + ":" + strconv.Itoa(line+1) + `\b`
}

// The literal that AsEnded returns is compiled into the loop that runs it.
func TestALoopOverEndsIsToldByItsLine(t *testing.T) {
	rt, err := sw.New(sw.Workers(1), sw.Debug())
	require.NoError(t, err)
	defer rt.Close()
	never := sw.NewChannel[int](0)
	first := sw.Submit(rt, func(cx sw.Cx) (int, error) { return never.Receive(cx) })
	waits := make(chan string, 1)
	second := sw.Submit(rt, func(cx sw.Cx) (int, error) {
		waits <- nextLine()
		for range sw.AsEnded(cx, first) {
		}
		return 0, nil
	})
	want := regexp.MustCompile("waits in AsEnded, " + <-waits)
	require.Eventually(t, func() bool {
		var b bytes.Buffer
		require.NoError(t, rt.Dump(&b))
		return want.Match(b.Bytes())
	}, 20*time.Second, time.Millisecond)
	require.NoError(t, never.Close())
	_, err = second.Wait(context.Background())
	require.NoError(t, err)
}

func TestACircleThroughALoopOverEndsIsToldByItsLine(t *testing.T) {
	rt, err := sw.New(sw.Workers(1), sw.Debug())
	require.NoError(t, err)
	defer rt.Close()
	var parent *sw.Handle[string]
	begun := make(chan bool)
	parent = sw.Submit(rt, func(cx sw.Cx) (string, error) {
		<-begun
		line := ""
		child := sw.Spawn(cx, func(cx sw.Cx) (int, error) {
			line = nextLine()
			for range sw.AsEnded(cx, parent) {
			}
			return 0, nil
		})
		_, err := child.Join(cx)
		return line, err
	})
	begun <- true
	line, err := parent.Wait(context.Background())
	require.Regexp(t, "AsEnded: tasks must not wait for each other in a circle:\n.* waits in "+line, err)
}
