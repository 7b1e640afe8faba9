// Package instrument rewrites Go packages so that a model checker can run
// them, and builds their test binaries.
//
// # What a rewrite is
//
// Types stay what they are, operations change: x.head.CompareAndSwap(a, b)
// becomes hook.Uint64CompareAndSwap(&x.head, a, b), which is a scheduling
// point followed by the real operation on the real memory. The layout, the
// alignment and the zero value of everything are those of the code that
// ships.
//
// The text of a file is spliced, never printed again from its syntax tree:
// each edit replaces or inserts a few bytes and keeps every newline where it
// was, and the one import goes on the line of the package clause. A stack
// trace of the rewritten program therefore names the user's file (through
// the go command's overlay) and the user's line, with no //line directives.
//
// Channels are the same: c <- v becomes hook.To(c).Send(v), <-c becomes
// hook.Recv(c) (rewrite_chan.go). A select statement stays one, so that its labels, jumps
// and assignments mean what they did; its operands are handed through hook, which
// makes one of the cases ready (hook.Selection). Functions that make timers and
// contexts become hook's, which give the standard library's types; the methods
// of time.Timer and time.Ticker are hooked where they are called.
//
// # Never unchecked
//
// An operation that the checker does not model is not left alone: its operand
// is wrapped in hook.Refused, which does nothing in an ordinary run and fails
// the check, with file, line and reason, when it is reached inside one. Code
// that merely stands in the same file keeps working. Every rewritten package
// registers itself when the binary starts, so that a binary which was not
// built from the copies is noticed.
//
// What becomes of a function, method or variable of the standard library that
// no hook stands for is said by its class in the table of package stdlib: it is
// left alone, refused, or wrapped in hook.Shared or hook.Outside, which name
// it, with file and line, in the verdict of a check that reaches it. What counts
// is where it is called: a function that is put into a variable, or deferred,
// becomes a literal that is refused or named when it runs. A method
// may be reached through an interface, too: a type that embeds one of those
// that need not be made by a function gets an explicit method, and the
// conversion of an *os.File or *slog.LevelVar to an interface is named.
//
// What only tells of a program's run is left as it is: stacks and callers,
// regions and labels of runtime/trace and runtime/pprof. Starting a trace or a
// profile starts goroutines, and is refused.
//
// # Package state
//
// Package variables that a check can change, and the initialisers and init
// functions that make them, are found from the tests of the binary
// (state_select.go). Their files tell hook of them (rewrite_state.go), and each
// execution runs the steps again before the body. Nothing is added to a binary
// whose checks can change no package variable.
//
// # Where the rewritten text goes
//
// Every package outside the standard library that a test binary contains is
// rewritten, except the checker's own (below model/) and what those import:
// hook cannot call itself. Copies lie in a cache under names made of their
// contents, so that the go command's build cache works across runs. Packages
// of the main module, of directories named by a replace directive and of a
// vendor directory are reached by an overlay. The go command ignores overlays
// on its module cache; a module there is copied, and a -modfile replaces it by
// the copy.
//
// The original is compiled and type-checked first: errors name the user's
// text.
//
// # What is not seen
//
// Assembly and cgo cannot be rewritten: calls into them are refused, and a
// package that uses cgo cannot be checked itself. A call that the standard
// library makes back into rewritten code is rewritten code like any other, but
// the library's own locks and goroutines are not; what would wait or run
// behind the checker's back there is refused by name (package stdlib). A type that
// embeds a lock and cannot be given methods is refused where it becomes an
// interface, except when a generic function does that to a type parameter, or
// when it is one of several results assigned at once.
package instrument
