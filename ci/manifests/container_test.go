package manifests

import (
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/stretchr/testify/require"
)

// scripts returns what a container file runs, in a copy of the module, which is all that it takes.
func scripts(t *testing.T, containerfile string) (scripts []string) {
	t.Helper()
	file, err := parser.Parse(strings.NewReader(containerfile))
	require.NoError(t, err)
	require.Empty(t, file.Warnings)
	var others []string
	for _, line := range file.AST.Children {
		text := line.Value
		for next := line.Next; next != nil; next = next.Next {
			text += " " + next.Value
		}
		if line.Value == "RUN" {
			require.Empty(t, line.Flags)
			require.False(t, line.Attributes["json"])
			scripts = append(scripts, line.Next.Value)
			continue
		}
		others = append(others, text)
	}
	require.Len(t, others, 4)
	require.Regexp(t, `^FROM golang:1\.\d+(\.\d+|rc\d+)?$`, others[0])
	require.Equal(t, []string{"ENV GOTOOLCHAIN local =", "WORKDIR /src", "COPY . ."}, others[1:])
	return scripts
}

// An image is not made of checks that are not there.
func TestImageOfNothing(t *testing.T) {
	dir := newModule(t)
	all := scripts(t, plan(t, dir, "-run", "Nothing")["Containerfile"])
	require.Len(t, all, 2)
	bin := t.TempDir()
	out, code := run(t, dir, nil, "sh", "-c", strings.ReplaceAll(all[0], "/usr/local/bin", bin))
	require.Zero(t, code, out)
	out, code = run(t, dir, path(bin), "sh", "-c", all[1])
	require.NotZero(t, code)
	require.Contains(t, out, "-run Nothing matches no check")
}
