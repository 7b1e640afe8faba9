// Package cover has each construct that begins or ends a block of statements.
package cover

// Declared here, the names of the language mean something else.
const (
	bool  = 1
	uint8 = 2
)

var table = map[string]func(int) int{
	"one": func(n int) int { return n },
	"two": func(n int) int {
		if n > bool+uint8 {
			return 2 * n
		}
		return n
	},
}

func call(int) int { return 1 }

func _() { call(0) }

func empty() {}

func elses(n int) int {
	if n == 1 {
		call(1)
	} else if n == 2 {
		call(2)
	} else /* else */ if m := call(n); m == 3 { // else
		call(3)
	} else {
		call(4)
	}
	if n > 4 {
	} else {
		call(5)
	}
	if f := func() int { return call(6) }; f() > 1 {
		return n
	}
	return call(7)
}

func labels(n int) {
	i := 0
again:
	i++
	if i < n {
		goto again
	}
	if n > 9 {
		goto end
	}
	call(8)
loop:
	for j := range n {
		switch {
		case j == 2:
			continue loop
		case j == 3:
			break loop
		}
		call(9)
	}
end:
}

func clauses(n int, x any, c chan int) {
	switch n {
	}
	switch x.(type) {
	}
	switch m := call(10); m {
	case 1:
		call(11)
		fallthrough
	case 2, 3:
		call(12)
	case 4:
	default:
		call(13)
	}
	switch y := x.(type) {
	case int:
		call(y)
	case string, nil:
		call(14)
	}
	select {
	case v := <-c:
		call(v)
	case c <- call(15):
	case <-c:
		call(16)
	default:
		call(17)
	}
}

func literals(n int) (err error) {
	defer func() { call(18) }()
	go func() {
		for i := 0; i < n; i++ {
			call(19)
		}
	}()
	if n < 0 {
		panic("negative")
	}
	f, g := func() { call(20) }, func() { call(21) }
	f()
	g()
	{
		call(22)
		call(23)
	}
	for {
		if call(24) == 1 {
			return nil
		}
	}
}
