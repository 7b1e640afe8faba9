package mutant

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
)

// declaration returns where the declaration of a name begins and ends in the text of a file.
func declaration(file, text, name string) (from, to int, err error) {
	var found [][2]int
	switch path.Ext(file) {
	case ".go":
		found, err = goDeclarations(text, name)
	default:
		err = errors.New("declarations are known of .go only")
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
	if name == "package" {
		return [][2]int{{fset.Position(file.Package).Offset, fset.Position(file.Name.End()).Offset}}, nil
	}
	for _, decl := range file.Decls {
		for _, declared := range namesOf(decl) {
			if declared == name {
				found = append(found, [2]int{fset.Position(decl.Pos()).Offset, fset.Position(decl.End()).Offset})
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
