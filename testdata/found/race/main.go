// Command race shows the data races of model/FOUND.md in a plain Go program, which is to be built
// with -race: it runs itself, and says whether the race detector reported one.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/smallnest/chanx"
)

const asked = "RACE"

func main() {
	if os.Getenv(asked) != "" {
		unboundedLength()
		return
	}
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), asked+"=1")
	out, err := cmd.CombinedOutput()
	shown := err != nil && strings.Contains(string(out), "WARNING: DATA RACE") &&
		strings.Contains(string(out), "chanx.NewUnboundedChanSize")
	fmt.Printf("%-48s shown=%v\n", "chanx: Len beside what the channel does", shown)
	if !shown {
		os.Exit(1)
	}
}

func unboundedLength() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := chanx.NewUnboundedChanSize[int](ctx, 1, 1, 1)
	for i := range 1000 {
		c.In <- i
		c.Len()
	}
}
