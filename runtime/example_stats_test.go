package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"

	sw "github.com/surewake/surewake/runtime"
)

func ExampleRuntime_Stats() {
	rt, err := sw.New(sw.Workers(1))
	if err != nil {
		panic(err)
	}
	sum := sw.Submit(rt, func(cx sw.Cx) (int, error) {
		var parts [4]*sw.Handle[int]
		for i := range parts {
			parts[i] = sw.Spawn(cx, func(sw.Cx) (int, error) { return i, nil })
		}
		sum := 0
		for _, p := range parts {
			part, err := p.Join(cx)
			if err != nil {
				return 0, err
			}
			sum += part
		}
		return sum, nil
	})
	fmt.Println(sum.Wait(context.Background()))
	rt.Shutdown(context.Background()) // from here on, the numbers are exact

	s := rt.Stats()
	fmt.Println("tasks:", s.Spawned, "of which ended:", s.Completed)
	fmt.Println("polls:", s.Workers[0].Polled, "of which in joins:", s.Workers[0].Inlined)
	// Output:
	// 6 <nil>
	// tasks: 5 of which ended: 5
	// polls: 5 of which in joins: 4
}

// What package expvar publishes under a name is evaluated whenever somebody asks.
func ExampleRuntime_Vars() {
	rt, err := sw.New(sw.Workers(1))
	if err != nil {
		panic(err)
	}
	vars := rt.Vars() // expvar.Publish("tasks", rt.Vars())
	sw.Submit(rt, func(sw.Cx) (int, error) { return 0, nil }).Wait(context.Background())
	rt.Close()
	var s struct{ Spawned, Completed int }
	err = json.Unmarshal([]byte(vars.String()), &s)
	fmt.Println(s, err)
	// Output:
	// {1 1} <nil>
}
