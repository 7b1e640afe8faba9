package proofs

import (
	"context"
	"errors"

	"github.com/surewake/surewake/proofs/spec"
)

// exploration is a proof by going through every state.
type exploration struct {
	system   *spec.System
	question spec.Question
	table    string
}

func (p exploration) method() string {
	if p.question.Terminates {
		return "every state, safety and termination"
	}
	return "every state"
}
func (p exploration) tools() []tool { return []tool{goTool} }
func (p exploration) anyN() bool    { return false }
func (p exploration) file() string  { return "spec/" + p.table }

func (p exploration) check(_ context.Context, _ *bench) error {
	_, err := p.system.Explore(p.question)
	var v *spec.Violation
	if errors.As(err, &v) {
		return &refuted{v.Error()}
	}
	return err
}
