// Package wide says whether the widest checks of this module are run: those which take some seconds
// each, and for which others of the same test stand where an answer is wanted soon. They are not
// run by `go run .`, but by `go test ./...`, which sets the build tag wide.
package wide
