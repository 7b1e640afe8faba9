package gotests

import (
	"fmt"
	"go/build"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/driver"
)

// The pipes of the checker are written by hand. Here small programs run on them and on the text
// that GOROOT has, copied into a module where it is rewritten and explored as any other code: the
// outcomes must be the same. A closer ends what waits, so that none of the programs has a deadlock.

// pipeHarness runs the steps of a program, a goroutine for each list of them, and notes what they
// saw in a file.
const pipeHarness = `package pipes

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/surewake/surewake/model"

	originalio "pipes/io"
	originalnet "pipes/net"
)

var errOwn = errors.New("own")

type closer interface{ CloseWithError(error) error }

func step(r io.Reader, w io.Writer, op string) string {
	n := int(op[1] - '0')
	var b [9]byte
	switch op[0] {
	case 'w':
		n, err := w.Write([]byte("abcdefghi")[:n])
		return fmt.Sprint(n, err)
	case 'r':
		n, err := r.Read(b[:n])
		return fmt.Sprint(string(b[:n]), err)
	case 'c':
		w.(io.Closer).Close()
	case 'o':
		w.(closer).CloseWithError(errOwn)
	case 'q':
		r.(closer).CloseWithError(errOwn)
	case 'd':
		r.(net.Conn).SetReadDeadline(time.Unix(1, 0))
	case 'f':
		w.(net.Conn).SetWriteDeadline(time.Unix(1, 0))
	case 'z':
		w.(net.Conn).SetDeadline(time.Time{})
	}
	return op
}

func run(t *testing.T, make func() ([]io.Reader, []io.Writer), threads ...[]string) {
	seen := map[string]bool{}
	f, err := os.Create(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	model.Check(t, func(x *model.Exec) {
		rs, ws := make()
		saw := [9]string{}
		for i, ops := range threads {
			x.Go("thread", func() {
				for _, op := range ops {
					saw[i] += step(rs[i%len(rs)], ws[i%len(ws)], op) + ", "
				}
			})
		}
		x.Go("closer", func() { rs[0].(io.Closer).Close() })
		x.Join()
		if s := fmt.Sprintf("%q\n", saw[:len(threads)]); !seen[s] {
			seen[s] = true
			io.WriteString(f, s)
		}
	})
}

func hooked() ([]io.Reader, []io.Writer) {
	r, w := io.Pipe()
	return []io.Reader{r}, []io.Writer{w}
}

func original() ([]io.Reader, []io.Writer) {
	r, w := originalio.Pipe()
	return []io.Reader{r}, []io.Writer{w}
}

func hookedConn() ([]io.Reader, []io.Writer) {
	a, b := net.Pipe()
	return []io.Reader{a, b}, []io.Writer{a, b}
}

func originalConn() ([]io.Reader, []io.Writer) {
	a, b := originalnet.Pipe()
	return []io.Reader{a, b}, []io.Writer{a, b}
}
`

// pipeProgram draws two or three lists of steps.
func pipeProgram(seed uint64, ops []string) (threads []string) {
	rng := rand.New(rand.NewPCG(seed, 0))
	steps := [][]int{{2, 2}, {1, 1, 1}, {1, 3}, {3, 1}}[seed/2%4]
	for i, n := range steps {
		var list []string
		for j := range n {
			op := ops[rng.IntN(len(ops))]
			if j == 0 {
				op = []string{"r", "w", "w"}[i]
			}
			list = append(list, fmt.Sprintf("%q", op+"011223"[rng.IntN(6):][:1]))
		}
		threads = append(threads, "[]string{"+strings.Join(list, ", ")+"}")
	}
	return threads
}

func TestPipesDoWhatThoseOfGoDo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	t.Parallel()
	root := t.TempDir()
	writeModule(t, root)
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	write("go.mod", strings.Replace(string(gomod), "module gotests", "module pipes", 1))
	for path, rest := range map[string]string{
		"io": "package io\n\nimport original \"io\"\n\nvar EOF = original.EOF\n",
		"net": "package net\n\nimport \"net\"\n\n" +
			"type (\n\tConn = net.Conn\n\tAddr = net.Addr\n\tOpError = net.OpError\n)\n",
	} {
		text, err := os.ReadFile(filepath.Join(build.Default.GOROOT, "src", path, "pipe.go"))
		require.NoError(t, err)
		write(path+"/pipe.go", string(text))
		write(path+"/rest.go", rest)
	}
	var b strings.Builder
	b.WriteString(pipeHarness)
	var names []string
	for seed := range uint64(60) {
		pipe, ops := "", []string{"r", "w", "c", "o", "q"}
		if seed%2 == 1 {
			pipe, ops = "Conn", []string{"r", "w", "c", "d", "f", "z"}
		}
		threads := strings.Join(pipeProgram(seed, ops), ", ")
		for _, kind := range []string{"hooked", "original"} {
			fmt.Fprintf(&b, "\nfunc Test_%s%d(t *testing.T) { run(t, %s%s, %s) }\n",
				kind, seed, kind, pipe, threads)
		}
		names = append(names, fmt.Sprint(seed))
	}
	write("pipes_test.go", b.String())
	command := filepath.Join(t.TempDir(), "surewake")
	out, err := exec.Command("go", "build", "-o", command, "../..").CombinedOutput()
	require.NoError(t, err, "%s", out)
	rows := map[string]driver.Row{}
	for _, row := range rowsOf(t, command, root, "-race=false", "-budget", "20s,20000x", ".") {
		rows[row.Name] = row
	}
	compared, outcomes := 0, 0
	for _, name := range names {
		hooked, original := rows["Test_hooked"+name], rows["Test_original"+name]
		require.Equal(t, "races not checked", hooked.Bounded, "%s: %s", name, hooked.Message)
		if original.Bounded != "races not checked" {
			continue
		}
		saw, want := outcomesOf(t, root, hooked.Name), outcomesOf(t, root, original.Name)
		require.Equal(t, want, saw, "program %s of\n%s", name, b.String())
		t.Logf("%s: %d outcomes, %d traces, original %d", name, len(want), hooked.Complete,
			original.Complete)
		compared++
		outcomes += len(want)
	}
	require.Greater(t, compared, 20)
	require.Greater(t, outcomes, 2*compared)
}

func outcomesOf(t *testing.T, root, test string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, test))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	slices.Sort(lines)
	return slices.Compact(lines)
}
