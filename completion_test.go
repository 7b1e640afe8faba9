package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// completed are lines as they are typed, and what a shell offers for the last word.
var completed = []struct {
	typed string
	want  string // all of it, or with ... at the end its beginning
}{
	{"surewake ", "audit check completion help merge mutants replay shard"},
	{"surewake re", "replay"},
	{"surewake -st", "-strategy"},
	{"surewake check -f", "-format -full"},
	{"surewake check -format ", "gotest json table"},
	{"surewake check -race=false -strategy p", "pct pos"},
	{"surewake check -time s", "synctest"},
	{"surewake merge -", "-C -format -full -html -json"},
	{"surewake replay -", "-C -debug -early -emit-test -full -html -race -tags"},
	{"surewake mutants -a", "-all"},
	{"surewake audit -", "-html -json -run"},
	{"surewake completion ", "bash fish zsh"},
	{"surewake check -html p", "page.html parts/"},
	{"surewake check -C p", "parts/"},
	{"surewake merge p", "page.html parts/"},
	{"surewake shard -plan p", "parts/"},
	{"surewake shard -i", "-image"},
	{"surewake check p", "parts/"},
}

// completionScript makes a folder with page.html and parts, and writes the script of a shell.
func completionScript(t *testing.T, shell string) (dir, file string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"completion", shell}, &stdout, &stderr)
	require.Equal(t, exitOK, code, stderr.String())
	dir = t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "parts"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "page.html"), nil, 0o666))
	file = filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(file, stdout.Bytes(), 0o666))
	return dir, file
}

// requireCompletions has a program of a shell, which is given the script and a line, print what the
// shell offers, one a line, for each line of completed.
func requireCompletions(t *testing.T, shell, program string) {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		require.Empty(t, os.Getenv("SUREWAKE_SHELLS"), "%s is missing", shell)
		t.Skipf("%s is not there", shell)
	}
	dir, script := completionScript(t, shell)
	file := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(file, []byte(program), 0o666))
	for _, c := range completed {
		cmd := exec.CommandContext(t.Context(), path, file, script, c.typed)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", c.typed, out)
		require.ElementsMatch(t, strings.Fields(c.want), strings.Fields(string(out)), c.typed)
	}
}

// The words are those that bash makes of the line: it splits at an equals sign, too. A directory
// gets its slash from readline.
func TestBashCompletes(t *testing.T) {
	requireCompletions(t, "bash", `
source "$1"
line=${2//=/ = }
read -ra COMP_WORDS <<< "$line"
[ "${line% }" = "$line" ] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
$(complete -p surewake | sed 's/.*-F \([^ ]*\) .*/\1/')
for word in "${COMPREPLY[@]}"; do
	[ -d "$word" ] && word=$word/
	echo "$word"
done
`)
	// A value after an equals sign is a word of its own.
	dir, script := completionScript(t, "bash")
	cmd := exec.Command("bash", "-c", `source "$1"
COMP_WORDS=(surewake check -format = ""); COMP_CWORD=4; _surewake; echo "${COMPREPLY[*]}"
COMP_WORDS=(surewake check -format =); COMP_CWORD=3; _surewake; echo "${COMPREPLY[*]}"
COMP_WORDS=(surewake check -run ""); COMP_CWORD=3; _surewake; echo "${COMPREPLY[*]}"
mkdir 'a b*' 'a c'; touch 'a d'; IFS=,
COMP_WORDS=(surewake check a); COMP_CWORD=2; _surewake; echo "${COMPREPLY[*]}"
COMP_WORDS=(surewake check -html a); COMP_CWORD=3; _surewake; echo "${COMPREPLY[*]}"`,
		"bash", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	require.Len(t, lines, 5)
	require.Equal(t, []string{"table json gotest", "table json gotest", ""}, lines[:3])
	require.ElementsMatch(t, []string{"a b*", "a c"}, strings.Split(lines[3], ","))
	require.ElementsMatch(t, []string{"a b*", "a c", "a d"}, strings.Split(lines[4], ","))
}

func TestFishCompletes(t *testing.T) {
	requireCompletions(t, "fish", `
source $argv[1]
complete -C $argv[2] | string split -f 1 \t
true
`)
}

// zsh completes only where it reads lines: one runs on a terminal of its own, and compadd, by which
// everything is offered in the end, prints its words.
func TestZshCompletes(t *testing.T) {
	requireCompletions(t, "zsh", `
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "autoload -U compinit; compinit -u -D; source $1; PROMPT=; setopt nolistbeep"
zpty -w z 'zstyle ":completion:*" completer _complete; zstyle ":completion:*" list-grouped no'
zpty -w z 'compadd() {
	local -a found
	local word slash
	if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
	builtin compadd -A found "$@"
	for word in $found; do
		slash=; [[ -d $word ]] && slash=/
		print -r -- "<$word$slash>"
	done
	builtin compadd "$@"
}'
zpty -w z 'offer() { zle complete-word; print done-$((1+1)) }; zle -N offer; bindkey "^I" offer'
zpty -w z 'print ready-$((1+1))'
zpty -m -r z line '*ready-2*'
zpty -n -w z "$2"$'\t'
zpty -m -r z out '*done-2*'
zpty -d z
print -r -- $out | grep -o '<[^<>]*>' | tr -d '<>' | sed 's/=$//' | sort -u
`)
}

// A script that is cut off is no success.
func TestCompletionThatCannotBeWritten(t *testing.T) {
	out, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer out.Close()
	var stderr bytes.Buffer
	require.Equal(t, exitTrouble, run(t.Context(), []string{"completion", "zsh"}, out, &stderr))
	require.Contains(t, stderr.String(), "surewake: write")
}

func TestCompletionForNoShell(t *testing.T) {
	for _, args := range [][]string{{"completion"}, {"completion", "tcsh"},
		{"completion", "bash", "zsh"}} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, exitTrouble, run(context.Background(), args, &stdout, &stderr))
		require.Empty(t, stdout.String())
		require.Contains(t, stderr.String(), "completion wants one of bash, fish, zsh")
	}
}
