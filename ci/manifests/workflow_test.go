package manifests

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

type workflow struct {
	Name        string            `json:"name"`
	On          string            `json:"true"` // what YAML 1.1 takes the word "on" for
	Permissions map[string]string `json:"permissions"`
	Defaults    struct {
		Run struct {
			Shell     string `json:"shell"`
			Directory string `json:"working-directory"`
		} `json:"run"`
	} `json:"defaults"`
	Jobs map[string]*struct {
		Needs    string `json:"needs"`
		RunsOn   string `json:"runs-on"`
		Timeout  int    `json:"timeout-minutes"`
		Strategy struct {
			FailFast bool `json:"fail-fast"`
			Matrix   struct {
				Shard []int `json:"shard"`
			} `json:"matrix"`
		} `json:"strategy"`
		Steps []step `json:"steps"`
	} `json:"jobs"`
}

type step struct {
	Name string            `json:"name"`
	Uses string            `json:"uses"`
	Run  string            `json:"run"`
	If   string            `json:"if"`
	Env  map[string]string `json:"env"`
	With map[string]any    `json:"with"`
}

func lint(t *testing.T, text string) []*actionlint.Error {
	t.Helper()
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	require.NoError(t, err)
	found, err := linter.Lint("workflow.yml", []byte(text), nil)
	require.NoError(t, err)
	return found
}

// A service runs workflows here: a runner for each job, and a store of artifacts.
type service struct {
	dir      string // the checkout
	below    string // the folder in it where commands run
	artifact map[string]map[string][]byte
}

// job runs the steps of one job as GitHub's runner does. It reports whether all went well.
func (s *service) job(t *testing.T, steps []step, shard int) (log string, ok bool) {
	t.Helper()
	temp := t.TempDir()
	value := func(text any) string {
		return strings.NewReplacer("${{ matrix.shard }}", fmt.Sprint(shard),
			"${{ runner.temp }}", temp).Replace(fmt.Sprint(text))
	}
	ok = true
	for _, step := range steps {
		if step.If != "always()" && !ok {
			continue
		}
		switch action, _, _ := strings.Cut(step.Uses, "@"); action {
		case "":
			script := filepath.Join(t.TempDir(), "script")
			require.NoError(t, os.WriteFile(script, []byte(value(step.Run)), 0o666))
			env := []string{"RUNNER_TEMP=" + temp}
			for name, v := range step.Env {
				env = append(env, name+"="+value(v))
			}
			out, code := run(t, filepath.Join(s.dir, s.below), env,
				"bash", "--noprofile", "--norc", "-eo", "pipefail", script)
			log += out
			ok = ok && code == 0
		case "actions/checkout":
			require.FileExists(t, filepath.Join(s.dir, s.below, "go.mod"))
		case "actions/setup-go":
			require.Regexp(t, `^1\.\d+(\.\d+|rc\d+)?$`, step.With["go-version"])
		case "actions/upload-artifact":
			s.upload(t, value(step.With["name"]), value(step.With["path"]))
		case "actions/download-artifact":
			require.Equal(t, true, step.With["merge-multiple"])
			s.download(t, value(step.With["pattern"]), value(step.With["path"]))
		default:
			t.Fatalf("uses: %s", step.Uses)
		}
	}
	return log, ok
}

func (s *service) upload(t *testing.T, name, path string) {
	t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.dir, path)
	}
	files := map[string][]byte{}
	require.NoError(t, filepath.WalkDir(path, func(file string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[filepath.Base(file)], err = os.ReadFile(file)
		}
		return err
	}))
	require.NotEmpty(t, files)
	s.artifact[name] = files
}

func (s *service) download(t *testing.T, pattern, path string) {
	t.Helper()
	for name, files := range s.artifact {
		if matches, err := filepath.Match(pattern, name); err != nil || !matches {
			continue
		}
		require.NoError(t, os.MkdirAll(path, 0o777))
		for file, text := range files {
			require.NoError(t, os.WriteFile(filepath.Join(path, file), text, 0o666))
		}
	}
}

// TestWorkflow runs the matrix and the job that follows it, for a module that is not in the root of
// its repository.
func TestWorkflow(t *testing.T) {
	dir := newModule(t)
	out, code := run(t, filepath.Dir(dir), nil, "git", "init", "-q")
	require.Zero(t, code, out)
	text := plan(t, dir, "-shards=3", "-run", checks)["workflow.yml"]
	require.Empty(t, lint(t, text))
	require.NotEmpty(t, lint(t, strings.Replace(text, "runner.temp", "runner.tmp", 1)))

	var w workflow
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), &w))
	require.Equal(t, map[string]string{"contents": "read"}, w.Permissions)
	require.Len(t, w.Jobs, 2)
	shard, merge := w.Jobs["shard"], w.Jobs["merge"]
	require.Equal(t, "shard", merge.Needs)
	require.Equal(t, []int{1, 2, 3}, shard.Strategy.Matrix.Shard)
	require.False(t, shard.Strategy.FailFast)

	require.Equal(t, filepath.Base(dir), w.Defaults.Run.Directory)
	s := &service{
		dir: filepath.Dir(dir), below: w.Defaults.Run.Directory,
		artifact: map[string]map[string][]byte{},
	}
	for _, k := range []int{3, 1, 2, 1} {
		log, ok := s.job(t, shard.Steps, k)
		require.True(t, ok, log)
	}
	log, ok := s.job(t, merge.Steps, 0)
	require.True(t, ok, log)
	require.Contains(t, log, "4 checks: 4 proved")
	require.True(t, bytes.HasPrefix(s.artifact["surewake"]["checks.html"], []byte("<!DOCTYPE html>")))

	certificates := t.TempDir()
	s.download(t, "shard-*", certificates)
	requireWhole(t, dir, install(t, dir, plan(t, dir, "-run", checks)["Containerfile"]),
		certificates, 3)

	delete(s.artifact, "shard-2-of-3")
	log, ok = s.job(t, merge.Steps, 0)
	require.False(t, ok, log)
	require.Contains(t, log, "these are missing: 2")
}

// A shard that cannot be run fails its job; one that finds a bug does not.
func TestShardsOfAWorkflowThatFail(t *testing.T) {
	dir := newModule(t)
	s := &service{dir: dir, artifact: map[string]map[string][]byte{}}
	for _, c := range []struct {
		run string
		ok  bool
	}{{"Fails", true}, {"Nothing", false}} {
		text := plan(t, dir, "-shards=2", "-race=false", "-run", c.run)["workflow.yml"]
		var w workflow
		require.NoError(t, yaml.UnmarshalStrict([]byte(text), &w))
		for _, k := range w.Jobs["shard"].Strategy.Matrix.Shard {
			steps := w.Jobs["shard"].Steps
			log, ok := s.job(t, steps[:len(steps)-1], k)
			require.Equal(t, c.ok, ok, log)
		}
	}
}
