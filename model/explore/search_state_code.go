package explore

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
)

// Wakeup trees can have a million steps, which are much alike. So what a search remembers of races
// is written as numbers of variable length, and compressed.

// codec writes values, or reads those that were written in the same order.
type codec struct {
	text  []byte
	reads bool
}

// number writes v, or reads and returns what was written.
func (c *codec) number(v int64) int64 {
	if !c.reads {
		c.text = binary.AppendVarint(c.text, v)
		return v
	}
	v, n := binary.Varint(c.text)
	if n <= 0 {
		panic("explore: the state of a search is damaged")
	}
	c.text = c.text[n:]
	return v
}

func code[T ~int32 | ~uint8 | ~uint16 | ~int64](c *codec, all ...*T) {
	for _, v := range all {
		*v = T(c.number(int64(*v)))
	}
}

// flags codes several of them as one number.
func (c *codec) flags(all ...*bool) {
	bits := int64(0)
	for i, f := range all {
		if *f {
			bits |= 1 << i
		}
	}
	bits = c.number(bits)
	for i, f := range all {
		*f = bits>>i&1 != 0
	}
}

// list codes the number of elements, and then each of them.
func list[T any](c *codec, all *[]T, each func(*T)) {
	n := int(c.number(int64(len(*all))))
	if c.reads {
		*all = make([]T, n)
	}
	for i := range *all {
		each(&(*all)[i])
	}
}

func (c *codec) threads(s *threadSet) {
	all := listOf(*s)
	list(c, &all, func(i *int) { *i = int(c.number(int64(*i))) })
	*s = setOf(all)
}

func (c *codec) race(r *raced) {
	code(c, &r.first, &r.later, &r.tid, &r.obj)
	code(c, &r.op)
	code(c, &r.class)
	c.flags(&r.changing)
	c.threads(&r.initials)
	c.threads(&r.surely)
}

func (c *codec) step(s *stepTaken) {
	code(c, &s.depth, &s.tid, &s.obj, &s.fresh)
	code(c, &s.class)
	some := len(s.acc) > 0
	c.flags(&s.changing, &s.anyCase, &some)
	if some {
		list(c, &s.acc, c.access)
	}
}

func (c *codec) access(a *access) {
	code(c, &a.obj, &a.n, &a.event)
	code(c, &a.kind)
	c.flags(&a.found, &a.early)
	code(c, &a.when, &a.slow)
}

// trees codes b, those after it, and all below.
func (c *codec) trees(b **wakeNode) {
	for {
		more := *b != nil
		if c.flags(&more); !more {
			return
		}
		if c.reads {
			*b = new(wakeNode)
		}
		c.step(&(*b).step)
		code(c, &(*b).name)
		c.flags(&(*b).sure)
		c.trees(&(*b).child)
		b = &(*b).next
	}
}

// codeWakeup codes what the search remembers of races, and the wakeup trees of its path and of the
// next node.
func (e *engine) codeWakeup(c *codec) {
	list(c, &e.raced, c.race)
	list(c, &e.taken, c.step)
	on := e.branches[:min(len(e.branches), e.plen)]
	list(c, &on, c.trees)
	if c.reads {
		e.branches = on
	}
	c.trees(&e.follow)
}

func (e *engine) wakeup() []byte {
	var c codec
	e.codeWakeup(&c)
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(c.text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a buffer takes all
	}
	return out.Bytes()
}

func (e *engine) setWakeup(packed []byte) {
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		panic("explore: the state of a search is damaged: " + err.Error())
	}
	e.codeWakeup(&codec{text, true})
}
