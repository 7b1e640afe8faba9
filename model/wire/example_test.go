package wire_test

import (
	"fmt"

	"github.com/surewake/surewake/model/wire"
)

func ExampleParseToken() {
	t, err := wire.ParseToken("deque:TestStealOne:1f3a9c2e:3b2a")
	fmt.Println(t.Check, t.Schedule, err)
	_, err = wire.ParseToken("d:TestA:1f3a9c2e:3b0a")
	fmt.Println(err)
	// Output:
	// TestStealOne 3b2a <nil>
	// token "d:TestA:1f3a9c2e:3b0a": schedule "3b0a", character 3: a count of 0 is left out
}

func ExampleEncodeSchedule() {
	// The default policy goes on with the thread that ran last, thread 0 here.
	// Thread 1 is preferred at the third step, and stays; it then chooses 2.
	s := wire.EncodeSchedule(wire.Deviations([]wire.Decision{
		{Thread: 0, Default: 0},
		{Thread: 0, Default: 0},
		{Thread: 1, Default: 0},
		{Thread: 1, Default: 1, Chooses: true, Value: 2},
		{Thread: 1, Default: 1},
	}))
	fmt.Println(s)
	fmt.Println(wire.DecodeSchedule(s))
	// Output:
	// 2b1=2.
	// [{2 false 1 0} {4 true 0 2}] <nil>
}

func ExampleShortFunc() {
	fmt.Println(wire.ShortFunc("github.com/a/deque.(*Deque[...]).Push.func1"))
	fmt.Println(wire.ShortFunc("example.com/a.sw_init7.func1"))
	fmt.Println(wire.ShortFunc("example.com/a.sw2_init0"))
	fmt.Println(wire.ShortFunc("example.com/a.sw_initial"))
	// Output:
	// Deque.Push.func1
	// init.func1
	// init
	// sw_initial
}
