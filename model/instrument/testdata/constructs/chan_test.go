package t

import (
	"fmt"
	"reflect"
	"testing"
)

type chanOf[T any] interface{ ~chan T }

type ints2 chan int

type yes bool

func sendTo[C chanOf[T], T any](c C, v T) T {
	c <- v
	return <-c
}

func drain[C ~chan T, T any](c C) (n int) {
	for range c {
		n++
	}
	return n + len(c) + cap(c)
}

func firstOf[C ~chan T | ~<-chan T, T any](a, b C) T {
	select {
	case v := <-a:
		return v
	case v, ok := <-b:
		if !ok {
			panic("closed")
		}
		return v
	}
}

func TestChannels(t *testing.T) {
	c := make(ints2, 4)
	c <- 1
	c <- <-c + 1
	v, ok := <-c
	eq(t, v, 2)
	eq(t, ok, true)
	c <- 7
	var w, said = <-c
	eq(t, fmt.Sprint(w, said), "7 true")
	var mine yes
	c <- 8
	v, mine = (<-c)
	eq(t, mine, yes(true))
	var asAny any
	c <- 5
	asAny, ok = <-c
	eq(t, asAny, any(5))
	eq(t, len(c)+cap(c), 4)
	eq(t, sendTo(c, 5), 5)
	c <- 1
	c <- 2
	close(c)
	for range c {
		c = c
	}
	c = make(ints2, 4)
	c <- 1
	c <- 2
	close(c)
	for v := range c {
		v := v
		_ = v
	}
	eq(t, drain(c), 4)
	var fs []func() int
	c = make(ints2, 4)
	c <- 1
	c <- 2
	close(c)
	for v := range c {
		fs = append(fs, func() int { return v })
		if v == 1 {
			continue
		}
	}
	eq(t, fs[0]()+10*fs[1](), 21)
	xs := make([]int, 2)
	c = make(ints2, 4)
	c <- 3
	close(c)
	i := 1
	for xs[i] = range c {
		i = 0
	}
	eq(t, fmt.Sprint(xs), "[0 3]")
outer:
	for {
		c = make(ints2, 2)
		c <- 1
		c <- 2
		for v = range c {
			if v == 2 {
				break outer
			}
		}
	}
	func() {
		d := make(chan struct{})
		defer func() { <-d }()
		defer close(d)
	}()
	d := make(chan error, 1)
	go close(d)
	<-d
	chans := map[string]chan int{"a": make(chan int, 1)}
	(chans["a"]) <- 1
	eq(t, <-(chans["a"]), 1)
	var recv <-chan int = chans["a"]
	var send chan<- int = chans["a"]
	send <- 8
	eq(t, len(send)+len(recv), 2)
	eq(t, <-recv, 8)
	eq(t, reflect.ValueOf(recv).Len(), 0)
	errs := make(chan error, 3)
	errs <- nil
	errs <- fmt.Errorf("no")
	eq(t, <-errs, error(nil))
	anys := make(chan any, 2)
	anys <- 1
	anys <- i == 0
	eq(t, fmt.Sprint(<-anys, <-anys), "1 true")
	eq(t, firstOf(make(<-chan int), func() <-chan int { c := make(chan int, 1); c <- 4; return c }()), 4)
}

// trail notes in which order the operands of a select are evaluated.
type trail []string

func (l *trail) ch(name string, c chan int) chan int {
	*l = append(*l, name)
	return c
}

func (l *trail) value(name string, v int) int {
	*l = append(*l, name)
	return v
}

func TestSelect(t *testing.T) {
	c := make(chan int, 1)
	select {
	case c <- 3:
	default:
	}
	var ok bool
	var mine yes
	select {
	case v := <-c:
		eq(t, v, 3)
	case _, ok = <-make(chan int):
	}
	close(c)
	for range 2 {
		select {
		case _, mine = <-c:
			eq(t, mine, yes(false))
		}
	}
	_ = ok
	var l trail
	full := make(chan int, 1)
	full <- 1
	x := []int{0}
	select {
	case l.ch("a", full) <- l.value("b", 1):
		t.Error("full")
	case x[l.value("not", 0)], ok = <-l.ch("c", nil):
		t.Error("nil")
	case l.ch("d", full) <- l.value("e", 2):
		t.Error("full")
	default:
		l.value("default", 0)
	}
	eq(t, fmt.Sprint(l), "[a b c d e default]")
	select {
	case x[l.value("now", 0)] = <-full:
	case full <- 1:
	}
	eq(t, x[0], 1)
	n := 0
block:
	for {
		select {
		default:
			break block
		}
	}
both:
	select {
	case full <- n + 1:
		if n == 0 {
			break both
		}
		n = 100
	}
	eq(t, n, 0)
again:
	select {
	case <-full:
		n++
		goto again
	default:
		n += 10
	}
	eq(t, n, 11)
	if false {
		select {}
	}
	bools := make(chan myBool, 1)
	select {
	case bools <- n == 11:
	}
	eq(t, <-bools, myBool(true))
	nested := func() int {
		select {
		case c := <-func() chan int {
			select {
			case v := <-func() chan int { c := make(chan int, 1); c <- 5; return c }():
				full <- v
			}
			return full
		}():
			select {
			case full <- c + 1:
				return <-full
			}
		}
	}
	eq(t, nested(), 6)
	var none chan int
	select {
	case <-none:
	case none <- func() int { return 1 }():
	default:
		n = -1
	}
	eq(t, n, -1)
	errs := make(chan error, 1)
	select {
	case errs <- fmt.Errorf("x"):
	}
	select {
	case err := <-errs:
		eq(t, err.Error(), "x")
	}
	eq(t, here(), 254)
}

// never returns a value: the select is its terminating statement.
func never() int {
	select {}
}

func tagged() int {
	_ = never
	c := make(chan int, 1)
L:
	select {
	case c <- 1:
		if len(c) == 2 {
			goto L
		}
		return 1
	}
}

func closeSome[C chan int | chan string](c C) int {
	defer close(c)
	return len(c)
}

func closeSomeLater[C chan int | chan<- string](c C) { go close(c) }

// A type parameter may stand for channels of several types.
func TestChannelsOfSeveralTypes(t *testing.T) {
	c, d := make(chan int, 2), make(chan string)
	c <- 1
	eq(t, closeSome(c), 1)
	eq(t, closeSome(make(chan string, 1)), 0)
	eq(t, <-c, 1)
	_, open := <-c
	eq(t, open, false)
	closeSomeLater[chan<- string](d)
	eq(t, <-d, "")
}
