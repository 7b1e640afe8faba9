package t

import (
	"net"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

type registry struct{ all map[*int][]string }

func set[K comparable](m map[K]int, k K) { m[k]++ }

// What is outside of a check, and keys that have no order of their own.
func TestOutside(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.list=^$")
	eq(t, cmd.Run(), nil)
	runtime.SetFinalizer(&registry{}, func(*registry) {})
	r := &registry{all: map[*int][]string{}}
	m, own, n := map[any]int{}, map[string]int{}, new(int)
	r.all[n], m[n] = append(r.all[n], "a"), 2
	set(m, any("b"))
	own["c"] = 1
	func() map[*int][]string { return r.all }()[nil] = nil
	if len(own) > 1 {
		net.DefaultResolver.PreferGo = true
		prefer := &net.DefaultResolver.PreferGo
		*prefer = true
	}
	eq(t, len(r.all[n])+m[n]+m["b"]+len(r.all)+own["c"], 7)
}
