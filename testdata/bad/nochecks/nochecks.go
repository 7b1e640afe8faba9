// Package nochecks has tests, but no checks.
package nochecks
