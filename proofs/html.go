package proofs

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/surewake/surewake/proofs/spec"
)

//go:embed page.html
var page string

// A protocol is a section of the page.
type protocol struct {
	Package, Picture string
	Tables           []*spec.System
	Rows             []Row
}

// pictures are what a worker, a parker, a ring and a task go through.
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
	"injector": `outside -- lock, open? append, length, unlock, notify --> injector        closed? refused
injector -- lock, a batch out, length, unlock ----------> a worker's hand one to run, the others in transit
hand     -- tail.Store, notify (a searcher: Found) -----> its ring        takeable by thieves
ring     -- full: half of it and the new one -----------> a spill         in transit
spill    -- lock, append, length, unlock, notify -------> injector        open or not
end      -- lock, closed, unlock; then Close of idle; a worker that is told Closed looks once more`,
}

// HTML writes rows as a page. base is what links to files begin with: a directory, or an address.
func HTML(w io.Writer, rows []Row, base string) error {
	tables := map[string][]*spec.System{
		"idle": {spec.Idle(), spec.IdleRuns(), spec.Close(), spec.Claim()}, "park": {spec.Park()}, "deque": {spec.Deque()}, "taskstate": {spec.Task()},
		"injector": {spec.Injector()},
	}
	var parts []*protocol
	for _, r := range rows {
		name, _, _ := strings.Cut(r.ID, "/")
		if len(parts) == 0 || parts[len(parts)-1].Package != name {
			parts = append(parts, &protocol{Package: name, Picture: pictures[name], Tables: tables[name]})
		}
		p := parts[len(parts)-1]
		p.Rows = append(p.Rows, r)
	}
	t, err := template.New("audit").Parse(page)
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		Base  string
		Parts []*protocol
		Rows  []Row
		Table []Access
	}{base, parts, rows, Accesses()})
}
