package pictures

import (
	"fmt"
	"html"
	"strings"
)

// A drawing collects the elements of an SVG file, lines first: boxes lie on top of them.
type drawing struct {
	width, height int
	title         string
	under, over   strings.Builder
}

// style has the colours of both modes; a browser chooses by the reader's preference.
const style = `
  svg { --page: #ffffff; --box: #f6f8fa; --edge: #8c959f; --text: #1f2328; --dim: #57606a;
        --a: #0550ae; --b: #953800; --c: #116329; }
  @media (prefers-color-scheme: dark) {
    svg { --page: #0d1117; --box: #161b22; --edge: #6e7681; --text: #e6edf3; --dim: #9ea7b3;
          --a: #79c0ff; --b: #ffa657; --c: #7ee787; } }
  .page { fill: var(--page) }
  .box { fill: var(--box); stroke: var(--edge) }
  text { font-family: ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif;
         font-size: 11.5px; fill: var(--dim) }
  .name { font-size: 13px; font-weight: 600; fill: var(--text) }
  .code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace }
  .line { fill: none; stroke: var(--edge); stroke-width: 1.3 }
  .a { fill: none; stroke: var(--a); stroke-width: 1.8 }
  .b { fill: none; stroke: var(--b); stroke-width: 1.8 }
  .c { fill: none; stroke: var(--c); stroke-width: 1.8 }
  text.a { fill: var(--a); stroke: none }
  text.b { fill: var(--b); stroke: none }
  text.c { fill: var(--c); stroke: none }
  marker path { stroke: none }
  .head { fill: var(--edge) } .heada { fill: var(--a) } .headb { fill: var(--b) }
  .headc { fill: var(--c) }
`

func (d *drawing) box(x, y, w, h int) {
	fmt.Fprintf(&d.over, "<rect class=\"box\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "+
		"rx=\"6\"/>\n",
		x, y, w, h)
}

func (d *drawing) text(x, y int, class, text string) {
	fmt.Fprintf(&d.over, "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n",
		x, y, class, html.EscapeString(text))
}

// arrow draws a path, in the syntax of SVG, that ends in a head of the same colour.
func (d *drawing) arrow(class, path string) {
	head := "head"
	if class != "line" {
		head += class
	}
	fmt.Fprintf(&d.under, "<path class=\"%s\" d=\"%s\" marker-end=\"url(#%s)\"/>\n", class, path,
		head)
}

func (d *drawing) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "+
		"width=\"%d\" height=\"%d\" role=\"img\">\n", d.width, d.height, d.width, d.height)
	fmt.Fprintf(&b, "<title>%s</title>\n<style>%s</style>\n<defs>\n", html.EscapeString(d.title),
		style)
	for _, head := range []string{"head", "heada", "headb", "headc"} {
		fmt.Fprintf(&b, "<marker id=\"%s\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "+
			"markerWidth=\"7\" markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"+
			"<path class=\"%s\" d=\"M0,0 L8,4 L0,8 z\"/></marker>\n", head, head)
	}
	fmt.Fprintf(&b, "</defs>\n<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", d.width,
		d.height)
	b.WriteString(d.under.String())
	b.WriteString(d.over.String())
	b.WriteString("</svg>\n")
	return b.String()
}
