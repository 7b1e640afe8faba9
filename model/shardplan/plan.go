// Package shardplan writes what existing engines need to run the shards of checks on many machines:
// an image, an Indexed Job for Kubernetes, and a matrix for GitHub Actions.
package shardplan

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"text/template"
)

// A Plan says what is run, in how many shards, and from what.
type Plan struct {
	Shards   int
	Flags    []string // of surewake check, but for those that are about shards
	Only     []string // those that decide what a shard builds
	Packages []string
	Image    string // the name under which the cluster finds the image
	Go       string // the version of Go, such as 1.26.3
	Below    string // the module's folder in its repository, "" for the root
	Folder   string // where the files are to be, seen from the module's folder
}

// Limits on the number of shards.
const (
	MostShards = 10_000 // an Indexed Job with as many pods at once
	MostMatrix = 256    // the jobs of a matrix of GitHub Actions
)

// A File is one of the files of a plan.
type File struct {
	Name string
	Text string
}

// Files returns the files of the plan. Without a matrix there are more shards than one may have.
func (p *Plan) Files() (files []File, matrix bool, err error) {
	if p.Shards < 2 || p.Shards > MostShards {
		return nil, false, fmt.Errorf("%d shards: want 2 to %d", p.Shards, MostShards)
	}
	for _, arg := range append(p.args(), p.Image, p.Folder, p.Below) {
		switch {
		case strings.Contains(arg, "${{"):
			return nil, false, fmt.Errorf(
				"%q: GitHub Actions would evaluate what follows ${{", arg)
		case strings.ContainsAny(arg, "\n\r\x00"):
			return nil, false, fmt.Errorf("%q: want names and flags of one line", arg)
		}
	}
	for _, name := range []string{"Containerfile", "shards.yaml", "merge.yaml", "workflow.yml"} {
		if name == "workflow.yml" && p.Shards > MostMatrix {
			return files, false, nil
		}
		var b strings.Builder
		if err := templates.ExecuteTemplate(&b, name, p); err != nil {
			return nil, false, err
		}
		files = append(files, File{name, b.String()})
	}
	return files, true, nil
}

//go:embed templates
var templateFiles embed.FS

var templates = template.Must(template.New("").Delims("<<", ">>").Funcs(template.FuncMap{
	"pod": inPod, "lines": inBlock,
}).ParseFS(templateFiles, "templates/*"))

// args are the arguments of surewake check.
func (p *Plan) args() []string { return append(append([]string{}, p.Flags...), p.Packages...) }

// Args is for a shell: the arguments of surewake check.
func (p *Plan) Args() string { return quoted(p.args()) }

// WarmArgs is for a shell: arguments of surewake check with which everything is built.
func (p *Plan) WarmArgs() string {
	args := append(append([]string{}, p.Only...), "-budget=1x")
	return quoted(append(args, p.Packages...))
}

// ShardScript runs the shard of a pod of an Indexed Job.
func (p *Plan) ShardScript() string { return p.shard("$((JOB_COMPLETION_INDEX + 1))") }

// WorkflowScript runs the shard of a job of a matrix.
func (p *Plan) WorkflowScript() string { return p.shard("$SHARD") }

// shard is a script that runs a shard. It ends well if there is a certificate: that says what came
// of the checks. So what kills a shard lets the engine run it again, and a bug does not.
func (p *Plan) shard(k string) string {
	return fmt.Sprintf(`k=%s
code=0
surewake check -shard "$k/%d" -shard-out "$CERTIFICATES/shard-$k-of-%[2]d.json" %s || code=$?
case $code in 0 | 1 | 3) exit 0 ;; esac
exit "$code"
`, k, p.Shards, p.Args())
}

// MergeScript makes one result of all shards.
func (p *Plan) MergeScript() string {
	return fmt.Sprintf(`exec surewake merge -html="$CERTIFICATES/checks.html" `+
		`"$CERTIFICATES"/shard-*-of-%d.json`+"\n", p.Shards)
}

// Numbers lists the shards.
func (p *Plan) Numbers() string {
	var all []string
	for k := range p.Shards {
		all = append(all, fmt.Sprint(k+1))
	}
	return strings.Join(all, ", ")
}

// InRepository returns a name in the module's folder as it is seen from the root of the repository.
func (p *Plan) InRepository(name string) string { return path.Join(p.Below, name) }

// quoted writes arguments for a shell.
func quoted(args []string) string {
	var out []string
	for _, arg := range args {
		if strings.Trim(arg, plain) != "" || arg == "" {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		out = append(out, arg)
	}
	return strings.Join(out, " ")
}

// plain are the characters that mean themselves to a shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:@%+"

// inPod writes a script as a string of YAML, which is one of JSON, that a pod is given. Kubernetes
// takes $(NAME) for a variable of the container and $$ for a dollar.
func inPod(script string) (string, error) {
	text, err := json.Marshal(strings.ReplaceAll(script, "$", "$$"))
	return string(text), err
}

// inBlock indents the lines of a script for a block of YAML.
func inBlock(script string, indent int) string {
	lines := strings.Split(strings.TrimSuffix(script, "\n"), "\n")
	return strings.Join(lines, "\n"+strings.Repeat(" ", indent))
}
