package hook

// Bind00 and its siblings make method values. That of a nil interface panics at once.
//
//go:noinline
func Bind00[P any](f func(P), p P) func() {
	hasMethods(p)
	return func() { f(p) }
}

// Bind01 is Bind00 with a result.
//
//go:noinline
func Bind01[P, R any](f func(P) R, p P) func() R {
	hasMethods(p)
	return func() R { return f(p) }
}

// Bind10 is Bind00 with an argument.
//
//go:noinline
func Bind10[P, A any](f func(P, A), p P) func(A) {
	hasMethods(p)
	return func(a A) { f(p, a) }
}

// Bind11 is Bind00 with an argument and a result.
//
//go:noinline
func Bind11[P, A, R any](f func(P, A) R, p P) func(A) R {
	hasMethods(p)
	return func(a A) R { return f(p, a) }
}

// Bind21 is Bind00 with two arguments and a result.
//
//go:noinline
func Bind21[P, A, B, R any](f func(P, A, B) R, p P) func(A, B) R {
	hasMethods(p)
	return func(a A, b B) R { return f(p, a, b) }
}

// Bind12 is Bind00 with an argument and two results.
//
//go:noinline
func Bind12[P, A, R, S any](f func(P, A) (R, S), p P) func(A) (R, S) {
	hasMethods(p)
	return func(a A) (R, S) { return f(p, a) }
}

// Bind20 is Bind00 with two arguments.
//
//go:noinline
func Bind20[P, A, B any](f func(P, A, B), p P) func(A, B) {
	hasMethods(p)
	return func(a A, b B) { f(p, a, b) }
}

// Bind22 is Bind00 with two arguments and two results.
//
//go:noinline
func Bind22[P, A, B, R, S any](f func(P, A, B) (R, S), p P) func(A, B) (R, S) {
	hasMethods(p)
	return func(a A, b B) (R, S) { return f(p, a, b) }
}

// Bind31 is Bind00 with three arguments and a result.
//
//go:noinline
func Bind31[P, A, B, C, R any](f func(P, A, B, C) R, p P) func(A, B, C) R {
	hasMethods(p)
	return func(a A, b B, c C) R { return f(p, a, b, c) }
}

// WithMethods gives v back, whose method a deferred call has. It panics if that is a nil interface.
func WithMethods[P any](v P) P {
	hasMethods(v)
	return v
}

// hasMethods panics if v is a nil interface, as Go does where a method of one is evaluated.
func hasMethods[P any](v P) {
	if any(v) == nil {
		var none interface{ Method() }
		_ = none.Method
	}
}
