// Package found has small checks of public modules, each of which fails for a bug of the module.
// ../../model/FOUND.md tells of them, and native shows them without the checker.
package found
