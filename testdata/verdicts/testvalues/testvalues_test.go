package testvalues

import (
	"testing"

	"github.com/surewake/surewake/model"
)

// Each of the following fails by a method of t that is not called as t.M. If it reached the test
// itself instead of what stands for it in an execution, the text would be lost.

// failing checks a body that fails by fail, in one order of two goroutines.
func failing(t *testing.T, fail func()) {
	model.Check(t, func(x *model.Exec) {
		last := x.Choose(2)
		x.Go("fail", func() {
			if last == 1 {
				fail()
			}
		})
		x.Join()
	})
}

// verdict: FAILED the text 7\n
func TestMethodExpressionCalled(t *testing.T) {
	failing(t, func() { (*testing.T).Errorf(t, "the text %d", 7) })
}

// verdict: FAILED the text 7\n
func TestMethodExpression(t *testing.T) {
	errorf := (*testing.T).Errorf
	failing(t, func() { errorf(t, "the text %d", 7) })
}

// verdict: FAILED the text 7\n
func TestMethodExpressionOfTB(t *testing.T) {
	errorf := testing.TB.Errorf
	failing(t, func() { errorf(t, "the text %d", 7) })
}

// verdict: FAILED the text 7\n
func TestMethodExpressionOfTBCalled(t *testing.T) {
	failing(t, func() { testing.TB.Fatalf(t, "the text %d", 7) })
}

// verdict: FAILED the text 7\n
func TestMethodValue(t *testing.T) {
	errorf := t.Errorf
	failing(t, func() { errorf("the text %d", 7) })
}

// verdict: FAILED the text 7\n
func TestMethodValueMadeInside(t *testing.T) {
	failing(t, func() {
		fatalf := t.Fatalf
		defer fatalf("the text %d", 7)
	})
}

// verdict: FAILED the text 7\n
func TestMethodValueOfTB(t *testing.T) {
	var tb testing.TB = t
	errorf := tb.Errorf
	failing(t, func() { errorf("the text %d", 7) })
}

// verdict: FAILED the text 7\n
func TestMethodValueHandedOn(t *testing.T) {
	failing(t, func() { call(t.Errorf) })
}

func call(errorf func(string, ...any)) { errorf("the text %d", 7) }

// verdict: FAILED the text 7\n
func TestInterfaceOfTheTest(t *testing.T) {
	var tb testing.TB = t
	failing(t, func() { tb.Errorf("the text %d", 7) })
}

// verdict: FAILED the text 7\n
func TestManyInterfaces(t *testing.T) {
	all := map[string][]testing.TB{"a": {t}}
	all["a"] = append(all["a"], t)
	c := make(chan testing.TB, 1)
	c <- all["a"][1]
	tb := <-c
	failing(t, func() { tb.Errorf("the text %d", 7) })
}

type suite struct {
	*testing.T
	name string
}

// verdict: FAILED the text 7\n
func TestEmbedded(t *testing.T) {
	s := suite{t, ""}
	failing(t, func() { s.Errorf("the text %d", 7) })
}

// verdict: FAILED the text 7\n
func TestEmbeddedMethodValue(t *testing.T) {
	s := &suite{t, ""}
	errorf := s.Errorf
	failing(t, func() { errorf("the text %d", 7) })
}

// verdict: FAILED the text 7\n
func TestEmbeddedMethodExpression(t *testing.T) {
	errorf := (*suite).Errorf
	failing(t, func() { errorf(&suite{t, ""}, "the text %d", 7) })
}

type reporter interface{ Errorf(string, ...any) }

// verdict: FAILED the text 7\n
func TestEmbeddedAsInterface(t *testing.T) {
	var r reporter = suite{t, ""}
	failing(t, func() { r.Errorf("the text %d", 7) })
}

// verdict: FAILED the text 7\n
func TestEmbeddedPointerAsTB(t *testing.T) {
	var tb testing.TB = &suite{t, ""}
	failing(t, func() { tb.Errorf("the text %d", 7) })
}

type over struct{ testing.TB }

// verdict: FAILED the text 7\n
func TestEmbeddedInterface(t *testing.T) {
	var tb testing.TB = over{t}
	failing(t, func() { tb.Errorf("the text %d", 7) })
}

func report[R reporter](r R) { r.Errorf("the text %d", 7) }

func reportTB[R testing.TB](r R) { errorf := r.Errorf; errorf("the text %d", 7) }

func reportOne[R interface {
	*testing.T
	Errorf(string, ...any)
}](r R) {
	r.Errorf("the text %d", 7)
}

// verdict: FAILED the text 7\n
func TestTypeParameter(t *testing.T) {
	failing(t, func() { report(t) })
}

// verdict: FAILED the text 7\n
func TestTypeParameterEmbedded(t *testing.T) {
	failing(t, func() { report(&suite{t, ""}) })
}

// verdict: FAILED the text 7\n
func TestTypeParameterTB(t *testing.T) {
	failing(t, func() { reportTB(t) })
}

// verdict: FAILED the text 7\n
func TestTypeParameterOfOneType(t *testing.T) {
	failing(t, func() { reportOne(t) })
}

type alias = testing.T

// verdict: FAILED the text 7\n
func TestAlias(t *testing.T) {
	failing(t, func() { (*alias).Errorf(t, "the text %d", 7) })
}
