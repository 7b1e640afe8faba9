package instrument

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// What the go command says of a module that is not where it looks for it is about a package of the
// checker, which the user did not name. Here such messages become advice.

// layout reports what can be seen before anything is listed: that there is no module, or that files
// are named in place of packages.
func (s *Set) layout() error {
	for _, pattern := range s.cfg.Patterns {
		// An import path may end so, too.
		if !strings.HasSuffix(pattern, ".go") {
			continue
		}
		name := pattern
		if !filepath.IsAbs(name) {
			name = filepath.Join(s.cfg.Dir, name)
		}
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			return advice("%s is a file: name packages, by directory (./%s) or by import path",
				pattern, filepath.ToSlash(filepath.Dir(pattern)))
		}
	}
	switch {
	case s.goenv["GO111MODULE"] == "off":
		return advice("GO111MODULE=off: packages are found by their modules\nunset GO111MODULE, " +
			"or set it to on (go env -u GO111MODULE, if it was set by go env -w)")
	case s.inModule() || s.workspaceFile() != "":
		return nil
	}
	return advice("no go.mod in %s or above it: packages are found by their modules\n"+
		"go to a module, or name it by -C DIRECTORY; go mod init begins one", s.cfg.Dir)
}

func (s *Set) inModule() bool {
	file := s.goenv["GOMOD"]
	return file != "" && file != os.DevNull
}

// workspaceFile returns the go.work that is in effect, "" if none is.
func (s *Set) workspaceFile() string {
	if file := s.goenv["GOWORK"]; file != "off" {
		return file
	}
	return ""
}

var (
	missing = regexp.MustCompile(`(?m)^.*\b(?:no required module provides package|cannot find ` +
		`module providing package|cannot find package)\s+"?` + regexp.QuoteMeta(rootPath) + `[/"\s:;]`)
	outside = regexp.MustCompile(`directory (?:prefix )?(\S+) ` +
		`(?:outside (?:main module|modules listed in go\.work)|does not contain main module)`)
	inOther = regexp.MustCompile(`main module \((\S+)\) does not contain package (\S+)`)
	notUsed = regexp.MustCompile(`does not contain modules listed in go\.work|` +
		`is contained in a module that is not one of the workspace modules|` +
		`no modules were found in the current workspace`)
)

// notInWorkspace reports that the go command found that the go.work leaves out what was asked for.
func notInWorkspace(err error) bool {
	var build *BuildError
	return errors.As(err, &build) && notUsed.MatchString(build.Output)
}

// advise returns err with what to do about it, if that is known.
func (s *Set) advise(err error) error {
	var build *BuildError
	if !errors.As(err, &build) {
		return err
	}
	text := build.Output
	switch {
	case outside.MatchString(text):
		name := outside.FindStringSubmatch(text)[1]
		return s.elsewhere(name, name)
	case inOther.MatchString(text):
		m := inOther.FindStringSubmatch(text)
		below := strings.TrimPrefix(m[2], m[1]+"/")
		return s.elsewhere(m[2], filepath.Join(filepath.Dir(s.goenv["GOMOD"]), below))
	case notUsed.MatchString(text) && s.inModule():
		return advice("%s does not use the module in %s\n"+
			"add it by go work use %[2]s, or leave the workspace out by GOWORK=off",
			s.workspaceFile(), filepath.Dir(s.goenv["GOMOD"]))
	case notUsed.MatchString(text):
		return advice("%s uses no module in %s\nadd those that there are by go work use -r %[2]s",
			s.workspaceFile(), s.cfg.Dir)
	case strings.Contains(text, "inconsistent vendoring"):
		return advice("%s\nvendor does not fit go.mod: go mod vendor makes it anew; "+
			"GOFLAGS=-mod=mod leaves it out", strings.TrimSpace(text))
	case missing.MatchString(text) && s.vendors(text):
		return advice("vendor in %s lacks %s\n"+
			"a vendor directory has only what is imported: import %[2]s in a test, or name the tool by\n"+
			"\tgo get -tool %s\nand then\n\tgo mod vendor\nor leave vendor out by GOFLAGS=-mod=mod",
			filepath.Dir(s.goenv["GOMOD"]), modelPath, rootPath)
	case missing.MatchString(text):
		return advice("no module here requires the checker: add it by\n\tgo get -tool %s\n"+
			"check -test . needs no such line: it explores the tests that do not import %s",
			rootPath, modelPath)
	}
	return err
}

// elsewhere says where a package is that is not in the module, and may be in a directory.
func (s *Set) elsewhere(pkg, dir string) error {
	if other := s.otherModule(dir); other != "" {
		return advice("%s is not in the module in %s\nit is in the module in %s: "+
			"name that by -C %[3]s", pkg, s.cfg.Dir, other)
	}
	return advice("%s is in no module\nname packages of the module in %s", pkg, s.cfg.Dir)
}

// vendors reports whether packages are looked up in a vendor directory.
func (s *Set) vendors(text string) bool {
	return strings.Contains(text, "-mod=vendor") ||
		strings.Contains(s.goenv["GOFLAGS"], "-mod=vendor") || strings.Contains(text, "vendor"+
		string(filepath.Separator))
}

// otherModule returns the directory of the module that a directory lies in, "" if that is none, or
// the one that packages are listed in.
func (s *Set) otherModule(name string) string {
	dir := name
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.cfg.Dir, filepath.FromSlash(dir))
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	for {
		file := filepath.Join(dir, "go.mod")
		if _, err := os.Stat(file); err == nil {
			if file == s.goenv["GOMOD"] {
				return ""
			}
			return dir
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

func advice(format string, args ...any) error {
	return &BuildError{Output: fmt.Sprintf(format, args...) + "\n"}
}
