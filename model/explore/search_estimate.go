package explore

import "math"

// How many executions a search will have, while it runs.
//
// The search goes through its tree depth first, and what it asks for besides is known only when a
// race asks for it. So the size of a subtree that was not entered, and of one that nothing asks for
// yet, is guessed from those that are finished. The estimate begins at the last execution, with
// size 1, and goes up the path. From the size of the part of a node's subtree that is explored, or
// estimated, it goes on to that of all:
//
//   - For each branch that is to be explored besides, it grows as finished nodes have grown when
//     they had a branch more, by the same two threads, at about the same size.
//   - If nothing is to be explored besides, something may be asked for later. It grows as finished
//     nodes have grown for which nothing had been asked for after as many executions.
//
// Growth is the logarithm of a ratio, and so is its mean: there are dozens of nodes above one
// another, and the product of mean ratios is that of a few extreme ones. What is seen at one size
// counts for others, less with each factor of 2 between them.
//
// Larger nodes often grow by less: within a bound on preemptions, and where most choices end at
// once, a branch adds what is as large at whatever size. The trend says by how much less with each
// factor of 2, by all branches that have been seen. Beyond the largest node that is finished,
// growth goes on along it. For choices, of which one node may have hundreds, the trend counts
// between any two sizes.
//
// The result is the mean of the estimates of the recent past, which differ as the path moves.
//
// Rejected, each measured on the searches of this repository:
//
//   - Equal shares for all branches of a node that are known. Branches often lead to one execution
//     beside some thousand: the estimate was 300 times too large.
//   - Sizes of finished subtrees where the same operations were pending and the same threads slept.
//     These are found at the bottom of the tree, and are too small for the top.
//   - Probes, which run one execution of a branch and take what its races ask for: nine tenths of a
//     subtree are asked for by later executions of it.
//   - Mean ratios in place of means of logarithms.
//   - Growth without a trend: with one preemption the estimate was up to 700 times too large, and
//     beyond any number where a few large choices stand beside hundreds that end at once.
//   - The trend between any two sizes for threads, too: until a tenth is explored, half of the
//     estimates are then too small by more than a factor of 3. Where nodes grow late, growth at
//     small sizes makes up for that.
//   - What is asked for later by operation, object or place: no better than by age.

const (
	leastEstimated = 256    // executions before there is an estimate
	estimateEvery  = 1.05   // ratio of the numbers of executions at two estimates
	estimateNew    = 1. / 5 // weight of the last estimate in the mean
	nearness       = 3. / 4 // weight of what was seen at twice or half the size
	enough         = 20     // branches at one size; more of them say no more
	enoughLate     = 1000   // nodes for which nothing is asked; most grow by nothing
	priorWeight    = 2      // nodes that the prior stands for
	lateWeight     = 2      // of the growth by what is asked for later
	leastTrend     = 1. / 2 // if each branch adds as much, at whatever size
	pairThreads    = 16     // threads that are told apart
	growthSizes    = 1 << 6 // powers of 2
	firstEstimate  = 64     // executions at the first estimate
	mostEstimated  = 1e300  // a tree that is larger counts as one of this size
)

// The priors: growth by a branch more, and by what is asked for later.
var (
	priorMore = math.Log(1.5)
	priorLate = math.Log(1.02)
)

// nearWeights are weights by the distance of two powers of 2, and flat is no trend.
var nearWeights, flat = powersOf(nearness), powersOf(1)

func powersOf(x float64) (w [growthSizes]float64) {
	for i := range w {
		w[i] = math.Pow(x, float64(i))
	}
	return w
}

// growth is how much nodes have grown, by the power of 2 of their size before.
type growth struct {
	nodes [growthSizes]float64
	sum   [growthSizes]float64 // of logarithms
}

func powerOf2(size float64) int {
	return min(growthSizes-1, max(0, math.Ilogb(size)))
}

func (g *growth) add(power int, by float64) {
	g.nodes[power]++
	g.sum[power] += by
}

// at returns the growth of a node of that size. What was seen at smaller ones falls along the
// trend, and of one size at most so many nodes count.
func (g *growth) at(power int, prior, most float64, trend *[growthSizes]float64) float64 {
	n, sum := float64(priorWeight), prior*priorWeight
	for i, seen := range g.nodes {
		if seen > 0 {
			w := nearWeights[max(i-power, power-i)] * min(seen, most)
			n += w
			sum += w * g.sum[i] / seen * trend[max(0, power-i)]
		}
	}
	return sum / n
}

// trend returns the powers of the factor by which growth changes if the size doubles, and the
// largest size that was seen.
func (g *growth) trend() (factors [growthSizes]float64, top int) {
	var n, sx, sy, sxx, sxy float64 // the line through the logarithms of growth
	for i, seen := range g.nodes {
		if seen > 0 {
			w, x, y := min(seen, enough), float64(i), math.Log(g.sum[i]/seen)
			n, sx, sy, sxx, sxy = n+w, sx+w*x, sy+w*y, sxx+w*x*x, sxy+w*x*y
			top = i
		}
	}
	slope := 1.
	if d := n*sxx - sx*sx; d > 0 {
		slope = math.Exp((n*sxy - sx*sy) / d)
	}
	return powersOf(min(1, max(leastTrend, slope))), top
}

// branches are what was seen of branches of a kind: the next choice, or another thread.
type branches struct {
	all  growth
	pair [pairThreads][pairThreads]*growth // by the thread explored first, and the other one

	each  bool // the trend counts between any two sizes, not only beyond top
	trend [growthSizes]float64
	top   int
}

func (b *branches) of(first, tid int32) *growth {
	if first >= pairThreads || tid >= pairThreads {
		return nil
	}
	return b.pair[first][tid]
}

func (b *branches) add(first, tid int32, power int, by float64) {
	b.all.add(power, by)
	if first >= pairThreads || tid >= pairThreads {
		return
	}
	g := &b.pair[first][tid]
	if *g == nil {
		*g = new(growth)
	}
	(*g).add(power, by)
}

// at returns by how much a node of that size grows if that thread is explored, too.
func (b *branches) at(first, tid int32, size float64) float64 {
	power, prior, trend, beyond := powerOf2(size), priorMore, &flat, 1.
	if b.each {
		trend, prior = &b.trend, prior*b.trend[power]
	} else if power > b.top {
		power, beyond = b.top, b.trend[power-b.top]
	}
	by := b.all.at(power, prior, enough, trend)
	if g := b.of(first, tid); g != nil {
		by = g.at(power, by, enough, trend)
	}
	return beyond * by
}

// estimatedNode is a node of the path.
type estimatedNode struct {
	began int64 // executions before the present branch
	alone int64 // those of it while nothing was to be done after it, -1: all so far
	tid   int32 // of it
	next  bool  // it is a further choice of the thread before
	done  []estimatedBranch
}

// estimatedBranch is a finished branch of such a node.
type estimatedBranch struct {
	size, alone int64
	tid         int32
	next        bool
}

// estimator sees each execution of a search.
type estimator struct {
	path  []estimatedNode // as long as the last execution; kept between executions
	depth int
	count int64 // executions
	next  float64

	threads branches
	choices branches
	late    growth // by the number of executions while nothing was to be done besides

	mean float64 // of the logarithms of the estimates; 0: none yet
}

// observe is called after each execution, before the path is changed.
func (x *estimator) observe(e *engine) {
	from := x.depth
	if x.count > 0 && e.plen <= x.depth {
		from = e.plen
		for d := x.depth - 1; d >= from; d-- {
			x.finish(&x.path[d])
		}
		if v := &x.path[from-1]; from > e.root {
			tid := e.stack[from-1].tid
			next := tid == v.tid
			x.endBranch(v)
			v.began, v.alone, v.tid, v.next = x.count, -1, tid, next
		}
	}
	for d := from; d < e.depth; d++ {
		if d == len(x.path) {
			x.path = append(x.path, estimatedNode{})
		}
		v := &x.path[d]
		v.began, v.alone, v.tid, v.next, v.done = x.count, -1, e.stack[d].tid, false, v.done[:0]
	}
	x.depth = e.depth
	x.count++
	for d := e.root; d < x.depth; d++ {
		v, ev := &x.path[d], &e.stack[d]
		if v.alone < 0 && (ev.choice+1 < ev.choices || !e.unexplored(ev).empty()) {
			if v.alone = x.count - v.began; v.alone == 1 {
				v.alone = 0
			}
		}
	}
	if float64(x.count) >= max(firstEstimate, x.next) {
		x.next = float64(x.count) * estimateEvery
		if l := x.estimate(e); x.mean == 0 {
			x.mean = l
		} else {
			x.mean += estimateNew * (l - x.mean)
		}
	}
}

// endBranch notes that the present branch of v is finished.
func (x *estimator) endBranch(v *estimatedNode) {
	b := estimatedBranch{size: x.count - v.began, alone: v.alone, tid: v.tid, next: v.next}
	if b.alone < 0 {
		b.alone = b.size
	}
	v.done = append(v.done, b)
}

// finish learns from a node all of whose branches are finished.
func (x *estimator) finish(v *estimatedNode) {
	x.endBranch(v)
	total := int64(0)
	for i := range v.done {
		total += v.done[i].size
	}
	first, size := v.done[0].tid, int64(0)
	for i := range v.done {
		b := &v.done[i]
		if i > 0 {
			by, power := math.Log1p(float64(b.size)/float64(size)), powerOf2(float64(size))
			x.kind(b.next).add(first, b.tid, power, by)
		}
		size += b.size
		by := 0.
		if size < total {
			by = math.Log(float64(total) / float64(size))
		}
		for p := 0; int64(1)<<p <= b.alone; p++ {
			x.late.add(p, by)
		}
	}
}

// kind returns what was seen of further choices, or of other threads.
func (x *estimator) kind(choice bool) *branches {
	if choice {
		return &x.choices
	}
	return &x.threads
}

// estimate returns the logarithm of the estimated size of the tree.
func (x *estimator) estimate(e *engine) float64 {
	for _, b := range []*branches{&x.threads, &x.choices} {
		b.trend, b.top = b.all.trend()
	}
	x.choices.each = true
	size := 1.
	for d := x.depth - 1; d >= e.root; d-- {
		v, ev := &x.path[d], &e.stack[d]
		first := v.tid
		if len(v.done) > 0 {
			first = v.done[0].tid
		}
		for i := range v.done {
			size += float64(v.done[i].size)
		}
		todo := e.unexplored(ev)
		if ev.choice+1 >= ev.choices && todo.empty() {
			age := float64(x.count - v.began)
			size *= math.Exp(lateWeight * x.late.at(powerOf2(age), priorLate, enoughLate, &flat))
			continue
		}
		for range ev.choices - 1 - ev.choice {
			size *= math.Exp(x.choices.at(first, v.tid, size))
		}
		for i := todo.first(); i >= 0; i = todo.next(i + 1) {
			size *= math.Exp(x.threads.at(first, int32(i), size))
		}
	}
	return math.Log(min(size, mostEstimated))
}

// left returns how many executions are left, at least one, 0 if that is not known.
func (x *estimator) left() float64 {
	if x == nil || x.count < leastEstimated {
		return 0
	}
	return max(1, math.Exp(x.mean)-float64(x.count))
}

// explored is the explored part of a tree of which n executions were run, here or before the search
// was resumed; 0 if it is not known.
func (x *estimator) explored(n int64) float64 {
	left := x.left()
	if left == 0 {
		return 0
	}
	return float64(n) / (float64(n) + left)
}

// beginEstimate forgets what was seen.
func (e *engine) beginEstimate() {
	if e.estimator = nil; e.cfg.Progress != nil {
		e.estimator = new(estimator)
	}
}
