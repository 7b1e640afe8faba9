package proofs

import (
	_ "embed"
	"html/template"
	"io"
	"io/fs"
	"regexp"
	"strings"

	"github.com/surewake/surewake/proofs/spec"
)

//go:embed row_page.html
var page string

// A protocol is a section of the page.
type protocol struct {
	Package, Picture string
	Tables           []*spec.System
	Rows             []pageRow
}

type pageRow struct {
	Row
	Named []Place
}

type pageAccess struct {
	Access
	Here bool // the page has rows for its tests
}

// A Place is a line of the shipped code.
type Place struct {
	File string
	Line int
}

var tag = regexp.MustCompile(`\b(?:idle|park|deque|fork|taskstate|injector|memory)/[A-Z]\d+\b`)

// Named returns, by theorem, where the comments of the shipped code name it. module is the module's
// directory; the error is that of reading it.
func Named(module fs.FS) (map[string][]Place, error) {
	named := map[string][]Place{}
	for _, dir := range []string{"idle", "park", "deque", "fork", "taskstate", "injector",
		"runtime"} {
		files, err := fs.Glob(module, dir+"/*.go")
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := fs.ReadFile(module, file)
			if err != nil {
				return nil, err
			}
			for i, line := range strings.Split(string(text), "\n") {
				for _, id := range tag.FindAllString(line, -1) {
					named[id] = append(named[id], Place{file, i + 1})
				}
			}
		}
	}
	return named, nil
}

// pictures show, for each section of the page, the states of its protocol.
var pictures = map[string]string{
	"idle": `running ------ Search ------> searching         counted from here on
searching ---- Found -------> running           searching - 1; the last one notifies
running,
searching ---- Publish -----> parked            bit set; a searcher: searching - 1; recheck
parked ------- token -------> searching         counted already, by the claimer
parked ------- timeout -----> running           if it was the one who cleared the bit, else
                         '--> parked            its token is on the way

notifier: searching > 0? done : bit set? clear it, searching + 1, give the token`,
	"park": `empty  -- Unpark: Swap --> token       empty  -- announce: CAS --> asleep
token  -- take: CAS -----> empty       asleep -- Unpark: Swap --> token, one wake owed
token  -- leave: Swap ---> empty       asleep -- leave: Swap ---> empty (timed out)`,
	"deque": `          taken, not free yet      queued             free
        |<---- [steal, real) ---->|<- [real, tail) ->|<- [tail, steal+cap) ->|
claim     real + n, steal stays          [s|r]  -> [s|r+n]
copy      n slots are read, cleared
release   steal moves up to real         [s|r'] -> [r'|r']`,
	"fork": `0 ...... tail ...... split ...... top
 claimed     public      private

thief   (t, s) -- claim: CAS ----> (t+1, s)             if t < s; hungry if that was the last
        (t, t) -- ask: CAS ------> (t, t) hungry
owner   (t, t) -- expose: Store -> (split, split+n)     never hungry
        (t, s) -- expose: CAS ---> (t, s+n)
        (t, s) -- take: CAS -----> (t, s-n)             the youngest ones are private again`,
	"taskstate": `           ToRunning, Claim            Complete
SCHEDULED --------------------> RUNNING ---------> COMPLETE
 ^     ^                        |     |
 |     +------------------------+     | ToIdle, not notified
 |      ToIdle if notified, Yield     v
 +---------------------------------- IDLE
     Wake, WakeDrop, Cancel`,
	"memory": `store x --.                .-- store y      each store may wait in a buffer
           >  in any order <                    until its process loads with seq_cst
load y  --'                '-- load x       both see 0: a task waits, and its worker sleeps`,
	"injector": `outside -- lock, open? append, length, unlock, notify --> injector   closed? refused
injector -- lock, a batch out, length, unlock ----------> a hand     one to run, others in transit
hand     -- tail.Store, notify (a searcher: Found) -----> its ring   takeable by thieves
ring     -- full: half of it and the new one -----------> a spill    in transit
spill    -- lock, append, length, unlock, notify -------> injector   open or not
end      -- lock, closed, unlock; then Close of idle; a worker that is told Closed looks once more`,
}

// HTML writes rows as a page. Links to files begin with base: a directory, or an address. named
// says where the code names the theorems, see Named; it may be nil. The error is that of w.
func HTML(w io.Writer, rows []Row, base string, named map[string][]Place) error {
	tables := map[string][]*spec.System{
		"idle": {spec.Idle(), spec.IdleRuns(), spec.Close(), spec.Claim()}, "park": {spec.Park()},
		"deque": {spec.Deque()}, "fork": {spec.Fork()}, "taskstate": {spec.Task()},
		"injector": {spec.Injector(), spec.Live(), spec.Driver()},
	}
	var parts []*protocol
	here := map[string]bool{}
	for _, r := range rows {
		name, _, _ := strings.Cut(r.ID, "/")
		if len(parts) == 0 || parts[len(parts)-1].Package != name {
			parts = append(parts, &protocol{Package: name, Picture: pictures[name],
				Tables: tables[name]})
		}
		p := parts[len(parts)-1]
		p.Rows = append(p.Rows, pageRow{r, named[r.ID]})
		here[r.ID] = true
	}
	var table []pageAccess
	for _, a := range Accesses() {
		p := pageAccess{a, true}
		for _, id := range a.Tests() {
			p.Here = p.Here && here[id]
		}
		table = append(table, p)
	}
	t, err := template.New("audit").Parse(page)
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		Base  string
		Parts []*protocol
		Table []pageAccess
	}{base, parts, table})
}
