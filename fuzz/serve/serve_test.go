package serve_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/surewake/surewake/fuzz/serve"
)

// TestServe answers requests until there are no more. Without the environment
// variable there are none.
func TestServe(t *testing.T) {
	if os.Getenv(serve.Variable) == "" {
		return
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	out := json.NewEncoder(os.NewFile(3, "answers"))
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r serve.Request
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		var a serve.Answer
		if r.Mode == serve.Native {
			a = native(t, r)
		} else {
			a = explored(r)
		}
		if err := out.Encode(a); err != nil {
			t.Fatal(err)
		}
	}
}
