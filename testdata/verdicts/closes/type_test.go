package closes

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func closeAny[C chan int | chan string](c C) int {
	defer close(c)
	return len(c)
}

func closeLater[C chan int | chan<- string](c C) { go close(c) }

// A type parameter may stand for channels of several types.
//
// verdict: proved
func TestCloseOfATypeParameter(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, d := make(chan int, 2), make(chan string)
		c <- 1
		x.Assert(closeAny(c) == 1 && closeAny(make(chan string)) == 0, "len")
		closeLater[chan<- string](d)
		<-c
		_, ok := <-c
		x.Assert(!ok, "it is open")
		<-d
	})
}

// verdict: FAILED close of closed channel
func TestTwoCloseATypeParameter(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		closeLater(c)
		closeLater(c)
		<-c
	})
}
