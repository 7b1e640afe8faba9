package runtime

import (
	"context"
	"testing"

	"github.com/surewake/surewake/model"
)

// The ends of two tasks are waited for, one of which has come already, and one, which is given
// twice, comes meanwhile. Each comes once; or at most once if the loop is left, and nothing stays
// with the tasks.
func TestEachEndComesOnce(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		had, comes := runningTask(), runningTask()
		tasks := [3]*task{had, comes, comes}
		ended := NewChannel[int](2 * len(tasks)) // an end that comes twice has room
		var ends [3]orderedEnd
		leaves := leaving(x)
		for i, target := range tasks {
			ends[i].task, ends[i].number, ends[i].ended = target, i, ended
		}
		had.complete(nil)
		x.Go("end", func() { comes.complete(nil) })
		for i := range ends {
			ends[i].add(ends[i].task) // of the same runtime
		}
		if leaves {
			for i := range ends {
				ends[i].remove()
			}
		}
		x.Join()
		var came [3]int
		for i, err := ended.TryReceive(); err == nil; i, err = ended.TryReceive() {
			came[i]++
		}
		for i, n := range came {
			x.Assert(n == 1 || n == 0 && leaves, "end %d comes %d times", i, n)
			x.Assert(len(tasks[i].listJoiners()) == 0, "something is left with task %d", i)
		}
	})
}

// A task waits for the ends of two others, one after another, and is cancelled: each comes once, or
// the last step says that it must end; nothing stays with them.
func TestACancelledTaskWaitsForNoEnd(t *testing.T) {
	for name, each := range map[string]func(cx Cx, handles []*Handle[int], came func(int)) error{
		"AsEnded": func(cx Cx, handles []*Handle[int], came func(int)) (told error) {
			for i, err := range AsEnded(cx, handles...) {
				if told = err; i >= 0 {
					came(i)
				}
			}
			return told
		},
		"Next": func(cx Cx, handles []*Handle[int], came func(int)) error {
			handles = append([]*Handle[int]{}, handles...)
			for range handles {
				i, err := Next(cx, handles...)
				if err != nil {
					return err
				}
				came(i)
				handles[i] = nil
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			checkTwo(t, func(x *model.Exec) {
				w := stillWorld(x, 1)
				var goOn Notify
				begun := make(chan struct{})
				targets := []*Handle[int]{
					Submit(w.Runtime, func(Cx) (int, error) { return 7, nil }),
					Submit(w.Runtime, func(cx Cx) (int, error) { return 7, goOn.Wait(cx) }),
				}
				var came [2]int
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					close(begun)
					err := each(cx, targets, func(i int) {
						_, _, ended := targets[i].TryJoin()
						x.Assert(ended, "task %d has not ended", i)
						came[i]++
					})
					for i := range targets {
						left := len(targets[i].listJoiners())
						x.Assert(left == 0, "something is left with task %d", i)
					}
					return 1, err
				})
				x.Go("events", func() {
					<-begun
					h.Cancel()
					goOn.Signal()
				})
				w.start()
				_, err := h.Wait(context.Background())
				x.Join()
				w.shutdown()
				all := came == [2]int{1, 1}
				x.Assert(came[0] <= 1 && came[1] <= 1, "they come so many times: %v", came)
				x.Assert(err == nil && all || err == ErrCancelled && !all, "%v, %v", err, came)
			})
		})
	}
}
