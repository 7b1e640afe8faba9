package readers

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const workflowFile = "docs/guides/surewake.yml"

func TestActionlintTakesTheWorkflow(t *testing.T) {
	var out bytes.Buffer
	linter, err := actionlint.NewLinter(&out, &actionlint.LinterOptions{})
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, workflowFile))
	require.NoError(t, err)
	found, err := linter.Lint(workflowFile, text, nil)
	require.NoError(t, err)
	require.Empty(t, found, "%s", out.String())
	// One that is wrong is not taken.
	wrong := strings.Replace(string(text), "if: failure()", "if: failed()", 1)
	found, err = linter.Lint(workflowFile, []byte(wrong), nil)
	require.NoError(t, err)
	require.Len(t, found, 1)
}

type step struct {
	Name, Uses, Run, If string
	With                map[string]string
}

// A runner runs the steps of a job as GitHub's does: in a shell that ends at the first command that
// fails. The actions are what they come to here.
type runner struct {
	dir    string // of the checkout
	log    strings.Builder
	kept   []string // files of the artifact
	failed bool
}

func (r *runner) step(t *testing.T, s step) {
	t.Helper()
	switch s.If {
	case "":
		if r.failed {
			return
		}
	case "failure()":
		if !r.failed {
			return
		}
	default:
		t.Fatalf("if: %s", s.If)
	}
	action, _, _ := strings.Cut(s.Uses, "@")
	switch action {
	case "":
		script := filepath.Join(t.TempDir(), "script")
		require.NoError(t, os.WriteFile(script, []byte(s.Run), 0o666))
		cmd := exec.CommandContext(t.Context(), "bash", "-e", script)
		cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "CI=true", "GITHUB_ACTIONS=true")
		out, err := cmd.CombinedOutput()
		fmt.Fprintf(&r.log, "%s\n%s", s.Run, out)
		r.failed = r.failed || err != nil
	case "actions/checkout":
		require.FileExists(t, filepath.Join(r.dir, "go.mod"))
	case "actions/setup-go":
		require.FileExists(t, filepath.Join(r.dir, s.With["go-version-file"]))
	case "actions/upload-artifact":
		names, err := filepath.Glob(filepath.Join(r.dir, s.With["path"]))
		require.NoError(t, err)
		r.kept = names
	default:
		t.Fatalf("uses: %s", s.Uses)
	}
}

func TestTheWorkflowRuns(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, workflowFile))
	require.NoError(t, err)
	var workflow struct {
		Jobs map[string]struct{ Steps []step }
	}
	require.NoError(t, yaml.Unmarshal(text, &workflow))
	require.Len(t, workflow.Jobs, 1)
	files := map[string]string{"counter.go": `package counter

import "sync/atomic"

var n atomic.Int64

func Add() { n.Add(1) }
`, "counter_test.go": `package counter

import (
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

func TestAdd(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("one", Add)
		x.Go("two", Add)
		x.Join()
		x.Assert(n.Load() == 2, "%d instead of 2", n.Load())
	})
}

func TestAddAsItStands(t *testing.T) {
	var group sync.WaitGroup
	group.Go(Add)
	group.Go(Add)
	group.Wait()
	if n.Load() != 2 {
		t.Errorf("%d instead of 2", n.Load())
	}
}
`}
	right := &runner{dir: newModule(t, files)}
	files["counter.go"] = strings.Replace(files["counter.go"],
		"n.Add(1)", "n.Store(n.Load() + 1)", 1)
	wrong := &runner{dir: newModule(t, files)}
	for _, s := range workflow.Jobs["check"].Steps {
		right.step(t, s)
		wrong.step(t, s)
	}
	require.False(t, right.failed, right.log.String())
	require.Empty(t, right.kept)
	require.Equal(t, 2, strings.Count(right.log.String(), "1 checks: 1 proved"), right.log.String())

	require.True(t, wrong.failed)
	require.Contains(t, wrong.log.String(), "1 instead of 2")
	require.Contains(t, wrong.log.String(), "replay  go tool surewake replay ")
	require.Len(t, wrong.kept, 1, "%s", wrong.log.String())
	page, err := os.ReadFile(wrong.kept[0])
	require.NoError(t, err)
	require.Contains(t, string(page), "1 instead of 2")
}
