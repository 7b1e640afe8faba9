// Package library holds programs that share state through the standard library.
package library

import (
	"bytes"
	"crypto/rand"
	"encoding/gob"
	"encoding/json"
	"expvar"
	"flag"
	"fmt"
	"go/token"
	htmltemplate "html/template"
	"io"
	"log/slog"
	mathrand "math/rand"
	randv2 "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"text/template"
	"weak"

	"github.com/surewake/surewake/model"
)

// verdict: said environment.*os.Setenv .*library_test.go:[0-9]+
func TestEnvironment(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		os.Unsetenv("SUREWAKE_NAME")
		x.Go("set", func() { os.Setenv("SUREWAKE_NAME", "1") })
		x.Go("get", func() { x.Assert(os.Getenv("SUREWAKE_NAME") != "", "not yet set") })
		x.Join()
	})
}

// verdict: said variables of the standard library.*os.Stdout
func TestOutputIsReplaced(t *testing.T) {
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	model.Check(t, func(x *model.Exec) {
		x.Go("replace", func() { os.Stdout = os.Stderr })
		x.Go("other", func() {})
		x.Join()
	})
}

var setenv, exit = os.Setenv, os.Exit

// What counts is where a function is called, not where it was put into a variable.
//
// verdict: said environment.*os.Setenv
func TestFunctionInAVariable(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("set", func() { setenv("SUREWAKE_NAME", "1") })
		x.Go("get", func() { os.Getenv("SUREWAKE_NAME") })
		x.Join()
	})
}

// verdict: said os.Exit is not modelled
func TestExitInAVariable(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("exit", func() { exit(0) })
		x.Join()
	})
}

// verdict: said files.*os.Remove
func TestDeferredCall(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	model.Check(t, func(x *model.Exec) {
		defer os.Remove(name)
		x.Go("look", func() { _, err := os.Lstat(name); _ = err })
	})
}

// verdict: said locks of their own.*slog.LevelVar.Set
func TestMethodInAVariable(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var lv slog.LevelVar
		set := lv.Set
		x.Go("set", func() { set(slog.LevelError) })
		x.Go("other", func() {})
		x.Join()
	})
}

// The working directory is seen by each use of a relative name.
//
// verdict: said environment.*os.Chdir
func TestWorkingDirectory(t *testing.T) {
	dir := t.TempDir()
	model.Check(t, func(x *model.Exec) {
		x.Go("set", func() { os.Chdir(dir) })
		x.Go("get", func() { os.Getwd() })
		x.Join()
	})
}

// verdict: said files.*os.Stat.*os.WriteFile
func TestFileIsThere(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	model.Check(t, func(x *model.Exec) {
		os.Remove(name)
		x.Go("make", func() { os.WriteFile(name, nil, 0o600) })
		x.Go("look", func() { _, err := os.Stat(name); x.Assert(err == nil, "not yet there") })
		x.Join()
	})
}

// Two goroutines look for a file and make it.
//
// verdict: said files.*os.Stat.*os.WriteFile
func TestFileIsALock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	model.Check(t, func(x *model.Exec) {
		os.Remove(name)
		var inside atomic.Int32
		for range 2 {
			x.Go("owner", func() {
				if _, err := os.Stat(name); err != nil {
					os.WriteFile(name, nil, 0o600)
					inside.Add(1)
				}
			})
		}
		x.Join()
		x.Assert(inside.Load() == 1, "two are inside")
	})
}

// The file was opened before there was a second goroutine, and stands behind an interface.
//
// verdict: said files.*os.File
func TestFileBehindAnInterface(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	model.Check(t, func(x *model.Exec) {
		for _, c := range "ab" {
			x.Go("writer", func() { fmt.Fprintf(f, "%c", c) })
		}
		x.Join()
	})
}

// verdict: said methods that are called by reflection.*template.Template.Execute
func TestTemplateCallsAnAtomic(t *testing.T) {
	tm := template.Must(template.New("").Parse("{{.Load}}"))
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int64
		x.Go("get", func() {
			var b bytes.Buffer
			tm.Execute(&b, &n)
			x.Assert(b.String() != "1", "after the store")
		})
		x.Go("set", func() { n.Store(1) })
		x.Join()
	})
}

// verdict: said methods that are called by reflection.*template.Template.Execute
func TestTemplateReceives(t *testing.T) {
	tm := htmltemplate.Must(htmltemplate.New("").Parse("{{len .}}"))
	model.Check(t, func(x *model.Exec) {
		c := make(chan int, 1)
		x.Go("get", func() {
			var b bytes.Buffer
			tm.Execute(&b, c)
			x.Assert(b.String() != "1", "after the send")
		})
		x.Go("set", func() { c <- 1 })
		x.Join()
	})
}

// verdict: said locks of their own.*template.Template.Parse
func TestTemplateIsParsedWhileItIsLookedUp(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		tm := template.New("")
		x.Go("look", func() { x.Assert(tm.Lookup("a") == nil, "after it was parsed") })
		x.Go("parse", func() { tm.Parse(`{{define "a"}}{{end}}`) })
		x.Join()
	})
}

// verdict: FAILED after the send
func TestLengthByReflection(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int, 1)
		x.Go("get", func() { x.Assert(reflect.ValueOf(c).Len() != 1, "after the send") })
		x.Go("set", func() { c <- 1 })
		x.Join()
	})
}

// verdict: proved without assumptions
func TestLengthOfOtherValuesByReflection(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for _, v := range []any{[]int{1}, "a", map[int]int{1: 1}, [1]int{}} {
			x.Go("get", func() {
				rv := reflect.ValueOf(v)
				p := &rv
				x.Assert(p.Len() == 1 && rv.Len() == 1, "a length")
			})
		}
		x.Join()
	})
}

// verdict: said random.*rand.Intn
func TestRandomNumber(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("one", func() { x.Assert(mathrand.Intn(1<<30) != 1, "the one") })
		x.Join()
	})
}

// verdict: said random.*rand.N
func TestGenericRandomNumber(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("one", func() { x.Assert(randv2.N(1<<30) != 1, "the one") })
		x.Join()
	})
}

// verdict: said random.*rand.Reader
func TestRandomBytes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("one", func() { io.ReadFull(rand.Reader, make([]byte, 8)) })
		x.Join()
	})
}

// verdict: proved without assumptions
func TestSeededNumbers(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for range 2 {
			x.Go("one", func() {
				r := mathrand.New(mathrand.NewSource(1))
				s := randv2.New(randv2.NewPCG(1, 2))
				x.Assert(r.Intn(10) < 10 && s.IntN(10) < 10, "a digit")
			})
		}
		x.Join()
	})
}

// verdict: said garbage collector.*runtime.GC.*weak.Pointer.Value
func TestWeakPointer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		p := new([64]int)
		w := weak.Make(p)
		x.Go("collect", func() { runtime.GC() })
		x.Join()
		x.Assert(w.Value() != nil || p == nil, "gone")
		runtime.KeepAlive(p)
	})
}

// verdict: said system.*debug.SetGCPercent
func TestSettingOfTheRuntime(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("set", func() { debug.SetGCPercent(debug.SetGCPercent(100)) })
		x.Go("get", func() {})
		x.Join()
	})
}

// verdict: said variables of the standard library.*gob.Register
func TestRegistry(t *testing.T) {
	type local struct{ N int }
	model.Check(t, func(x *model.Exec) {
		x.Go("register", func() { gob.Register(local{}) })
		x.Go("other", func() {})
		x.Join()
	})
}

// verdict: FAILED data race
func TestFlag(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("set", func() { flag.Set("test.v", "false") })
		x.Go("get", func() { _ = flag.Lookup("test.v").Value.String() })
		x.Join()
	})
}

// verdict: said locks of their own.*token.FileSet.AddFile
func TestPositionsOfFiles(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		fset := token.NewFileSet()
		x.Go("a", func() { fset.AddFile("a", -1, 10) })
		x.Go("b", func() { x.Assert(fset.AddFile("b", -1, 10).Base() != 1, "b was first") })
		x.Join()
	})
}

// verdict: said locks of their own.*http.ServeMux.Handle
func TestRoutes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		mux := http.NewServeMux()
		x.Go("route", func() { mux.Handle("/a", http.NotFoundHandler()) })
		x.Go("ask", func() {
			mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/a", nil))
		})
		x.Join()
	})
}

// verdict: said locks of their own.*expvar.Int
func TestCounter(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n expvar.Int
		x.Go("get", func() { x.Assert(n.Value() == 0, "after the addition") })
		x.Go("add", func() { n.Add(1) })
		x.Join()
	})
}

// A handler is run without a server, and its lock is the program's.
//
// verdict: proved without assumptions
func TestHandler(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var hits atomic.Int32
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, r.URL.Path, hits.Add(1) > 0)
		})
		for range 2 {
			x.Go("request", func() {
				rec := httptest.NewRecorder()
				h.ServeHTTP(rec, httptest.NewRequest("GET", "/a", nil))
				x.Assert(rec.Body.String() == "/atrue", "%s", rec.Body)
			})
		}
		x.Join()
		x.Assert(hits.Load() == 2, "hits")
	})
}

// verdict: said not modelled
func TestConnection(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("a", func() { net.Dial("tcp", "localhost:1") })
		x.Join()
	})
}

// What has pools and caches, but nothing that one could see of them.
//
// verdict: proved without assumptions
func TestValues(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for range 2 {
			x.Go("work", func() {
				b, _ := json.Marshal(struct{ N int }{1})
				s := fmt.Sprintf("%s %v", b, slices.Sorted(slices.Values([]int{2, 1})))
				ok := regexp.MustCompile(`\d`).MatchString(strings.ToUpper(s))
				x.Assert(ok && net.ParseIP("::1") != nil, "%s", s)
			})
		}
		x.Join()
	})
}
