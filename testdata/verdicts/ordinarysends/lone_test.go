package sends

import (
	"sync"
	"testing"
)

// A select may have one case, a send: its value is known only when it is decided.
//
// verdict: proved without assumptions
func TestASelectOfOneSend(t *testing.T) {
	c := make(chan int)
	go func() {
		select {
		case c <- 4:
		}
	}()
	if v := <-c; v != 4 {
		t.Error(v)
	}
}

// verdict: proved without assumptions
func TestASelectOfOneSendMeetsSelects(t *testing.T) {
	c, d := make(chan string), make(chan string, 1)
	go func() {
		select {
		case c <- "a":
		}
	}()
	select {
	case v := <-c:
		if v != "a" {
			t.Error(v)
		}
	case <-d:
	}
}

// verdict: FAILED ^panic: .*send on closed channel
func TestASelectOfOneSendOnAClosedChannel(t *testing.T) {
	c := make(chan int)
	close(c)
	select {
	case c <- 1:
	}
}

// Who has received because of the close comes behind it, with a send too.
//
// verdict: proved without assumptions
func TestASendBehindAClose(t *testing.T) {
	c := make(chan int)
	var wg sync.WaitGroup
	wg.Go(func() { close(c) })
	wg.Go(func() {
		defer func() { recover() }()
		<-c
		c <- 4
	})
	wg.Wait()
}

// verdict: proved without assumptions
func TestASelectBehindAClose(t *testing.T) {
	c, told := make(chan int), make(chan bool)
	go func() { close(c) }()
	go func() { <-c; close(told) }()
	defer func() { recover() }()
	<-told
	select {
	case c <- 4:
	case <-told:
	}
}
