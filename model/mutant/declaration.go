package mutant

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strings"
)

// declaration returns where the declaration of a name begins and ends in the text of a file.
func declaration(file, text, name string) (from, to int, err error) {
	var found [][2]int
	switch ext := path.Ext(file); {
	case strings.HasPrefix(text, "table "):
		found = tableDeclarations(text, name)
	case ext == ".go":
		found, err = goDeclarations(text, name)
	case ext == ".v":
		found = headed(text, name, coqHeading)
	case ext == ".pml":
		found = promelaDeclarations(text, name)
	default:
		err = errors.New("declarations are known of .go, .v and .pml")
	}
	switch {
	case err != nil:
		return 0, 0, fmt.Errorf("%s: %w", file, err)
	case len(found) == 0:
		return 0, 0, fmt.Errorf("%s declares no %s", file, name)
	case len(found) > 1:
		return 0, 0, fmt.Errorf("%s declares %s %d times", file, name, len(found))
	}
	return found[0][0], found[0][1], nil
}

func goDeclarations(text, name string) (found [][2]int, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	if name == "package" {
		return [][2]int{{offset(file.Package), offset(file.Name.End())}}, nil
	}
	for _, decl := range file.Decls {
		for _, declared := range namesOf(decl) {
			if declared == name {
				found = append(found, [2]int{offset(decl.Pos()), offset(decl.End())})
			}
		}
	}
	return found, nil
}

// namesOf returns the names by which a declaration is found.
func namesOf(decl ast.Decl) []string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		return []string{receiver(d.Recv.List[0].Type) + "." + d.Name.Name}
	case *ast.GenDecl:
		if d.Tok == token.IMPORT {
			return []string{"import"}
		}
		var names []string
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
		return names
	}
	return nil
}

// receiver returns the name of a receiver's type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.ParenExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

var (
	// What begins at the left margin ends the declaration before it; a declaration has its name in
	// a group.
	coqHeading = regexp.MustCompile(`(?m)^(?:(?:Lemma|Theorem|Corollary|Definition|Fixpoint|` +
		`Inductive|Record|Ltac|Notation) (\w+)|` +
		`(?:Section|End|Variables?|Hypothesis|Arguments|Require|Import|Local|Global)\b)`)
	promelaHeading = regexp.MustCompile(`(?m)^(?:(?:active (?:\[\w+\] )?)?proctype (\w+)|` +
		`(?:inline|ltl|#define) (\w+)|(init)\b)`)
	promelaCase  = regexp.MustCompile(`(?m)^#(?:(?:el)?if (.*?)\s*(?:/\*.*)?|endif)$`)
	tableHeading = regexp.MustCompile(`(?m)^table (\w+)$`)
	ruleHeading  = regexp.MustCompile(`(?m)^(?:rule (\w+)|(vars|init|params)\b.*)$`)
)

// headed returns the parts of a text that begin with a heading of this name and end where another
// begins.
func headed(text, name string, heading *regexp.Regexp) (found [][2]int) {
	from := -1
	for _, m := range heading.FindAllStringSubmatchIndex(text, -1) {
		if from >= 0 {
			found = append(found, [2]int{from, m[0]})
			from = -1
		}
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 && text[m[i]:m[i+1]] == name {
				from = m[0]
			}
		}
	}
	if from >= 0 {
		found = append(found, [2]int{from, len(text)})
	}
	return found
}

// promelaDeclarations knows, beside what has a name, the case of an #if by its condition.
func promelaDeclarations(text, name string) [][2]int {
	if strings.ContainsRune(name, ' ') {
		return headed(text, name, promelaCase)
	}
	return headed(text, name, promelaHeading)
}

// tableDeclarations finds a table by its name, and what is in it by TABLE.RULE.
func tableDeclarations(text, name string) [][2]int {
	table, rule, isRule := strings.Cut(name, ".")
	tables := headed(text, table, tableHeading)
	if !isRule || len(tables) != 1 {
		return tables
	}
	from, to := tables[0][0], tables[0][1]
	found := headed(text[from:to], rule, ruleHeading)
	for i := range found {
		found[i] = [2]int{from + found[i][0], from + found[i][1]}
	}
	return found
}
