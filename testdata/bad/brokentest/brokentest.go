// Package brokentest compiles, its tests do not.
package brokentest
