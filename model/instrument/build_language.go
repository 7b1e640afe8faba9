package instrument

import (
	"context"
	"fmt"
	"go/version"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// minLanguage is what rewritten text needs of the language: hook has generic
// functions, and some are passed to others without being instantiated. It is
// below 1.22, where the meaning of loops changed.
const minLanguage = "1.21"

// languageEdit returns the edit of a go.mod that gives a module the language
// version which its rewritten text needs, if it has an older one.
func languageEdit(goVersion string) []string {
	if goVersion != "" && version.Compare("go"+goVersion, "go"+minLanguage) >= 0 {
		return nil
	}
	return []string{"-go=" + minLanguage}
}

// raiseLanguage does so for a package that is reached by the overlay: files
// has the rewritten texts, and the go.mod besides when this is done.
func (s *Set) raiseLanguage(ctx context.Context, c *checked, files map[string][]byte) error {
	m := c.meta.Module
	if m == nil || m.Main && !s.adopted {
		return nil // requires the checker's module, and so a newer language
	}
	edits := languageEdit(m.GoVersion)
	if edits == nil {
		return nil
	}
	if strings.Contains(filepath.ToSlash(c.meta.Dir), "/vendor/") {
		// The version stands in vendor/modules.txt, which the go command
		// reads past the overlay.
		for _, f := range c.files {
			if text, ok := files[f.name]; ok {
				files[f.name] = raiseFile(f, text)
			}
		}
		return nil
	}
	if m.GoMod == "" || files[m.GoMod] != nil {
		return nil
	}
	text, err := s.text(m.GoMod)
	if err != nil {
		return err
	}
	files[m.GoMod], err = s.editGoMod(ctx, text, edits)
	return err
}

// raiseFile gives a file the language version by a build constraint, in the
// place of a comment above the package clause so that no line moves.
func raiseFile(f *source, text []byte) []byte {
	constraint := "//go:build go" + minLanguage
	lines := strings.SplitAfter(string(text), "\n")
	place := -1
	for _, group := range f.ast.Comments {
		for _, comment := range group.List {
			if comment.Pos() > f.ast.Package {
				continue
			}
			i := f.tf.PositionFor(comment.Pos(), false).Line - 1
			if old, ok := strings.CutPrefix(comment.Text, "//go:build "); ok {
				old = strings.TrimSpace(old)
				lines[i] = fmt.Sprintf("//go:build (%s) && go%s\n", old, minLanguage)
				return []byte(strings.Join(lines, ""))
			}
			if place < 0 && strings.HasPrefix(comment.Text, "//") &&
				!strings.HasPrefix(comment.Text, "//go:") &&
				f.tf.PositionFor(comment.Pos(), false).Column == 1 {
				place = i
			}
		}
	}
	if place < 0 {
		return fmt.Appendf(nil, "%s\n\n//line %s:1\n%s", constraint, f.name, text)
	}
	lines[place] = constraint + "\n"
	return []byte(strings.Join(lines, ""))
}

// withLanguage gives a file a language version by a build constraint. Lines move.
func withLanguage(text []byte, language string) []byte {
	if old := buildLine.FindSubmatchIndex(text); old != nil {
		line := fmt.Sprintf("//go:build (%s) && %s", text[old[2]:old[3]], language)
		return slices.Concat(text[:old[0]], []byte(line), text[old[1]:])
	}
	return append([]byte("//go:build "+language+"\n\n"), text...)
}

var buildLine = regexp.MustCompile(`(?m)^//go:build (.+)$`)
