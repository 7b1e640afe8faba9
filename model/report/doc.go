// Package report prints executions for people: lanes in text ([Trace.Lanes]), and the token that brings an execution
// back ([Token]), whose last part says how its schedule differs from the default one ([EncodeSchedule]).
package report
