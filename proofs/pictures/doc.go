// Package pictures draws two pictures from the code, as SVG for light and dark pages: the packages
// with what they import, and the wake protocol of package idle with the names of its table.
//
// After a change that they show, go test ./proofs/pictures -update writes docs again.
package pictures
