// Package ordinarylibrary has ordinary tests that change what belongs to the standard library.
package ordinarylibrary

import (
	"errors"
	"expvar"
	"flag"
	"fmt"
	"go/build"
	"hash/crc32"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"unicode"
)

// file is one of this process.
var file = filepath.Join(os.TempDir(), fmt.Sprint("ordinarylibrary.", os.Getpid()))

// An earlier process with the same number may have left its file.
func TestMain(m *testing.M) {
	os.Remove(file)
	code := m.Run()
	os.Remove(file)
	os.Exit(code)
}

// twice has two executions.
func twice() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { mu.Lock(); defer mu.Unlock() })
	}
	wg.Wait()
}

// verdict: proved, 2 traces
func TestHandleFunc(t *testing.T) {
	twice()
	http.HandleFunc("/a", func(http.ResponseWriter, *http.Request) {})
}

// verdict: proved, 2 traces
func TestFlag(t *testing.T) {
	twice()
	flag.Int("ordinarylibrary.n", 1, "")
}

// verdict: proved, 2 traces
func TestPrefix(t *testing.T) {
	twice()
	if log.Prefix() != "" {
		t.Fatal(log.Prefix())
	}
	log.SetPrefix("a: ")
}

// verdict: proved, 2 traces
func TestEnvironment(t *testing.T) {
	twice()
	if v, ok := os.LookupEnv("ORDINARYLIBRARY"); ok {
		t.Fatal(v)
	}
	if err := os.Setenv("ORDINARYLIBRARY", "a=b"); err != nil {
		t.Fatal(err)
	}
}

// verdict: proved, 2 traces
func TestArguments(t *testing.T) {
	twice()
	if n := len(os.Args); n > 0 && os.Args[n-1] == "more" {
		t.Fatal(os.Args)
	}
	os.Args = append(os.Args, "more")
}

// verdict: proved, 2 traces
func TestVariablesOfTheLibrary(t *testing.T) {
	twice()
	if build.Default.GOOS == "another" || crc32.IEEETable[3] == 7 ||
		unicode.Letter.R16[0].Stride == 9 {
		t.Fatal("what an execution has set")
	}
	build.Default.GOOS = "another"
	crc32.IEEETable[3] = 7
	unicode.Letter.R16[0].Stride = 9
}

// verdict: undecided it is the first of its process.*Reuse of exported var name
func TestPublish(t *testing.T) {
	twice()
	expvar.NewInt("ordinarylibrary.n")
}

// verdict: undecided it is the first of its process
func TestFile(t *testing.T) {
	twice()
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("there is one from before: ", os.Remove(file))
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
