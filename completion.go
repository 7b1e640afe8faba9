package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/surewake/surewake/model/driver"
)

const completionUsage = `usage: surewake completion bash|zsh|fish

Prints a script that completes commands, flags and their values for that shell.

	bash  source <(surewake completion bash)             in ~/.bashrc
	zsh   source <(surewake completion zsh)              in ~/.zshrc, after compinit
	fish  surewake completion fish | source              in ~/.config/fish/config.fish`

// shells lists the shells that completion is printed for.
var shells = []string{"bash", "fish", "zsh"}

// completion prints the script for one shell.
func completion(args []string, stdout, stderr io.Writer) int {
	if len(args) == 1 && isHelp(args[0]) {
		fmt.Fprintln(stdout, completionUsage)
		return exitOK
	}
	script := ""
	switch strings.Join(args, " ") {
	case "bash":
		script = bashCompletion()
	case "fish":
		script = fishCompletion()
	case "zsh":
		script = zshCompletion()
	default:
		fmt.Fprintf(stderr, "surewake: completion wants one of %s\n%s\n",
			strings.Join(shells, ", "), completionUsage)
		return exitTrouble
	}
	if _, err := fmt.Fprint(stdout, script); err != nil {
		fmt.Fprintln(stderr, "surewake:", err)
		return exitTrouble
	}
	return exitOK
}

// commands lists what the first argument may be.
var commands = []struct{ name, what string }{
	{"check", "run the checks of the packages"},
	{"merge", "make one result of the shards of checks"},
	{"shard", "write what runs all shards of checks in a cluster"},
	{"replay", "run one schedule of a check again and draw it"},
	{"mutants", "put known bugs back, and see that each is found"},
	{"audit", "redo the proofs of the parts and of the injector"},
	{"completion", "print completions for a shell"},
	{"help", "say how to use the command"},
}

// A flagWord is a flag as a shell completes it.
type flagWord struct {
	name, what string   // what it does, in a line
	argument   string   // what its value is called; "" without one
	values     []string // all that it may be, nil if these cannot be listed
	file, dir  bool     // the value is a file, a directory
}

// flagWords returns the flags of a command, by name.
func flagWords(command string) (words []flagWord) {
	set := newAuditCall().flags
	if command != "audit" {
		set = newCall(context.Background(), command, io.Discard, io.Discard).flags
	}
	set.VisitAll(func(f *flag.Flag) {
		argument, usage := flag.UnquoteUsage(f)
		what, _, _ := strings.Cut(usage, "\n")
		w := flagWord{name: "-" + f.Name, what: strings.TrimRight(what, ";:,"), argument: argument}
		switch f.Name {
		case "format":
			w.values = formats
		case "strategy":
			w.values = driver.Strategies
		case "time":
			w.values = driver.Times
		case "C", "certify", "plan":
			w.dir = true
		case "html", "coverprofile", "shard-out", "checkpoint":
			w.file = true
		}
		words = append(words, w)
	})
	return words
}

// withFlags are the commands that have flags.
var withFlags = []string{"check", "merge", "shard", "replay", "mutants", "audit"}

// bashCompletion takes words as bash splits them: -format=json is three.
func bashCompletion() string {
	var b strings.Builder
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	fmt.Fprintf(&b, `# bash completion of surewake
_surewake() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=check first
	local flags values
	if [ "$cur" = = ]; then
		cur=
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	COMPREPLY=()
	first=${COMP_WORDS[1]}
	if [ "$COMP_CWORD" -gt 1 ] && [ "${first#-}" = "$first" ]; then
		command=$first
	fi
	if [ "$COMP_CWORD" = 1 ] && [ "${cur#-}" = "$cur" ]; then
		COMPREPLY=($(compgen -W '%s' -- "$cur"))
		return
	fi
	case $command in
`, strings.Join(names, " "))
	seen := map[string]flagWord{}
	for _, c := range withFlags {
		var flags []string
		for _, w := range flagWords(c) {
			flags = append(flags, w.name)
			seen[w.name] = w
		}
		fmt.Fprintf(&b, "\t%s) flags='%s' ;;\n", c, strings.Join(flags, " "))
	}
	fmt.Fprintf(&b, "\tcompletion) values='%s' ;;\n\tesac\n\tcase $prev in\n",
		strings.Join(shells, " "))
	var files, dirs, others []string
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		switch w := seen[name]; {
		case w.values != nil:
			fmt.Fprintf(&b, "\t%s) values='%s' ;;\n", name, strings.Join(w.values, " "))
		case w.file:
			files = append(files, name)
		case w.dir:
			dirs = append(dirs, name)
		case w.argument != "":
			others = append(others, name)
		}
	}
	fmt.Fprintf(&b, `	%s) _surewake_names -f "$cur"; return ;;
	%s) _surewake_names -d "$cur"; return ;;
	%s) return ;;
	esac
	if [ -n "$values" ]; then
		COMPREPLY=($(compgen -W "$values" -- "$cur"))
	elif [ "${cur#-}" != "$cur" ]; then
		COMPREPLY=($(compgen -W "$flags" -- "$cur"))
	elif [ "$command" = check ] || [ "$command" = mutants ] || [ "$command" = shard ]; then
		_surewake_names -d "$cur"
	elif [ "$command" = merge ]; then
		_surewake_names -f "$cur"
	fi
}
_surewake_names() { # names may have blanks
	local name
	while IFS= read -r name; do
		COMPREPLY+=("$name")
	done < <(compgen "$1" -- "$2")
}
complete -o filenames -F _surewake surewake
`, strings.Join(files, "|"), strings.Join(dirs, "|"), strings.Join(others, "|"))
	return b.String()
}

// single quotes a text for the shell.
func single(text, escapedQuote string) string {
	return "'" + strings.ReplaceAll(text, "'", escapedQuote) + "'"
}

func zshCompletion() string {
	var b strings.Builder
	fmt.Fprint(&b, "#compdef surewake\n_surewake() {\n\tlocal command=check\n\tlocal -a commands\n"+
		"\tcommands=(\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "\t\t%s\n", single(c.name+":"+c.what, `'\''`))
	}
	fmt.Fprint(&b, `	)
	if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
		_describe command commands
		return
	fi
	if [[ $words[2] != -* ]]; then
		command=$words[2]
		shift words
		(( CURRENT-- ))
	fi
	case $command in
`)
	special := strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`)
	for _, c := range withFlags {
		fmt.Fprintf(&b, "\t%s) _arguments", c)
		for _, w := range flagWords(c) {
			spec := w.name
			if w.argument != "" {
				spec += "=" // -flag=value or -flag value
			}
			spec += "[" + special.Replace(w.what) + "]"
			switch {
			case w.values != nil:
				spec += ":" + w.argument + ":(" + strings.Join(w.values, " ") + ")"
			case w.dir:
				spec += ":" + w.argument + ":_files -/"
			case w.file:
				spec += ":" + w.argument + ":_files"
			case w.argument != "":
				spec += ":" + special.Replace(w.argument) + ": "
			}
			fmt.Fprintf(&b, " \\\n\t\t%s", single(spec, `'\''`))
		}
		switch c {
		case "check", "mutants", "shard":
			fmt.Fprint(&b, " \\\n\t\t'*:package:_files -/'")
		case "merge":
			fmt.Fprint(&b, " \\\n\t\t'*:certificate:_files'")
		case "replay":
			fmt.Fprint(&b, " \\\n\t\t'1:token: '")
		}
		fmt.Fprint(&b, " ;;\n")
	}
	fmt.Fprintf(&b, "\tcompletion) _values shell %s ;;\n\tesac\n}\ncompdef _surewake surewake\n",
		strings.Join(shells, " "))
	return b.String()
}

func fishCompletion() string {
	var b strings.Builder
	all := make([]string, 0, len(commands))
	for _, c := range commands {
		all = append(all, c.name)
	}
	fmt.Fprintf(&b, "# fish completion of surewake\ncomplete -c surewake -f\n"+
		"set -l commands %s\n", strings.Join(all, " "))
	for _, c := range commands {
		fmt.Fprintf(&b, "complete -c surewake -n \"not __fish_seen_subcommand_from $commands\" "+
			"-a %s -d %s\n", c.name, single(c.what, `\'`))
	}
	for _, c := range withFlags {
		where := fmt.Sprintf(`-n "__fish_seen_subcommand_from %s"`, c)
		if c == "check" { // which is the command if none is named
			where = `-n "not __fish_seen_subcommand_from (string match -v check $commands)"`
		}
		for _, w := range flagWords(c) {
			fmt.Fprintf(&b, "complete -c surewake %s -o %s -d %s", where, w.name[1:],
				single(w.what, `\'`))
			switch {
			case w.values != nil:
				fmt.Fprintf(&b, " -x -a '%s'", strings.Join(w.values, " "))
			case w.dir:
				fmt.Fprint(&b, " -x -a '(__fish_complete_directories)'")
			case w.file:
				fmt.Fprint(&b, " -r -F")
			case w.argument != "":
				fmt.Fprint(&b, " -x")
			}
			fmt.Fprintln(&b)
		}
	}
	for _, c := range []string{"check", "mutants", "shard"} {
		fmt.Fprintf(&b, "complete -c surewake -n \"__fish_seen_subcommand_from %s\" "+
			"-a '(__fish_complete_directories)'\n", c)
	}
	fmt.Fprint(&b, "complete -c surewake -n \"__fish_seen_subcommand_from merge\" -F\n")
	fmt.Fprintf(&b, "complete -c surewake -n \"__fish_seen_subcommand_from completion\" -a '%s'\n",
		strings.Join(shells, " "))
	return b.String()
}
