package proofs

import "strings"

// A Row is the result of one theorem. Its JSON names are an interface.
type Row struct {
	ID          string   `json:"id"`
	Statement   string   `json:"statement"`
	Scope       string   `json:"scope"`
	Method      string   `json:"method"`
	Tool        string   `json:"tool"`
	Assumptions []string `json:"assumptions"`
	Result      string   `json:"result"` // Proved, Bounded or Failed
	Seconds     float64  `json:"seconds"`
	Message     string   `json:"message,omitempty"` // why it failed
	File        string   `json:"file"`
	Line        int      `json:"line,omitempty"` // of the theorem there, if it has one
	Code        []string `json:"code"`
	// Tables are the transition tables that what the proof speaks about is made from. ByHand says
	// that it was copied by hand instead, so that it may differ from the tables.
	Tables  []string `json:"tables,omitempty"`
	ByHand  bool     `json:"by_hand,omitempty"`
	Mutants []Mutant `json:"mutants"`
}

// Made says in words what the row's Tables and ByHand say.
func (r Row) Made() string {
	switch {
	case r.ByHand:
		return "its states and steps are a copy by hand"
	case len(r.Tables) > 0:
		return "made from the table " + strings.Join(r.Tables, ", ")
	}
	return ""
}

// A Mutant is the result of one mutant of a theorem.
type Mutant struct {
	ID      string  `json:"id"`
	What    string  `json:"what"`
	Result  string  `json:"result"` // Killed, Accepted, or why the theorem fails
	Reason  string  `json:"reason"` // what refutes it, or why nothing does
	Seconds float64 `json:"seconds"`
}

// The results of a mutant. With any but the first two its theorem has failed.
const (
	Killed       = "killed"         // the claim is refuted
	Accepted     = "accepted"       // the edit does no harm, and the proof goes through
	Refuted      = "REFUTED"        // the edit does no harm, and the claim is refuted
	Survived     = "SURVIVED"       // the proof goes through all the same
	Inapplicable = "DOES NOT APPLY" // what it edits is not there
	NoAnswer     = "NO ANSWER"      // the tool gave none
)

// The results of a row.
const (
	Proved  = "proved"  // for any N
	Bounded = "bounded" // within the bounds of the scope, exhaustively
	Failed  = "FAILED"  // the proof or one of its mutants
)
