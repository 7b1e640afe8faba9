// Package reflected has checks that reach channels by reflection.
package reflected

import (
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

func recvCase(c any) reflect.SelectCase {
	return reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}
}

func sendCase(c, v any) reflect.SelectCase {
	return reflect.SelectCase{
		Dir: reflect.SelectSend, Chan: reflect.ValueOf(c), Send: reflect.ValueOf(v),
	}
}

// merged receives from channels until all are closed.
func merged[T any](channels ...<-chan T) (all []T) {
	var cases []reflect.SelectCase
	for _, c := range channels {
		cases = append(cases, recvCase(c))
	}
	for len(cases) > 0 {
		i, v, ok := reflect.Select(cases)
		if !ok {
			cases = append(cases[:i], cases[i+1:]...)
			continue
		}
		all = append(all, v.Interface().(T))
	}
	return all
}

func source[T any](values ...T) <-chan T {
	c := make(chan T)
	go func() {
		defer close(c)
		for _, v := range values {
			c <- v
		}
	}()
	return c
}

// verdict: proved
func TestMerge(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		all := merged(source(1), source(2, 3))
		if len(all) != 3 || all[0]+all[1]+all[2] != 6 {
			t.Error(all)
		}
	})
}

// verdict: FAILED 1 came last
func TestMergeInOneOrder(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		if all := merged(source(1), source(2)); all[1] == 1 {
			t.Error("1 came last")
		}
	})
}

// verdict: FAILED select
func TestNobodySends(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		var none chan int
		reflect.Select([]reflect.SelectCase{recvCase(none), recvCase(make(chan int))})
	})
}

// verdict: proved
func TestHandedOver(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		c := make(chan *int)
		v := 0
		go func() {
			v = 1
			reflect.ValueOf(c).Send(reflect.ValueOf(&v))
		}()
		x, ok := reflect.ValueOf(c).Recv()
		if p := x.Interface().(*int); !ok || *p != 1 || x.CanAddr() {
			t.Error(ok, x)
		}
	})
}

// verdict: proved
func TestMergeBySends(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		c := make(chan string)
		var wg sync.WaitGroup
		for _, text := range []string{"a", "b"} {
			wg.Go(func() { reflect.Select([]reflect.SelectCase{sendCase(c, text)}) })
		}
		if all := <-c + <-c; all != "ab" && all != "ba" {
			t.Error(all)
		}
		wg.Wait()
	})
}

// Two selects meet: each offers on one channel, and takes from the other.
//
// verdict: proved
func TestTwoSelects(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		a, b := make(chan any), make(chan any)
		meet := func(out, in chan any, v int) {
			i, x, ok := reflect.Select([]reflect.SelectCase{sendCase(out, v), recvCase(in)})
			if i == 1 && (!ok || x.Interface() != 3-v) || x.IsValid() != (i == 1) {
				t.Error(i, x, ok)
			}
		}
		var wg sync.WaitGroup
		wg.Go(func() { meet(a, b, 1) })
		wg.Go(func() { meet(b, a, 2) })
		wg.Wait()
	})
}

// verdict: FAILED data race
func TestReceivedIsNotOrdered(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		c := reflect.MakeChan(reflect.TypeFor[chan any](), 1)
		v := 0
		go func() {
			v = 1
			c.Recv()
		}()
		c.Send(reflect.ValueOf("x"))
		v++
	})
}

// verdict: proved
func TestOffers(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		c := make(chan error, 1)
		v := reflect.ValueOf(c)
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { v.TrySend(reflect.ValueOf(fmt.Errorf("full"))) })
		}
		wg.Wait()
		x, ok := v.TryRecv()
		if !ok || x.Type() != reflect.TypeFor[error]() || len(c) != 0 {
			t.Error(x, ok)
		}
		if x, ok = v.TryRecv(); ok || x.IsValid() {
			t.Error(x, ok)
		}
		v.Close()
		if x, ok = v.TryRecv(); ok || !x.IsValid() || !x.IsNil() {
			t.Error(x, ok)
		}
	})
}

// verdict: FAILED two took it
func TestOfferThatIsLost(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		c := make(chan int, 1)
		c <- 1
		var wg sync.WaitGroup
		took := make(chan bool, 2)
		for range 2 {
			wg.Go(func() {
				if len(c) > 0 {
					_, ok := reflect.ValueOf(c).TryRecv()
					took <- ok
				}
			})
		}
		wg.Wait()
		close(took)
		for ok := range took {
			if !ok {
				t.Error("two took it")
			}
		}
	})
}

// verdict: FAILED send on closed channel
func TestSendBesideClose(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		c := reflect.ValueOf(make(chan int, 1))
		go c.Close()
		c.Send(reflect.ValueOf(1))
	})
}

// verdict: proved
func TestSendsAndDefault(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		a, b := make(chan int, 1), make(chan int)
		cases := []reflect.SelectCase{{Dir: reflect.SelectDefault}, sendCase(b, 2), sendCase(a, 1)}
		if i, v, ok := reflect.Select(cases); i != 2 || v.IsValid() || ok {
			t.Error(i, v, ok)
		}
		if i, _, _ := reflect.Select(cases); i != 0 {
			t.Error(i)
		}
		var wg sync.WaitGroup
		wg.Go(func() { reflect.Select(cases[1:]) })
		if v := <-b; v != 2 {
			t.Error(v)
		}
		wg.Wait()
	})
}

// What reflect refuses panics with its words, before anything waits.
//
// verdict: proved
func TestRefused(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		type hidden struct{ c chan int }
		c := make(chan int)
		in, out := (<-chan int)(c), (chan<- int)(c)
		one := reflect.ValueOf(1)
		for text, f := range map[string]func(){
			"reflect: send on recv-only channel": func() { reflect.ValueOf(in).Send(one) },
			"reflect: recv on send-only channel": func() { reflect.ValueOf(out).Recv() },
			"reflect.Value.Send: value of type string is not assignable to type int": func() {
				reflect.ValueOf(c).Send(reflect.ValueOf("x"))
			},
			"reflect: reflect.Value.Recv using value obtained using unexported field": func() {
				reflect.ValueOf(hidden{c}).Field(0).Recv()
			},
			"reflect: call of reflect.Value.TryRecv on int Value": func() { one.TryRecv() },
			"reflect.Select: multiple default cases": func() {
				reflect.Select([]reflect.SelectCase{
					{Dir: reflect.SelectDefault}, {Dir: reflect.SelectDefault},
				})
			},
			"reflect.Select: RecvDir case has Send value": func() {
				reflect.Select([]reflect.SelectCase{
					{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c), Send: one},
				})
			},
			"close of nil channel": func() { reflect.ValueOf((chan int)(nil)).Close() },
		} {
			func() {
				defer func() {
					got := recover()
					if e, ok := got.(*reflect.ValueError); ok {
						got = e.Error()
					}
					if fmt.Sprint(got) != text {
						t.Errorf("%v", got)
					}
				}()
				f()
			}()
		}
	})
}
