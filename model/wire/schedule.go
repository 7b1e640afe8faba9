package wire

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Decision is what the engine chose for one step: the thread that makes it,
// and the value, where the operation chooses one.
type Decision struct {
	Thread  int  // from 0
	Default int  // the thread that the default policy would have run
	Chooses bool // the operation chooses a value, which counts as a second decision
	Value   int  // the value chosen; the default is 0
}

// Deviation is a decision that was not the default one. Decisions are counted
// from 0: a step is one, the thread, or two, the thread and the value.
type Deviation struct {
	At      int
	IsValue bool
	Thread  int // the thread chosen, unless IsValue
	Value   int // the value chosen, if IsValue
}

// Deviations returns where an execution left the default policy.
func Deviations(steps []Decision) []Deviation {
	var deviations []Deviation
	at := 0
	for _, d := range steps {
		if d.Thread != d.Default {
			deviations = append(deviations, Deviation{At: at, Thread: d.Thread})
		}
		at++
		if !d.Chooses {
			continue
		}
		if d.Value != 0 {
			deviations = append(deviations, Deviation{At: at, IsValue: true, Value: d.Value})
		}
		at++
	}
	return deviations
}

// none is the schedule without deviations: a token's last part is never empty.
const none = "0"

// maxNumber bounds every number in a schedule.
const maxNumber = math.MaxInt32

// EncodeSchedule writes deviations, in the order of At, as text for a token.
// The default policy must be a function of the execution so far; then default
// decisions need not be stored, and the text is short when the policy is good.
//
//	schedule  = "0" | deviation { deviation }
//	deviation = [ count ] ( thread | value )
//	count     = number of default decisions before it, absent for none
//	thread    = "a".."z" for 0..25 | "A".."Z" for 26..51 | "_" number "_"
//	value     = "=" number "."
//
// 3b2a: three default decisions, thread 1, two default decisions, thread 0,
// then default decisions to the end. Every sequence of deviations has one text,
// made of characters that no shell treats specially. It panics on a negative
// number and on deviations out of order.
func EncodeSchedule(deviations []Deviation) string {
	if len(deviations) == 0 {
		return none
	}
	var b strings.Builder
	next := 0 // first decision that is not written yet
	for _, d := range deviations {
		ok := func(n int) bool { return 0 <= n && n <= maxNumber }
		if d.At < next || !ok(d.At) || !ok(d.Thread) || !ok(d.Value) {
			panic(fmt.Sprintf("wire: bad deviation %+v", d))
		}
		if n := d.At - next; n > 0 {
			b.WriteString(strconv.Itoa(n))
		}
		next = d.At + 1
		switch {
		case d.IsValue:
			b.WriteString("=" + strconv.Itoa(d.Value) + ".")
		case d.Thread < 26:
			b.WriteByte(byte('a' + d.Thread))
		case d.Thread < 52:
			b.WriteByte(byte('A' + d.Thread - 26))
		default:
			b.WriteString("_" + strconv.Itoa(d.Thread) + "_")
		}
	}
	return b.String()
}

// DecodeSchedule is the inverse of EncodeSchedule. Its error names the text and the place in it.
func DecodeSchedule(s string) ([]Deviation, error) {
	if s == "" {
		return nil, fmt.Errorf("empty schedule (the default one is %s)", none)
	}
	if s == none {
		return nil, nil
	}
	p := scheduleParser{text: s}
	var list []Deviation
	next := 0
	for p.at < len(s) {
		start := p.at
		count := 0
		if isDigit(s[p.at]) {
			var err error
			if count, err = p.number(); err != nil {
				return nil, err
			}
			if count == 0 {
				return nil, p.fail(start, "a count of 0 is left out")
			}
			if p.at == len(s) {
				return nil, p.fail(start, "ends with a count, without what comes after it")
			}
		}
		d, err := p.choice()
		if err != nil {
			return nil, err
		}
		d.At = next + count
		if d.At > maxNumber {
			return nil, p.fail(start, "too many decisions")
		}
		next = d.At + 1
		list = append(list, d)
	}
	return list, nil
}

// passes marks a schedule of an exploration in which time passes while goroutines can run.
const passes = "+"

// inOrders marks a schedule of an exploration in which loops over maps choose their orders.
const inOrders = "@"

// MapOrders marks the text of a schedule, after TimePasses if that marks it, too: in it, loops over
// maps choose their orders.
func MapOrders(schedule string) string { return inOrders + schedule }

// CutMapOrders takes that mark off, and reports whether there was one.
func CutMapOrders(schedule string) (string, bool) { return strings.CutPrefix(schedule, inOrders) }

// TimePasses marks the text of a schedule: it is one of an exploration in which time passes while
// goroutines can run.
func TimePasses(schedule string) string { return passes + schedule }

// CutTimePasses takes that mark off, and reports whether there was one.
func CutTimePasses(schedule string) (string, bool) { return strings.CutPrefix(schedule, passes) }

type scheduleParser struct {
	text string
	at   int
}

func (p *scheduleParser) fail(at int, format string, args ...any) error {
	return fmt.Errorf("schedule %q, character %d: %s", p.text, at+1, fmt.Sprintf(format, args...))
}

// choice reads a thread or a value.
func (p *scheduleParser) choice() (Deviation, error) {
	start := p.at
	c := p.text[p.at]
	p.at++
	switch {
	case 'a' <= c && c <= 'z':
		return Deviation{Thread: int(c - 'a')}, nil
	case 'A' <= c && c <= 'Z':
		return Deviation{Thread: int(c-'A') + 26}, nil
	case c == '_':
		n, err := p.closed('_')
		if err == nil && n < 52 {
			err = p.fail(start, "thread %d is written as a letter", n)
		}
		return Deviation{Thread: n}, err
	case c == '=':
		n, err := p.closed('.')
		if err == nil && n == 0 {
			err = p.fail(start, "value 0 is the default one and is left out")
		}
		return Deviation{IsValue: true, Value: n}, err
	}
	return Deviation{}, p.fail(start, "%q is not a letter, a count, _thread_ or =value.",
		[]rune(p.text[start:])[0])
}

// closed reads a number and the character that ends it.
func (p *scheduleParser) closed(end byte) (int, error) {
	n, err := p.number()
	if err != nil {
		return 0, err
	}
	if p.at == len(p.text) || p.text[p.at] != end {
		return 0, p.fail(p.at, "expected %q after %d", end, n)
	}
	p.at++
	return n, nil
}

// number reads a decimal number without leading zeros.
func (p *scheduleParser) number() (int, error) {
	start := p.at
	for p.at < len(p.text) && isDigit(p.text[p.at]) {
		p.at++
	}
	digits := p.text[start:p.at]
	switch {
	case digits == "":
		return 0, p.fail(start, "expected a number")
	case digits[0] == '0' && len(digits) > 1:
		return 0, p.fail(start, "number %s has a leading zero", digits)
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > maxNumber {
		return 0, p.fail(start, "number %s is too large", digits)
	}
	return n, nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
