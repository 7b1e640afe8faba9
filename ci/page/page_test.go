// Package page opens the page that check -html writes in a headless browser.
package page

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

var shots = flag.String("shots", "", "write screenshots into this `folder`")

var (
	html    string // the page under test
	browser context.Context
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "page-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	html = filepath.Join(dir, "page.html")
	cmd := exec.Command("go", "run", ".", "check", "-html", html, "./testdata/page")
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err == nil || !asExit(err, &exit) || exit.ExitCode() != 1 {
		fmt.Printf("check ended with %v:\n%s", err, out)
		return 1
	}
	alloc, cancel := chromedp.NewExecAllocator(context.Background(), append(
		chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU)...)
	defer cancel()
	var end context.CancelFunc
	browser, end = chromedp.NewContext(alloc)
	defer end()
	if err := chromedp.Run(browser); err != nil {
		fmt.Println(err)
		return 1
	}
	return m.Run()
}

func asExit(err error, to **exec.ExitError) (ok bool) {
	*to, ok = err.(*exec.ExitError)
	return ok
}

// A tab shows the page.
type tab struct {
	*testing.T
	ctx context.Context

	mu    sync.Mutex
	wrong []string // errors of the console, requests
}

// open shows the page in a window of that size.
func open(t *testing.T, width, height int64, dark bool) *tab {
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)
	b := &tab{T: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.wrong = append(b.wrong, e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			b.wrong = append(b.wrong, fmt.Sprintf("console.%s", e.Type))
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; u != "file://"+html && !strings.HasPrefix(u, "data:") {
				b.wrong = append(b.wrong, "request of "+u)
			}
		}
	})
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.do(
		network.Enable(),
		chromedp.EmulateViewport(width, height),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme},
		}),
		chromedp.Navigate("file://"+html),
	)
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		require.Empty(t, b.wrong)
	})
	return b
}

func (b *tab) do(actions ...chromedp.Action) {
	b.Helper()
	require.NoError(b, chromedp.Run(b.ctx, actions...))
}

// text evaluates JavaScript that gives a string.
func (b *tab) text(script string) (s string) {
	b.Helper()
	b.do(chromedp.Evaluate(script, &s))
	return s
}

func (b *tab) number(script string) (n float64) {
	b.Helper()
	b.do(chromedp.Evaluate(script, &n))
	return n
}

func (b *tab) list(script string) (list []string) {
	b.Helper()
	b.do(chromedp.Evaluate(script, &list))
	return list
}

func (b *tab) keys(keys ...string) {
	b.Helper()
	for _, k := range keys {
		b.do(chromedp.KeyEvent(k))
	}
}

// section returns a JavaScript expression for the section of a check.
func section(check string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".check")].find(
		(s) => s.querySelector("h2").textContent === %q)`, check)
}

// in returns a JavaScript expression for the text of what matches within a check.
func in(check, selector string) string {
	return fmt.Sprintf(`%s.querySelector(%q).innerText.replace(/\s+/g, " ").trim()`,
		section(check), selector)
}

func all(check, selector string) string {
	return fmt.Sprintf(`[...%s.querySelectorAll(%q)].map(
		(e) => e.innerText.replace(/\s+/g, " ").trim())`, section(check), selector)
}

func count(check, selector string) string {
	return fmt.Sprintf(`%s.querySelectorAll(%q).length`, section(check), selector)
}

// focus puts the focus on the steps of a check, as Tab would.
func (b *tab) focus(check string) {
	b.Helper()
	b.do(chromedp.Evaluate(section(check)+`.querySelector(".steps").focus()`, nil))
}

const selected = `[aria-selected=true]`

func TestVerdictsAreListed(t *testing.T) {
	b := open(t, 1400, 900, false)
	require.Equal(t, "8 checks", b.text(`document.querySelector("h1").innerText`))
	rows := b.list(`[...document.querySelectorAll("tbody tr")].map(
		(r) => r.innerText.replace(/\s+/g, " ").trim())`)
	require.Len(t, rows, 8)
	require.Contains(t, strings.Join(rows, "\n"), "proved TestPasses")
	require.Contains(t, strings.Join(rows, "\n"), "assumes nobody reads it meanwhile")
	require.Contains(t, b.text(`document.querySelector("#skipped").innerText`), "not here")
	require.Zero(t, b.number(`[...document.querySelectorAll(".check h2")].filter(
		(h) => h.textContent === "TestPasses").length`), "a check that passes needs no section")
}

func TestRaceIsMarkedInBothLanes(t *testing.T) {
	b := open(t, 1400, 900, false)
	require.Equal(t, []string{"writer", "reader"}, b.list(all("TestRace", ".head")))
	races := b.list(all("TestRace", ".row.race"))
	require.Len(t, races, 2)
	require.Contains(t, races[0], "b.value = v")
	require.Contains(t, races[0], "plain write")
	require.Contains(t, races[0], "data race with step 4")
	require.Contains(t, races[1], "return b.value")
	require.Contains(t, races[1], "data race with step 2")
	require.EqualValues(t, 1, b.number(count("TestRace", "path.raced")))
	require.EqualValues(t, 2, b.number(count("TestRace", "path.dot.bad")))
	require.EqualValues(t, 1, b.number(count("TestRace", "path.arrow")), "store before load")

	b.focus("TestRace")
	b.keys(kb.Home, "j", "j")
	require.Contains(t, b.text(in("TestRace", ".card")), "Step 3: Load b.full")
	require.Contains(t, b.text(in("TestRace", ".card")),
		"Synchronizes before it step 1, writer: Store b.full")
	require.EqualValues(t, 1, b.number(count("TestRace", "path.arrow.on")))
	require.Equal(t, "if !b.full.Load() {", b.text(
		section("TestRace")+`.querySelector(".current").lastChild.textContent.trim()`))

	races = b.list(all("TestRaceWithoutSteps", ".row.race"))
	require.Len(t, races, 2, "goroutines without a step have lanes, too")
}

func TestDeadlockShowsWhoHoldsWhat(t *testing.T) {
	b := open(t, 1400, 900, false)
	waits := strings.Join(b.list(all("TestDeadlock", ".row.waits")), "\n")
	require.Contains(t, waits, "waits in Lock p.right held by second since page_test.go:59")
	require.Contains(t, waits, "waits in Lock p.left held by first since page_test.go:52")
	require.EqualValues(t, 2, b.number(count("TestDeadlock", "path.holds")))
	b.focus("TestDeadlock")
	b.keys(kb.End)
	require.Contains(t, b.text(in("TestDeadlock", ".card")), "Held since step 1, first: Lock p.left")
	b.do(chromedp.Evaluate(section("TestDeadlock")+`.querySelector(".links button").click()`, nil))
	require.Contains(t, b.text(in("TestDeadlock", ".card")), "Step 1: Lock p.left")
}

func TestWhatAProgramSaysIsText(t *testing.T) {
	b := open(t, 1400, 900, false)
	require.Zero(t, b.number(`document.querySelectorAll("#injected").length`))
	require.NotEqual(t, "injected", b.text(`document.title`))
	require.Equal(t,
		[]string{`producer </script><b id="injected">"quoted" & 'so' é世界`, "canceller"},
		b.list(all("TestPanic", ".head")))
	require.Contains(t, b.text(in("TestPanic", ".lead")), "panicked: send on closed channel")
	b.focus("TestPanic")
	b.keys(kb.End)
	require.Contains(t, b.text(in("TestPanic", ".card")), "channel send jobs")
	require.Contains(t, b.text(in("TestPanic", ".excerpt")),
		`jobs <- "</script><script>document.title = 'injected'</script>"`)
}

func TestKeys(t *testing.T) {
	b := open(t, 1400, 900, false)
	steps := int(b.number(count("TestCrowd", ".row")))
	at := func() string { return b.text(in("TestCrowd", selected+" .no")) }
	b.focus("TestCrowd")
	for _, k := range []struct {
		key, want string
	}{
		{kb.Home, "1"}, {"j", "2"}, {kb.ArrowDown, "3"}, {"k", "2"}, {kb.ArrowUp, "1"},
		{kb.ArrowUp, "1"}, {kb.End, fmt.Sprint(steps)}, {"j", fmt.Sprint(steps)},
		{kb.Home, "1"}, {"l", "2"}, {"h", "1"},
	} {
		b.keys(k.key)
		require.Equal(t, k.want, at(), "after %q", k.key)
		require.Equal(t, b.text(section("TestCrowd")+`.querySelector("[aria-selected=true]").id`),
			b.text(section("TestCrowd")+`.querySelector(".steps").getAttribute("aria-activedescendant")`))
		require.EqualValues(t, 1, b.number(count("TestCrowd", selected)))
		require.Equal(t, "true", b.text(section("TestCrowd")+`.querySelector("[aria-selected=true]")
			.getBoundingClientRect().top >= 0 ? "true" : "hidden"`))
	}
	lane := func() string { return b.text(in("TestCrowd", ".card .from")) }
	own := lane()
	b.keys(kb.ArrowRight)
	require.Equal(t, own, lane(), "to the right is the same goroutine")

	focused := `document.activeElement.closest(".check").querySelector("h2").innerText`
	b.keys("]")
	require.NotEqual(t, "TestCrowd", b.text(focused))
	b.keys("[")
	require.Equal(t, "TestCrowd", b.text(focused))

	b.keys("?")
	require.EqualValues(t, 1, b.number(`document.querySelectorAll("dialog[open]").length`))
	before := at()
	b.keys("j")
	require.Equal(t, before, at(), "the list of keys is in front")
	b.keys(kb.Escape)
	require.Zero(t, b.number(`document.querySelectorAll("dialog[open]").length`))
}

// Nothing is wider than the window, and no two rows of a lane lie over one another.
func TestLayout(t *testing.T) {
	for _, width := range []int64{1400, 900, 400} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			b := open(t, width, 800, false)
			require.LessOrEqual(t, b.number(`document.documentElement.scrollWidth`), float64(width))
			require.Empty(t, b.list(`[...document.querySelectorAll(".steps")].flatMap((list) => {
				const rows = [...list.children].map((r) => [r.id, r.getBoundingClientRect()]);
				return rows.slice(1).filter(([, r], i) => r.top < rows[i][1].bottom - 1)
					.map(([id]) => id);
			})`), "rows that overlap")
			require.Empty(t, b.list(`[...document.querySelectorAll(".row")].filter((row) => {
				const text = row.querySelector(".line").getBoundingClientRect();
				const svg = row.closest(".field").querySelector(".wires");
				const own = [...svg.querySelectorAll(".dot")].map((d) => d.getBoundingClientRect());
				return own.some((d) => d.right > text.left && d.left < text.right &&
					d.bottom > text.top && d.top < text.bottom);
			}).map((r) => r.id)`), "text that a dot covers")
		})
	}
}

// Colours of text differ enough from what is behind it: 4.5 to 1, as WCAG AA asks.
func TestContrast(t *testing.T) {
	for _, dark := range []bool{false, true} {
		t.Run(fmt.Sprint("dark=", dark), func(t *testing.T) {
			b := open(t, 1400, 900, dark)
			require.Empty(t, b.list(`(() => {
				const rgb = (c) => c.match(/[\d.]+/g).map(Number);
				const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= .03928 ?
					v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
				const behind = (e) => { for (; e; e = e.parentElement) {
					const c = rgb(getComputedStyle(e).backgroundColor);
					if (c.length < 4 || c[3] === 1) return c.slice(0, 3); } return [255, 255, 255]; };
				const bad = new Set();
				for (const e of document.querySelectorAll("body *")) {
					const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
					if (!own || e.closest("script, style, dialog") || !e.getClientRects().length) continue;
					const a = light(rgb(getComputedStyle(e).color).slice(0, 3)), z = light(behind(e));
					const ratio = (Math.max(a, z) + .05) / (Math.min(a, z) + .05);
					if (ratio < 4.5) bad.add(e.tagName + "." + e.className + " " + ratio.toFixed(2));
				}
				return [...bad];
			})()`))
		})
	}
}

func TestPrints(t *testing.T) {
	b := open(t, 1400, 900, true)
	b.do(chromedp.ActionFunc(func(ctx context.Context) error {
		pdf, _, err := page.PrintToPDF().WithPrintBackground(true).Do(ctx)
		if err == nil {
			require.Greater(t, len(pdf), 10_000)
			if *shots != "" {
				err = os.WriteFile(filepath.Join(*shots, "print.pdf"), pdf, 0o666)
			}
		}
		return err
	}))
}

func TestShots(t *testing.T) {
	if *shots == "" {
		t.Skip("without -shots")
	}
	for _, dark := range []bool{false, true} {
		for _, width := range []int64{1400, 400} {
			b := open(t, width, 900, dark)
			name := fmt.Sprintf("%d-%s", width, map[bool]string{false: "light", true: "dark"}[dark])
			b.shoot(name + "-top")
			for _, check := range []string{"TestRace", "TestDeadlock", "TestPanic", "TestCrowd"} {
				b.focus(check)
				b.do(chromedp.Evaluate(section(check)+`.scrollIntoView()`, nil))
				b.shoot(name + "-" + check)
			}
			b.keys("?")
			b.shoot(name + "-help")
		}
	}
}

// docs/page.png is the picture that this test makes.
func TestPictureOfTheDocumentation(t *testing.T) {
	if *shots == "" {
		t.Skip("without -shots")
	}
	b := open(t, 1180, 900, false)
	id := b.text(section("TestRace") + `.id`)
	var png []byte
	b.do(chromedp.Screenshot("#"+id+" .picture", &png, chromedp.NodeVisible))
	require.NoError(t, os.WriteFile(filepath.Join(*shots, "page.png"), png, 0o666))
}

func (b *tab) shoot(name string) {
	b.Helper()
	var png []byte
	b.do(chromedp.Sleep(200*time.Millisecond), chromedp.CaptureScreenshot(&png))
	require.NoError(b, os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o666))
}
