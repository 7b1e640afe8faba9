package manifests

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// read reads an object as strictly as the server would with --validate=strict.
func read(t *testing.T, text string, kind string, into any) {
	t.Helper()
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), into), "%s:\n%s", kind, text)
	require.Contains(t, text, "\nkind: "+kind+"\n")
}

// shardsOf reads shards.yaml, mergeOf merge.yaml.
func shardsOf(t *testing.T, text string) (job batch.Job) {
	t.Helper()
	claimText, jobText, both := strings.Cut(text, "\n---\n")
	require.True(t, both)
	var claim core.PersistentVolumeClaim
	read(t, claimText, "PersistentVolumeClaim", &claim)
	require.Equal(t, "v1", claim.APIVersion)
	require.Equal(t, []core.PersistentVolumeAccessMode{core.ReadWriteMany}, claim.Spec.AccessModes)
	read(t, jobText, "Job", &job)
	requireVolume(t, &job, claim.Name)
	return job
}

func mergeOf(t *testing.T, text string) (job batch.Job) {
	t.Helper()
	read(t, text, "Job", &job)
	requireVolume(t, &job, "surewake-certificates")
	return job
}

func requireVolume(t *testing.T, job *batch.Job, claim string) {
	t.Helper()
	require.Equal(t, "batch/v1", job.APIVersion)
	spec := job.Spec.Template.Spec
	require.Equal(t, core.RestartPolicyNever, spec.RestartPolicy) // as a podFailurePolicy demands
	require.Len(t, spec.Containers, 1)
	require.Len(t, spec.Volumes, 1)
	require.Equal(t, claim, spec.Volumes[0].PersistentVolumeClaim.ClaimName)
	mount := spec.Containers[0].VolumeMounts[0]
	require.Equal(t, spec.Volumes[0].Name, mount.Name)
	require.Equal(t, []core.EnvVar{{Name: "CERTIFICATES", Value: mount.MountPath}},
		spec.Containers[0].Env)
}

var variable = regexp.MustCompile(`\$\$|\$\([^()]*\)`)

// A cluster runs pods of a module's image here.
type cluster struct {
	dir, bin, volume string
	pods             int
}

// pod runs a container as the kubelet does, index -1 without one. If kill is not 0, the machine
// fails after that time.
func (c *cluster) pod(
	t *testing.T, container *core.Container, index int, kill time.Duration,
) (out string, code int) {
	t.Helper()
	c.pods++
	env := map[string]string{}
	for _, v := range container.Env {
		env[v.Name] = strings.Replace(v.Value, container.VolumeMounts[0].MountPath, c.volume, 1)
	}
	if index >= 0 {
		env["JOB_COMPLETION_INDEX"] = fmt.Sprint(index)
	}
	var words []string
	for _, word := range slices.Concat(container.Command, container.Args) {
		words = append(words, variable.ReplaceAllStringFunc(word, func(s string) string {
			value, known := env[strings.Trim(s, "$()")]
			switch {
			case s == "$$":
				return "$"
			case known:
				return value
			}
			return s
		}))
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	defer file.Close()
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, file, file
	cmd.Env = append(os.Environ(), path(c.bin)...)
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a pod dies as a whole
	require.NoError(t, cmd.Start())
	if kill > 0 {
		time.AfterFunc(kill, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	}
	_ = cmd.Wait()
	text, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	return string(text), cmd.ProcessState.ExitCode()
}

// indexed runs an Indexed Job: its indices in any order, some of them on machines that fail, and
// those again. It reports whether the job is complete.
func (c *cluster) indexed(t *testing.T, job *batch.Job, failing map[int]time.Duration) bool {
	t.Helper()
	require.Equal(t, batch.IndexedCompletion, *job.Spec.CompletionMode)
	container := &job.Spec.Template.Spec.Containers[0]
	tries := map[int]int32{}
	queue := rand.Perm(int(*job.Spec.Completions))
	for len(queue) > 0 {
		index := queue[0]
		queue = queue[1:]
		kill := failing[index]
		delete(failing, index)
		out, code := c.pod(t, container, index, kill)
		if code == 0 {
			continue
		}
		for _, rule := range job.Spec.PodFailurePolicy.Rules {
			if on := rule.OnExitCodes; on != nil && slices.Contains(on.Values, int32(code)) {
				require.Equal(t, batch.PodFailurePolicyActionFailJob, rule.Action)
				require.Equal(t, batch.PodFailurePolicyOnExitCodesOpIn, on.Operator)
				require.Equal(t, container.Name, *on.ContainerName)
				return false
			}
		}
		require.NotZero(t, kill, "index %d ends with %d:\n%s", index, code, out)
		if tries[index]++; tries[index] > *job.Spec.BackoffLimitPerIndex {
			return false
		}
		queue = append(queue, index)
	}
	return true
}

// TestKubernetes runs an Indexed Job as a cluster with failing machines would, twice, and merges.
func TestKubernetes(t *testing.T) {
	dir := newModule(t)
	files := plan(t, dir, "-shards=5", "-image=registry.example.com/team/checks:1", "-run="+checks)
	require.Len(t, files, 4)
	c := &cluster{dir: dir, bin: install(t, dir, files["Containerfile"]), volume: t.TempDir()}
	shards, merge := shardsOf(t, files["shards.yaml"]), mergeOf(t, files["merge.yaml"])
	for _, job := range []*batch.Job{&shards, &merge} {
		require.Equal(t, "registry.example.com/team/checks:1", job.Spec.Template.Spec.Containers[0].Image)
	}
	require.EqualValues(t, 5, *shards.Spec.Completions)
	require.True(t, c.indexed(t, &shards, map[int]time.Duration{
		1: time.Millisecond, 3: 500 * time.Millisecond, 4: 2 * time.Second,
	}))
	require.Greater(t, c.pods, 5)
	out, code := c.pod(t, &merge.Spec.Template.Spec.Containers[0], -1, 0)
	require.Zero(t, code, out)
	require.Contains(t, out, "4 checks: 4 proved")
	require.FileExists(t, filepath.Join(c.volume, "checks.html"))
	requireWhole(t, dir, c.bin, c.volume, 5)

	require.True(t, c.indexed(t, &shards, nil))
	requireWhole(t, dir, c.bin, c.volume, 5)

	require.NoError(t, os.Remove(filepath.Join(c.volume, "shard-2-of-5.json")))
	out, code = c.pod(t, &merge.Spec.Template.Spec.Containers[0], -1, 0)
	require.Equal(t, 2, code)
	require.Contains(t, out, "these are missing: 2")
}

// A bug is no failure of a machine: each shard has a certificate, and the merged result names it.
func TestBugInACluster(t *testing.T) {
	dir := newModule(t)
	files := plan(t, dir, "-shards=2", "-race=false", "-run=Fails")
	c := &cluster{dir: dir, bin: install(t, dir, files["Containerfile"]), volume: t.TempDir()}
	shards, merge := shardsOf(t, files["shards.yaml"]), mergeOf(t, files["merge.yaml"])
	require.True(t, c.indexed(t, &shards, nil))
	require.Equal(t, 2, c.pods)
	out, code := c.pod(t, &merge.Spec.Template.Spec.Containers[0], -1, 0)
	require.Equal(t, 1, code)
	require.Contains(t, out, "the first came last")

	// If nothing can be run, no other shard is tried.
	c.pods = 0
	require.NoError(t, os.Remove(filepath.Join(dir, "shards_test.go")))
	require.False(t, c.indexed(t, &shards, nil))
	require.Equal(t, 1, c.pods)
}
