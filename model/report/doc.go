// Package report draws executions for people: [Lanes] in text.
package report
