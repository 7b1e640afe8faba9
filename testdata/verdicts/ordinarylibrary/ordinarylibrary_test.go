// Package ordinarylibrary has ordinary tests that change what belongs to the standard library.
package ordinarylibrary

import (
	"flag"
	"go/build"
	"hash/crc32"
	"log"
	"net/http"
	"os"
	"sync"
	"testing"
	"unicode"
)

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
