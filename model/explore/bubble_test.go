//go:build !race

package explore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// What has no certificate is explored all the same, and says so.
func TestBubblesAndTimersHaveNoCertificate(t *testing.T) {
	timer := func() { hook.TimeAfterFunc(time.Second, func() { hook.Sleep(1) }) }
	for why, body := range map[string]func(){
		"a timer with a function": func() {
			timer()
			hook.Sleep(time.Hour)
		},
		"a bubble of testing/synctest": func() {
			explore.RunBubble(func() {
				timer()
				hook.Sleep(time.Hour)
				explore.QuietWait()
			})
		},
	} {
		res := explore.Run(explore.Config{Preemptions: -1, Certify: true}, body)
		require.Nil(t, res.Failure)
		require.NotZero(t, res.Complete)
		require.Equal(t, "refused "+why+"\n", res.Certificate)
	}
}

// Outside of an execution bubbles are those of package synctest: the hooks call it.
func TestNoBubbleOutsideOfAnExecution(t *testing.T) {
	require.False(t, explore.RunBubble(func() { t.Error("it ran") }))
	require.False(t, explore.QuietWait())
}
