package explore

// An Op is what a thread is about to do at a scheduling point.
type Op uint8

// The operations. Their order is part of the digest of an exploration.
const (
	OpNone Op = iota
	OpLoad
	OpStore
	OpSwap
	OpAdd
	OpAnd
	OpOr
	OpCAS
	OpLock
	OpUnlock
	OpTryLock
	OpRWAnnounce
	OpRWLock
	OpRWUnlock
	OpRLock
	OpRUnlock
	OpRWTryLock
	OpTryRLock
	OpWGAdd
	OpWGWait
	OpOnce
	OpOnceDone
	OpCondAdd
	OpCondWait
	OpCondSignal
	OpCondBroadcast
	OpNow
	OpSleep
	OpSpin
	OpJoin
	OpChoose
	OpCall
	OpReturn
	OpFutexWait
	OpFutexSleep
	OpFutexEarly
	OpFutexWake
	OpSend
	OpRecv
	OpSelect
	OpPoll
	OpPost
	OpPosted
	OpClose
	OpLen
	OpArrive
	OpMet
	OpTimerStart
	OpTimerStop
	OpTimerReset
	OpTimerFire
	opCount
)

// A class says which operations on one object depend on one another:
//
//	            none  read  add  write  release  announce
//	none         -     -     -     -       -        -
//	read         -     -     x     x       -        x
//	add          -     x     -     x       x        x
//	write        -     x     x     x       x        x
//	release      -     -     x     x       -        -
//	announce     -     x     x     x       -        x
//
// A write is a barrier in the history of its object: everything before it on
// that object happens before everything after it. The last two are for
// RWMutex: a reader that leaves does not meet a writer that announces itself.
type class uint8

const (
	none class = iota
	read
	add
	write
	release
	announce
	classes
)

var dependent = [classes][classes]bool{
	read:     {add: true, write: true, announce: true},
	add:      {read: true, write: true, release: true, announce: true},
	write:    {read: true, add: true, write: true, release: true, announce: true},
	release:  {add: true, write: true},
	announce: {read: true, add: true, write: true, announce: true},
}

func (a class) dependsOn(b class) bool { return dependent[a][b] }

// changes reports whether an operation may change what others read.
func (a class) changes() bool { return a >= add }

// opInfo holds what the engine must know about an operation before it runs.
// class is that of the operation when it is not decided by the memory it
// meets (see thread.resolve), none for operations on channels, whose dependence
// is more than a class (chan_dependence.go); gated operations may be disabled.
type opInfo struct {
	name  string
	class class
	gated bool
}

var ops = [opCount]opInfo{
	OpNone:          {"", none, false},
	OpLoad:          {"Load", read, false},
	OpStore:         {"Store", write, false},
	OpSwap:          {"Swap", write, false},
	OpAdd:           {"Add", write, false},
	OpAnd:           {"And", write, false},
	OpOr:            {"Or", write, false},
	OpCAS:           {"CompareAndSwap", write, false},
	OpLock:          {"Lock", write, true},
	OpUnlock:        {"Unlock", write, false},
	OpTryLock:       {"TryLock", write, false},
	OpRWAnnounce:    {"Lock (announce)", announce, true},
	OpRWLock:        {"Lock", write, true},
	OpRWUnlock:      {"Unlock", write, false},
	OpRLock:         {"RLock", read, true},
	OpRUnlock:       {"RUnlock", release, false},
	OpRWTryLock:     {"TryLock", write, false},
	OpTryRLock:      {"TryRLock", read, false},
	OpWGAdd:         {"WaitGroup.Add", add, false},
	OpWGWait:        {"WaitGroup.Wait", read, true},
	OpOnce:          {"Once.Do", write, true},
	OpOnceDone:      {"Once.Do (done)", write, false},
	OpCondAdd:       {"Cond.Wait", write, false},
	OpCondWait:      {"Cond.Wait (woken)", none, true},
	OpCondSignal:    {"Cond.Signal", write, false},
	OpCondBroadcast: {"Cond.Broadcast", write, false},
	OpNow:           {"time.Now", read, false},
	OpSleep:         {"time.Sleep", add, false},
	OpSpin:          {"spin: wait for a change", none, true},
	OpJoin:          {"Join", none, true},
	OpChoose:        {"Choose", none, false},
	OpCall:          {"call", read, false},
	OpReturn:        {"return", add, false},
	OpFutexWait:     {"futex wait", read, false},
	OpFutexSleep:    {"futex wait (asleep)", none, true},
	OpFutexEarly:    {"futex wait (timeout or signal)", write, false},
	OpFutexWake:     {"futex wake", write, false},
	OpSend:          {"channel send", none, true},
	OpRecv:          {"channel receive", none, true},
	OpSelect:        {"select", none, true},
	OpPoll:          {"select", none, false},
	OpPost:          {"channel send", none, false},
	OpPosted:        {"channel send (received)", none, true},
	OpClose:         {"close of a channel", none, false},
	OpLen:           {"len of a channel", none, false},
	OpArrive:        {"channel operation", none, false},
	OpMet:           {"channel operation (met)", none, true},
	OpTimerStart:    {"start of a timer", none, false},
	OpTimerStop:     {"Timer.Stop", none, false},
	OpTimerReset:    {"Timer.Reset", none, false},
	OpTimerFire:     {"time.AfterFunc", none, true},
}

// chooses reports whether an operation chooses among values.
func (o Op) chooses() bool {
	switch o {
	case OpChoose, OpCondSignal, OpFutexWait, OpFutexWake, OpSelect, OpPoll, OpArrive, OpMet:
		return true
	}
	return false
}

// leaves reports whether Leave, or one of its kind, is called after the
// operation; the others have been executed when they are committed.
func (o Op) leaves() bool {
	return o <= OpCAS || o == OpTryLock || o == OpRWTryLock || o == OpTryRLock
}

// isChan reports whether the operation is on channels, timers or the clock: its
// dependence is that of its accesses (chan_dependence.go).
func (o Op) isChan() bool { return o >= OpSend && o <= OpTimerFire || o == OpNow || o == OpSleep }

// String gives the operation's name as it stands in lanes.
func (o Op) String() string { return ops[o].name }
