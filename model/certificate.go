package model

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

var unfitForFiles = regexp.MustCompile(`[^\w.#=,-]+`)

// certify writes the traces of the check into the folder that the command names, for the program
// in folder certify.
func (c *check) certify(traces string) error {
	if c.set.Certify == "" {
		return nil
	}
	name := unfitForFiles.ReplaceAllString(c.set.Package+"."+c.name, "_") + ".traces"
	text := fmt.Sprintf("surewake traces 2\ncheck %s %s\n%s", c.set.Package, c.name, traces)
	return os.WriteFile(filepath.Join(c.set.Certify, name), []byte(text), 0o666)
}
