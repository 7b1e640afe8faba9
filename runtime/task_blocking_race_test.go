package runtime

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A thread whose time is up may be given a task before it can say so: here the lock is held until
// it waits for it.
func TestBlockingThreadIsGivenATaskAtTheLastMoment(t *testing.T) {
	const keep = time.Millisecond
	rt, err := New(Workers(1), BlockingThreads(1), BlockingKeepAlive(keep))
	require.NoError(t, err)
	p := &rt.blocking
	for i := range 60 {
		submit := func() {
			ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
			defer stop()
			v, err := SubmitBlocking(rt, func() (int, error) { return i, nil }).Wait(ctx)
			require.NoError(t, err)
			require.Equal(t, i, v)
		}
		submit()
		for p.idle.Load()+p.threads.Load() == 1 { // the thread has not yet come to wait
			time.Sleep(10 * time.Microsecond)
		}
		p.lock.Lock()
		time.Sleep(keep + time.Duration(i%10)*50*time.Microsecond)
		p.lock.Unlock() // who asks now mostly comes before who has waited
		submit()
	}
	require.NoError(t, rt.Close())
}
