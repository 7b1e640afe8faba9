package main

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/surewake/surewake/fork"
	ours "github.com/surewake/surewake/runtime"
)

// divideRows are work that is divided, in the same way in each line of a row and in rust/src.
func divideRows() []row {
	ms := time.Millisecond
	return []row{
		{"quicksort", "quicksort of 500,000 numbers, a fork for each half", ms, quicksorts},
		{"sort", "a sort of 500,000 numbers by a function", ms, sorts},
		{"matrices", "product of 384 x 384 matrices, halved down to 32 x 32", ms, matrices},
		{"queens", "11 queens, a fork for each that is placed", ms, allQueens},
		{"tree", "an unbalanced tree, a fork for each node", ms, trees},
	}
}

// onWorkers are contenders that do the same on one worker and on two.
func onWorkers(name string, work func(cx ours.Cx)) ([]contender, func()) {
	one, two := start(ours.Workers(1)), start(ours.Workers(2))
	return []contender{
		{name: name + ", 1 worker", ops: 1, round: inside(one, work)},
		{name: name + ", 2 workers", ops: 1, round: inside(two, work)},
	}, closing(one, two)
}

// besidePlain adds the code without forks.
func besidePlain(name string, work func(cx ours.Cx), plain func()) ([]contender, func()) {
	all, done := onWorkers(name, work)
	return append(all, contender{name: "plain code", peer: true, ops: 1,
		round: outside(plain)}), done
}

const sorted = 500_000

// randomly returns numbers, and a function that puts them into the same random order.
func randomly() ([]int, func()) {
	random := make([]int, sorted)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(random); i++ {
		random[i] = r.Int()
	}
	values := make([]int, sorted)
	return values, func() { copy(values, random) }
}

func quicksorts() ([]contender, func()) {
	values, mix := randomly()
	all, done := besidePlain("Fork", func(cx ours.Cx) { quicksortCx(cx, values) },
		func() { quicksort(values) })
	pool := newForkPool(2)
	all = append(all, contender{name: "package fork, 2 workers", ops: 1,
		round: pool.do(func(w *forker) { quicksortFork(w, values) })})
	for i := range all {
		all[i].gap = mix
	}
	return all, func() { done(); pool.close() }
}

func sorts() ([]contender, func()) {
	values, mix := randomly()
	all, done := onWorkers("SortFunc, stable",
		func(cx ours.Cx) { ours.SortFunc(cx, values, cmp.Compare[int]) })
	all = append(all,
		contender{name: "slices.SortStableFunc", peer: true, ops: 1,
			round: outside(func() { slices.SortStableFunc(values, cmp.Compare[int]) })},
		contender{name: "slices.SortFunc", peer: true, ops: 1,
			round: outside(func() { slices.SortFunc(values, cmp.Compare[int]) })})
	for i := range all {
		all[i].gap = mix
	}
	return all, done
}

// partition is that of Hoare, with the median of three.
func partition(v []int) int {
	m := len(v) / 2
	if v[m] < v[0] {
		v[m], v[0] = v[0], v[m]
	}
	if v[len(v)-1] < v[0] {
		v[len(v)-1], v[0] = v[0], v[len(v)-1]
	}
	if v[len(v)-1] < v[m] {
		v[len(v)-1], v[m] = v[m], v[len(v)-1]
	}
	pivot := v[m]
	i, j := -1, len(v)
	for {
		for i++; v[i] < pivot; i++ {
		}
		for j--; v[j] > pivot; j-- {
		}
		if i >= j {
			return j + 1
		}
		v[i], v[j] = v[j], v[i]
	}
}

func insertionSort(v []int) {
	for i := 1; i < len(v); i++ {
		for j := i; j > 0 && v[j] < v[j-1]; j-- {
			v[j], v[j-1] = v[j-1], v[j]
		}
	}
}

func quicksort(v []int) {
	if len(v) <= 24 {
		insertionSort(v)
		return
	}
	m := partition(v)
	quicksort(v[:m])
	quicksort(v[m:])
}

func quicksortCx(cx ours.Cx, v []int) (none struct{}) {
	if len(v) <= 24 {
		insertionSort(v)
		return none
	}
	m := partition(v)
	f := ours.Fork(cx, quicksortCx, v[:m])
	quicksortCx(cx, v[m:])
	return f.Join(cx)
}

func quicksortFork(w *forker, v []int) (none struct{}) {
	if len(v) <= 24 {
		insertionSort(v)
		return none
	}
	m := partition(v)
	f := fork.Fork(&w.Stack, quicksortFork, v[:m])
	quicksortFork(w, v[m:])
	return f.Join(w)
}

type matrix [][]float64

func newMatrix(n int) matrix {
	m := make(matrix, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			m[i][j] = float64(i ^ j)
		}
	}
	return m
}

func matrices() ([]contender, func()) {
	const n = 384
	whole := product{newMatrix(n), newMatrix(n), newMatrix(n), 0, 0, n, n}
	return besidePlain("Fork", func(cx ours.Cx) { multiplyCx(cx, whole) },
		func() { multiply(whole) })
}

// A product is a part of c = a * b.
type product struct {
	a, b, c              matrix
	row, col, high, wide int
}

func (p product) isLeaf() bool { return p.high <= 32 && p.wide <= 32 }

func (p product) split() (x, y product) {
	x, y = p, p
	if p.high >= p.wide {
		x.high /= 2
		y.row, y.high = p.row+x.high, p.high-x.high
	} else {
		x.wide /= 2
		y.col, y.wide = p.col+x.wide, p.wide-x.wide
	}
	return x, y
}

func (p product) leaf() {
	for i := p.row; i < p.row+p.high; i++ {
		c := p.c[i][p.col : p.col+p.wide]
		clear(c)
		for k, x := range p.a[i] {
			b := p.b[k][p.col : p.col+p.wide]
			for j := range c {
				c[j] += x * b[j]
			}
		}
	}
}

func multiply(p product) {
	if p.isLeaf() {
		p.leaf()
		return
	}
	x, y := p.split()
	multiply(x)
	multiply(y)
}

func multiplyCx(cx ours.Cx, p product) (none struct{}) {
	if p.isLeaf() {
		p.leaf()
		return none
	}
	x, y := p.split()
	f := ours.Fork(cx, multiplyCx, x)
	multiplyCx(cx, y)
	return f.Join(cx)
}

// A board has a queen in each of its first rows, so that none attacks another.
type board struct {
	n, row            int
	cols, left, right uint32 // which columns of the next row are attacked
}

func (b board) free() uint32 { return (1<<b.n - 1) &^ (b.cols | b.left | b.right) }

func (b board) place(bit uint32) board {
	return board{b.n, b.row + 1, b.cols | bit, (b.left | bit) << 1, (b.right | bit) >> 1}
}

func allQueens() ([]contender, func()) {
	const n, solutions = 11, 2680
	return besidePlain("Fork", func(cx ours.Cx) { expect(queensCx(cx, board{n: n}), solutions) },
		func() { expect(queens(board{n: n}), solutions) })
}

func queens(b board) int {
	if b.row == b.n {
		return 1
	}
	sum := 0
	for free := b.free(); free != 0; free &= free - 1 {
		sum += queens(b.place(free & -free))
	}
	return sum
}

func queensCx(cx ours.Cx, b board) int {
	if b.row == b.n {
		return 1
	}
	return queensRest(cx, b, b.free())
}

// queensRest forks the first column, and goes on with the others.
func queensRest(cx ours.Cx, b board, free uint32) int {
	if free == 0 {
		return 0
	}
	bit := free & -free
	if free == bit {
		return queensCx(cx, b.place(bit))
	}
	f := ours.Fork(cx, queensCx, b.place(bit))
	rest := queensRest(cx, b, free&^bit)
	return f.Join(cx) + rest
}

// A node is one of a tree like those of UTS: with a chance of an eighth it has eight children,
// which nobody knows before.
type node struct {
	seed uint64
	root bool
}

func (n node) child(i int) node {
	return node{seed: mix(n.seed + uint64(i)*0x9e3779b97f4a7c15 + 1)}
}

func (n node) children() int {
	switch {
	case n.root:
		return 2000
	case float64(n.seed>>11) < 0.1245*(1<<53):
		return 8
	}
	return 0
}

func mix(x uint64) uint64 {
	for range 4 {
		x ^= x >> 30
		x *= 0xbf58476d1ce4e5b9
		x ^= x >> 27
		x *= 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}

func trees() ([]contender, func()) {
	root := node{seed: 42, root: true}
	size := tree(root)
	return besidePlain("Fork", func(cx ours.Cx) { expect(treeCx(cx, root), size) },
		func() { expect(tree(root), size) })
}

func tree(n node) int {
	sum := 1
	for i := range n.children() {
		sum += tree(n.child(i))
	}
	return sum
}

func treeCx(cx ours.Cx, n node) int { return 1 + treeRest(cx, n, n.children()) }

func treeRest(cx ours.Cx, n node, k int) int {
	if k == 0 {
		return 0
	}
	c := n.child(k - 1)
	if k == 1 {
		return treeCx(cx, c)
	}
	f := ours.Fork(cx, treeCx, c)
	rest := treeRest(cx, n, k-1)
	return f.Join(cx) + rest
}
