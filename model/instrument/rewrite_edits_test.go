package instrument

import "testing"

func TestEditsNest(t *testing.T) {
	src := []byte("f(x.Load())")
	var e edits
	e.front(0, "A(")
	e.behind(11, ")A")
	e.front(0, "B(")
	e.behind(11, ")B")
	e.replace(0, 1, "g")
	e.front(2, "C(")
	e.replace(3, 10, "")
	e.behind(10, ")C")
	e.front(10, "D")
	if got, want := string(e.apply(src)), "A(B(g(C(x)CD))B)A"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOverlappingEditsPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	var e edits
	e.replace(0, 4, "")
	e.front(2, "x")
	e.apply([]byte("abcdef"))
}
