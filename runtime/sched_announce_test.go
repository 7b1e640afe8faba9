package runtime

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// blockUntil blocks the calling worker until another one has run one of some tasks.
func blockUntil(t *testing.T, handles ...*Handle[int]) {
	t.Helper()
	for range 200_000 { // more than 20 s
		time.Sleep(100 * time.Microsecond)
		for _, h := range handles {
			if _, _, ended := h.TryJoin(); ended {
				return
			}
		}
	}
	t.Error("no other worker was told of the task")
}

// besideASleeper runs f on one of two workers, while the other sleeps.
func besideASleeper(t *testing.T, f func(cx Cx), options ...Option) {
	t.Helper()
	rt, err := New(append(options, Workers(2), RescueInterval(0))...)
	require.NoError(t, err)
	h := Submit(rt, func(cx Cx) (int, error) {
		for rt.idle.Parked() == 0 || rt.idle.Searching() > 0 {
			time.Sleep(100 * time.Microsecond)
		}
		f(cx)
		return 0, nil
	})
	_, err = h.Wait(t.Context())
	require.NoError(t, err)
	require.NoError(t, rt.Close())
}

func one(Cx) (int, error) { return 1, nil }

// A task that has had its polls from the slot moves to the ring, and others are told. (runtime/R6)
func TestWhatLeavesTheSlotIsAnnounced(t *testing.T) {
	besideASleeper(t, func(cx Cx) {
		h := Spawn(cx, one)
		cx.Yield()
		blockUntil(t, h)
	}, LIFOCap(0))
}

// A task that yields is not announced as long as it is alone in the ring. Others are told when
// there is a second one.
func TestASecondTaskAtTheBackIsAnnounced(t *testing.T) {
	besideASleeper(t, func(cx Cx) {
		w := cx.coroutine.worker
		var handles []*Handle[int]
		for range 2 {
			handles = append(handles, Spawn(cx, one))
			w.pushBack(w.slot.Swap(nil))
		}
		blockUntil(t, handles...)
	})
}

// So are others of what a worker was handed when it is handed another.
func TestWhatAnotherTakesTheHandOfIsAnnounced(t *testing.T) {
	besideASleeper(t, func(cx Cx) {
		w := cx.coroutine.worker
		first := Spawn(cx, one)
		w.hand(w.slot.Swap(nil))
		Spawn(cx, one).Detach()
		w.hand(w.slot.Swap(nil))
		blockUntil(t, first)
		w.unhand()
	})
}

// Nor is it alone when its worker takes a task from elsewhere: others are told.
func TestATaskAtTheBackIsAnnouncedBeforeAForeignOne(t *testing.T) {
	besideASleeper(t, func(cx Cx) {
		w := cx.coroutine.worker
		h := Spawn(cx, one)
		w.pushBack(w.slot.Swap(nil))
		w.afterForeignTask(nil)
		blockUntil(t, h)
	})
}

// The end of a tick within a task may put what is ready into the ring. The task goes on, so others
// are told. (runtime/R63)
func TestTheEndOfATickWithinATaskAnnouncesWhatIsReady(t *testing.T) {
	besideASleeper(t, func(cx Cx) {
		w := cx.coroutine.worker
		h := Spawn(cx, one)
		w.pushBack(w.slot.Swap(nil)) // as deliverEvents does with the first of two
		w.tick.left = 1
		cx.budgetSpent()
		blockUntil(t, h)
	})
}

// What is due and had no room in the ring comes as soon as there is room, before what the injector
// has. (runtime/R13)
func TestWhatIsDueAndHadNoRoomComesBeforeTheInjector(t *testing.T) {
	rt, err := New(Workers(1), Ring(2), TickBudget(1_000_000), IdleBatch(1),
		InjectorInterval(time.Hour, 1000, 1000))
	require.NoError(t, err)
	const sleepers, pause = 8, 50 * time.Millisecond
	begun, foreign, last := 0, 0, 0
	h := Submit(rt, func(cx Cx) (int, error) {
		for range sleepers {
			cx.Go(func(cx Cx) {
				begun++
				_ = cx.Sleep(pause)
				last = foreign
			})
		}
		for begun < sleepers {
			cx.Yield()
		}
		for range 500 {
			rt.Go(func(Cx) { foreign++ })
		}
		time.Sleep(2 * pause)
		cx.coroutine.worker.lookForDue()
		return 0, nil
	})
	_, err = h.Wait(t.Context())
	require.NoError(t, err)
	require.NoError(t, rt.Shutdown(t.Context()))
	require.Less(t, last, 10)
}
