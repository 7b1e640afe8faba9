package instrument

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/stdlib"
)

// The table says of a function or method that it is modelled if and only if there is a hook.
func TestWhatTheTableCallsModelledHasAHook(t *testing.T) {
	hooked := map[string]bool{"sync.Locker.Lock": true, "sync.Locker.Unlock": true}
	for path, types := range hookedMethods {
		for name, methods := range types {
			for m := range methods {
				hooked[path+"."+name+"."+m] = true
			}
		}
	}
	for name := range hookedFuncs {
		hooked[name] = true
	}
	for name := range renamedFuncs {
		hooked[name] = true
	}
	for name := range aroundFuncs {
		if stdlib.Lookup(name).Assumed() == "" { // others are named besides
			hooked[name] = true
		}
	}
	for name := range futexCalls {
		hooked[name] = true
	}
	for name := range finders {
		hooked[name] = true
	}
	for name := range hooked {
		if !strings.HasPrefix(name, "golang.org/") {
			require.Equal(t, stdlib.Model, stdlib.Lookup(name), name)
		}
	}
	text, err := os.ReadFile("../stdlib/table.txt")
	require.NoError(t, err)
	path, n := "", 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case !strings.HasPrefix(line, "\t"):
			path = words[0]
		case words[0] == "model" && path != "sync/atomic":
			for _, name := range words[1:] {
				require.True(t, hooked[path+"."+name], "%s.%s has no hook", path, name)
				n++
			}
		}
	}
	require.Greater(t, n, 50)
}
