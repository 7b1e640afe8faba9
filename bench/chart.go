package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// A canvas is an SVG picture that grows downwards.
type canvas struct {
	strings.Builder
	width, height float64
}

const (
	blue   = "#2563b0"
	orange = "#d9822b"
	grey   = "#8a8f98"
	green  = "#3d8b57"
	ink    = "#24292f"
)

func (c *canvas) text(x, y float64, anchor, fill, text string) {
	fmt.Fprintf(c, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>`+"\n", x, y, anchor,
		fill, html.EscapeString(text))
}

func (c *canvas) rect(x, y, width, height float64, fill string) {
	fmt.Fprintf(c, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, y,
		width, height, fill)
}

func (c *canvas) line(x1, y1, x2, y2 float64, stroke string) {
	fmt.Fprintf(c, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>`+"\n", x1, y1, x2,
		y2, stroke)
}

func (c *canvas) svg(title string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f"`+"\n"+
		`  font-family="sans-serif" font-size="12">`+"\n<title>%s</title>\n"+
		`<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n%s</svg>\n", c.width, c.height,
		html.EscapeString(title), c.String())
}

// legend writes names in their colours.
func (c *canvas) legend(x, y float64, names, colours []string) {
	for i, name := range names {
		c.rect(x, y-9, 10, 10, colours[i])
		c.text(x+15, y, "start", ink, name)
		x += 30 + 7*float64(len([]rune(name)))
	}
}

// Where the bars begin, and how long they are.
const (
	barsAt    = 290.0
	barsWidth = 460.0
)

// speedups draws how much faster two workers are than plain code in the same language.
func (r *Results) speedups() string {
	c := &canvas{width: barsAt + barsWidth + 60}
	c.text(10, 22, "start", ink,
		"How many times as fast as plain code of the language, on 2 processors")
	c.legend(barsAt, 42, []string{"runtime, 2 workers", "Rayon, 2 threads"}, []string{blue, orange})
	y := 58.0
	scale := barsWidth / 2.2
	top := y
	for _, w := range []struct{ key, name, ours, plain, rayon, rust string }{
		{"fib-30", "fib(30), nothing but forks", "Fork, Join, 2 workers", "plain recursion", "join",
			plainCode},
		{"quicksort", "quicksort of 500,000", "Fork, 2 workers", plainCode, "join", plainCode},
		{"sort", "stable sort of 500,000", "SortFunc, stable, 2 workers", "slices.SortStableFunc",
			"par_sort_by, stable", "slice::sort_by, stable"},
		{"queens", "11 queens, a fork a queen", "Fork, 2 workers", plainCode, "join", plainCode},
		{"tree", "unbalanced tree, a fork a node", "Fork, 2 workers", plainCode, "join", plainCode},
		{"matrices", "384 x 384 matrices", "Fork, 2 workers", plainCode, "join", plainCode},
		{"triangle", "triangular loop", "For, 2 workers", plainCode, "par_iter", plainCode},
		{"leaves-1us", "leaves of 1 µs", "For, 2 workers", plainCode, "par_iter", plainCode},
		{"leaves-10us", "leaves of 10 µs", "For, 2 workers", plainCode, "par_iter", plainCode},
		{"leaves-100us", "leaves of 100 µs", "For, 2 workers", plainCode, "par_iter", plainCode},
		{"leaves-1ms", "leaves of 1 ms", "For, 2 workers", plainCode, "par_iter", plainCode},
		{"range-10us", "loop of 10 µs, trivial bodies", "Range, 2 workers", "plain loop",
			"par_iter", plainCode},
		{"range-100us", "loop of 100 µs, trivial bodies", "Range, 2 workers", "plain loop",
			"par_iter", plainCode},
		{"range-1ms", "loop of 1 ms, trivial bodies", "Range, 2 workers", "plain loop", "par_iter",
			plainCode},
	} {
		ours, plain := r.find(w.key, byOurs, w.ours), r.find(w.key, byGo, w.plain)
		if ours == nil || plain == nil {
			continue
		}
		c.text(barsAt-10, y+14, "end", ink, w.name)
		c.bar(y, scale, plain.P50/ours.P50, blue)
		rayon := r.find(w.key, byRust, "Rayon, "+w.rayon+", 2 workers")
		if rust := r.find(w.key, byRust, w.rust); rayon != nil && rust != nil {
			c.bar(y+12, scale, rust.P50/rayon.P50, orange)
		}
		y += 33
	}
	for _, x := range []float64{0, 1, 2} {
		c.line(barsAt+x*scale, top-4, barsAt+x*scale, y, grey)
		c.text(barsAt+x*scale, y+14, "middle", ink, fmt.Sprintf("%.0f", x))
	}
	c.height = y + 26
	return c.svg("Speed-up on two processors")
}

// bar draws a bar and its value.
func (c *canvas) bar(y, scale, value float64, fill string) {
	c.rect(barsAt, y, math.Min(value, 2.2)*scale, 10, fill)
	c.text(barsAt+math.Min(value, 2.2)*scale+4, y+9, "start", ink, fmt.Sprintf("%.2f", value))
}

// latencies draws the medians, and from the fastest to the 99th percentile, on a logarithmic axis.
func (r *Results) latencies() string {
	const least, decades = 0.03, 5 // µs
	c := &canvas{width: barsAt + barsWidth + 60}
	at := func(micros float64) float64 {
		d := math.Log10(math.Max(micros, least) / least)
		return barsAt + math.Min(d/decades, 1)*barsWidth
	}
	c.text(10, 22, "start", ink, "Latency: from the fastest to the 99th percentile, and the median")
	c.legend(barsAt, 42, []string{"runtime", "goroutines", "Tokio", "bare futex, coroutine"},
		[]string{blue, green, orange, grey})
	y, top := 62.0, 62.0
	for _, g := range []struct {
		title, key string
		lines      []latency
	}{
		{"yield", "yield", []latency{
			{byOurs, "Yield, one task, 2 workers", blue}, {byGo, "Gosched, two goroutines", green},
			{byRust, "Tokio", orange}, {byGo, "iter.Pull, a round trip", grey},
		}},
		{"a suspension", "suspend", []latency{
			{byOurs, "spawn, both yield, Join: each of 3 suspensions, 2 workers", blue},
			{byGo, "goroutine ping-pong over channels", green}, {byRust, "Tokio", orange},
		}},
		{"spawn + join", "spawn-join", []latency{
			{byOurs, "Spawn, Join", blue}, {byGo, "go + channel", green}, {byRust, "Tokio", orange},
		}},
		{"wake to run, from inside", "wake", []latency{
			{byOurs, "Spawn, the waker is a task", blue}, {byGo, "channel", green},
			{byGo, "bare futex", grey},
		}},
		{"spawn + wait from outside", "outside", []latency{
			{byOurs, "Submit, Wait", blue}, {byGo, "go + channel", green},
			{byRust, "Tokio", orange},
		}},
		{"the same after 2 ms of nothing", "outside-idle", []latency{
			{byOurs, "Submit, Wait", blue}, {byGo, "go + channel", green},
			{byRust, "Tokio", orange},
			{byGo, "bare futex, there and back", grey},
		}},
	} {
		row := r.row(g.key)
		if row == nil {
			continue
		}
		c.text(barsAt-10, y+12, "end", ink, g.title)
		micros := map[string]float64{"ns": 1e-3, "µs": 1, "ms": 1e3}[row.Unit]
		for _, l := range g.lines {
			found := r.find(g.key, l.by, l.name)
			if found == nil {
				continue
			}
			from, to := at(found.Min*micros), at(found.P99*micros)
			c.rect(from, y+3, math.Max(to-from, 1), 5, l.colour)
			c.rect(at(found.P50*micros)-1.5, y-1, 3, 13, l.colour)
			c.text(barsAt+barsWidth+55, y+10, "end", l.colour, duration(found.P50*micros))
			y += 15
		}
		y += 10
	}
	for _, x := range []struct {
		micros float64
		name   string
	}{{0.1, "100 ns"}, {1, "1 µs"}, {10, "10 µs"}, {100, "100 µs"}, {1000, "1 ms"}} {
		c.line(at(x.micros), top-6, at(x.micros), y, "#d0d4da")
		c.text(at(x.micros), y+14, "middle", ink, x.name)
	}
	c.height = y + 26
	return c.svg("Latencies")
}

// A latency is a line of the chart.
type latency struct{ by, name, colour string }

func duration(micros float64) string {
	if micros < 1 {
		return fmt.Sprintf("%.0f ns", micros*1e3)
	}
	return figure(micros) + " µs"
}
