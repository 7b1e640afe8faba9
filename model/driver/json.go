package driver

import (
	"encoding/json"
	"io"
)

// JSONVersion is the value of "version" in what JSON prints. It changes when a field goes or means
// something else, not when one is added.
const JSONVersion = 1

// JSON prints one object per check, each on a line, and then the summary.
type JSON struct{ encoder *json.Encoder }

// NewJSON prints to out.
func NewJSON(out io.Writer) *JSON {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return &JSON{e}
}

// Plan prints nothing.
func (*JSON) Plan([]Row) {}

// Active prints nothing.
func (*JSON) Active(int, int, []Activity) {}

// Row prints one object. A test that is skipped is no check: it is named in the summary.
func (j *JSON) Row(r Row) {
	if r.Verdict != skipped {
		r.Version = JSONVersion
		_ = j.encoder.Encode(r)
	}
}

// Close prints the summary.
func (j *JSON) Close(sum Summary) {
	sum.Version = JSONVersion
	_ = j.encoder.Encode(sum)
}

// Abandon prints nothing: without a summary the output is incomplete.
func (*JSON) Abandon() {}
