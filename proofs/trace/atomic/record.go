package atomic

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// A Kind says what a record is of.
type Kind uint8

// The kinds of records.
const (
	Stack   Kind = iota + 1 // the text that follows, Extra bytes long, is that of stack Stack
	Access                  // an access: Op, Address, Arg; the value Before and After it
	Entered                 // a call of a function of an object begins: Address, Stack
	Left                    // it ends
	Said                    // a function has returned After
	Made                    // an object was made: the text that follows says where its parts are
)

// An Op is an atomic operation.
type Op uint8

// The operations.
const (
	Load Op = iota + 1
	Store
	Swap
	Add
	And
	Or
	CompareAndSwap
)

// String is its name.
func (o Op) String() string {
	return [...]string{"?", "Load", "Store", "Swap", "Add", "And", "Or", "CompareAndSwap"}[o]
}

// A Record is one line of the file, little-endian.
type Record struct {
	Kind               Kind
	Op                 Op
	_                  [2]byte
	Stack              uint32 // the number of what called; of a mark, that of the function's name
	Goroutine, Address uint64
	Arg, Before, After uint64
	Extra              uint64 // the length of the text that follows
}

// depth is how many callers a stack has.
const depth = 12

// own begins the names of this package's functions.
const own = "github.com/surewake/surewake/proofs/trace/atomic."

// block is how much is written at a time; up to so much is missing at the end of a file.
const block = 4 << 10

// recorder writes the file. Its lock is held over each access and its record.
type recorder struct {
	lock sync.Mutex
	out  *bufio.Writer // nil: nothing is recorded any more
	left int           // events

	stacks map[[depth]uintptr]uint32
	names  map[string]uint32
	next   uint32 // number of a stack or a name
	buffer []byte
	// alive keeps what has an address in the file: no other object gets it.
	alive map[unsafe.Pointer]struct{}
}

var all = open()

func open() *recorder {
	name := os.Getenv("SUREWAKE_TRACE")
	if name == "" {
		return &recorder{}
	}
	file, err := os.Create(name)
	if err != nil {
		panic(fmt.Sprintf("atomic: %v", err))
	}
	left := 1 << 20
	if text := os.Getenv("SUREWAKE_TRACE_EVENTS"); text != "" {
		if left, err = strconv.Atoi(text); err != nil {
			panic(fmt.Sprintf("atomic: SUREWAKE_TRACE_EVENTS: %v", err))
		}
	}
	return &recorder{out: bufio.NewWriterSize(file, block), left: left,
		stacks: map[[depth]uintptr]uint32{}, names: map[string]uint32{},
		alive: map[unsafe.Pointer]struct{}{}}
}

// access makes an access and records it. do returns the value before, and after computes the one
// after it.
func access[T any](op Op, address unsafe.Pointer, arg uint64, do func() T, after func(T) T,
	value func(T) uint64) T {
	callers := callers()
	all.lock.Lock()
	defer all.lock.Unlock()
	old := do()
	all.write(&Record{Kind: Access, Op: op, Address: uint64(uintptr(address)), Arg: arg,
		Before: value(old), After: value(after(old))}, address, callers)
	return old
}

// compareAndSwap is access for it. Nobody else writes while the lock is held.
func compareAndSwap[T comparable](address unsafe.Pointer, from, to T, do func(from, to T) bool,
	load func() T, value func(T) uint64) (done bool) {
	access(CompareAndSwap, address, value(to), func() T {
		if done = do(from, to); done {
			return from
		}
		return load()
	}, func(old T) T {
		if done {
			return to
		}
		return old
	}, value)
	return done
}

func callers() (pcs [depth]uintptr) {
	runtime.Callers(3, pcs[:]) // with some of this package
	return pcs
}

// write writes a record of the calling goroutine, under the lock.
func (r *recorder) write(e *Record, keep unsafe.Pointer, callers [depth]uintptr) {
	if r.out == nil {
		return
	}
	if callers[0] != 0 {
		e.Stack = r.stack(callers)
	}
	e.Goroutine = goroutine()
	if keep != nil {
		r.alive[keep] = struct{}{}
	}
	r.put(e, "")
	if r.left--; r.left == 0 {
		r.check(r.out.Flush())
		r.out, r.alive = nil, nil
	}
}

func (r *recorder) put(e *Record, text string) {
	e.Extra = uint64(len(text))
	b := append(r.buffer[:0], byte(e.Kind), byte(e.Op), 0, 0)
	b = binary.LittleEndian.AppendUint32(b, e.Stack)
	for _, n := range []uint64{e.Goroutine, e.Address, e.Arg, e.Before, e.After, e.Extra} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	r.buffer = append(b, text...)
	_, err := r.out.Write(r.buffer)
	r.check(err)
}

func (r *recorder) check(err error) {
	if err != nil {
		panic(fmt.Sprintf("atomic: %v", err))
	}
}

func (r *recorder) stack(callers [depth]uintptr) uint32 {
	if n, ok := r.stacks[callers]; ok {
		return n
	}
	var lines []string
	for frames := runtime.CallersFrames(callers[:]); ; {
		f, more := frames.Next()
		if f.PC != 0 && !strings.HasPrefix(f.Function, own) {
			lines = append(lines, fmt.Sprintf("%s\t%s:%d", f.Function, f.File, f.Line))
		}
		if !more {
			break
		}
	}
	r.stacks[callers] = r.text(strings.Join(lines, "\n"))
	return r.stacks[callers]
}

func (r *recorder) text(text string) uint32 {
	r.next++
	r.put(&Record{Kind: Stack, Stack: r.next}, text)
	return r.next
}

func (r *recorder) name(name string) uint32 {
	n, ok := r.names[name]
	if !ok {
		n = r.text(name)
		r.names[name] = n
	}
	return n
}

// Enter records that a call of a function on an object begins; what it returns, that it ends.
func Enter(function string, object any) func() {
	p := reflect.ValueOf(object).UnsafePointer()
	mark(Entered, function, p, 0)
	return func() { mark(Left, function, p, 0) }
}

// Result records what a function has said, and returns it.
func Result(function string, said bool) bool {
	mark(Said, function, nil, truth(said))
	return said
}

func mark(kind Kind, function string, p unsafe.Pointer, after uint64) {
	all.lock.Lock()
	defer all.lock.Unlock()
	if all.out != nil {
		e := Record{Kind: kind, Address: uint64(uintptr(p)), After: after}
		e.Stack = all.name(function)
		all.write(&e, p, [depth]uintptr{})
	}
}

// New records that an object was made, and where its parts are: pairs of a name and a pointer to
// the first of them. It returns the object.
func New[T any](kind string, object T, count int, parts ...any) T {
	all.lock.Lock()
	defer all.lock.Unlock()
	if all.out == nil {
		return object
	}
	text := fmt.Sprintf("%s %d", kind, count)
	for i := 0; i < len(parts); i += 2 {
		v := reflect.ValueOf(parts[i+1])
		all.alive[v.UnsafePointer()] = struct{}{}
		text += fmt.Sprintf("\n%s %d %d", parts[i], v.Pointer(), v.Type().Elem().Size())
	}
	all.put(&Record{Kind: Made}, text)
	return object
}
