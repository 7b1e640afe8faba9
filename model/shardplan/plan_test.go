package shardplan_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/shardplan"
	"pgregory.net/rapid"
)

func plan(shards int, flags ...string) *shardplan.Plan {
	return &shardplan.Plan{
		Shards: shards, Flags: flags, Only: flags, Packages: []string{"./..."},
		Image: "checks", Go: "1.26.3", Folder: "shards",
	}
}

// What a shell makes of the arguments are the arguments.
func TestArgumentsPassAShell(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.StringMatching(`[ -~é]*`), 0, 4).Draw(t, "args")
		out, err := exec.Command("sh", "-c", `printf '%s\n' `+plan(2, args...).Args()).Output()
		require.NoError(t, err)
		require.Equal(t, strings.Join(append(args, "./..."), "\n")+"\n", string(out))
	})
}

// A shard ends well if it has a certificate.
func TestShardScript(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	bin := t.TempDir()
	for code, want := range map[int]int{0: 0, 1: 0, 3: 0, 2: 2, 137: 137} {
		fake := fmt.Sprintf("#!/bin/sh\necho \"$@\"\nexit %d\n", code)
		require.NoError(t, os.WriteFile(filepath.Join(bin, "surewake"), []byte(fake), 0o777))
		cmd := exec.Command("sh", "-c", plan(7, "-run=a b").ShardScript())
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "code=9",
			"JOB_COMPLETION_INDEX=4", "CERTIFICATES=/kept here")
		out, _ := cmd.Output()
		require.Equal(t, want, cmd.ProcessState.ExitCode(), "code %d", code)
		require.Equal(t,
			"check -shard 5/7 -shard-out /kept here/shard-5-of-7.json -run=a b ./...\n", string(out))
	}
}

func TestBadPlans(t *testing.T) {
	for want, p := range map[string]*shardplan.Plan{
		"1 shards: want 2 to 10000":                                       plan(1),
		"-3 shards: want 2 to 10000":                                      plan(-3),
		"10001 shards: want 2 to 10000":                                   plan(10_001),
		`"-run=${{ x }}": GitHub Actions would evaluate what follows ${{`: plan(2, "-run=${{ x }}"),
		`"-run=a\nb": want names and flags of one line`:                   plan(2, "-run=a\nb"),
	} {
		_, _, err := p.Files()
		require.EqualError(t, err, want)
	}
}

func TestMatrixIsLimited(t *testing.T) {
	for shards, matrix := range map[int]bool{2: true, 256: true, 257: false, 10_000: false} {
		files, is, err := plan(shards).Files()
		require.NoError(t, err)
		require.Equal(t, matrix, is)
		names := []string{"Containerfile", "shards.yaml", "merge.yaml"}
		if matrix {
			names = append(names, "workflow.yml")
		}
		for i, f := range files {
			require.Equal(t, names[i], f.Name)
		}
		require.Len(t, files, len(names))
	}
}

// Kubernetes makes one dollar of two, and replaces $(NAME).
func TestDollarsInAPod(t *testing.T) {
	files, _, err := plan(2, "-run=A$$|$(CERTIFICATES)").Files()
	require.NoError(t, err)
	require.Contains(t, files[1].Text, `'-run=A$$$$|$$(CERTIFICATES)'`)
	require.Contains(t, files[1].Text, `k=$$((JOB_COMPLETION_INDEX + 1))\n`)
}
