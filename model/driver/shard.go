package driver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/surewake/surewake/model/wire"
)

// CertificateVersion is the version of certificates. It changes when a field goes or means
// something else.
const CertificateVersion = 1

// A Certificate says what one shard has found.
type Certificate struct {
	Version int         `json:"version"`
	Shard   int         `json:"shard"` // from 1 to Shards
	Shards  int         `json:"shards"`
	Asked   Asked       `json:"asked"`
	Checks  []Certified `json:"checks"`
}

// Asked is what decides, beside the source, which executions a check has.
type Asked struct {
	Run         string        `json:"run"`
	Tags        string        `json:"tags"`
	Race        bool          `json:"race"`
	Early       time.Duration `json:"early"` // in nanoseconds
	Time        string        `json:"time"`
	MapOrders   bool          `json:"mapOrders,omitempty"`
	Preemptions int           `json:"preemptions"`
	Packages    []string      `json:"packages"` // import paths, sorted
}

// Certified is what one shard has found of one check.
type Certified struct {
	Package string        `json:"package"`
	Name    string        `json:"name"`
	Source  string        `json:"source"` // a hash of the package, what it imports, and the checker
	Verdict string        `json:"verdict"`
	Message string        `json:"message,omitempty"`
	Plain   []wire.Search `json:"plain"`
	Race    []wire.Search `json:"race,omitempty"`
}

// checkShard says which options are not for shards.
func (o *Options) checkShard() error {
	if o.ShardModes != "" && o.Shard.Of == 0 {
		return usagef("-shard-modes is for -shard")
	}
	if o.Shard.Of == 0 {
		return nil
	}
	for _, no := range []struct {
		given bool
		flag  string
	}{
		{o.Strategy != Strategies[0], "-strategy " + o.Strategy},
		{o.Tests != "", "-test"}, {o.Jobs > 1, "-jobs"},
		{o.Certify != "", "-certify"}, {o.CoverProfile != "", "-coverprofile"},
		{o.Budget.Executions > 0, "-budget with a number of executions"},
	} {
		if no.given {
			return usagef("-shard %v with %s: a shard explores its part of all executions of a check, "+
				"in one process; give one of them", o.Shard, no.flag)
		}
	}
	if strings.Trim(o.ShardModes, "abcdefghijklmnopqrstuvwxyz") != "" {
		return usagef("-shard-modes %q: want the letters that surewake merge has named", o.ShardModes)
	}
	return nil
}

// A Certifier is an Observer that writes a certificate.
type Certifier struct {
	name string
	c    Certificate
}

// NewCertifier writes the certificate of a shard into a file of this name.
func NewCertifier(o *Options, name string) *Certifier {
	return &Certifier{name, Certificate{
		Version: CertificateVersion, Shard: o.Shard.K, Shards: o.Shard.Of,
		Asked: Asked{
			Run: o.Run, Tags: o.Tags, Race: o.Race, Early: o.Early, Time: o.Time,
			MapOrders: o.MapOrders, Preemptions: o.Preemptions, Packages: []string{},
		},
		Checks: []Certified{},
	}}
}

// Plan does nothing.
func (*Certifier) Plan([]Row) {}

// Active does nothing.
func (*Certifier) Active(int, int, []Activity) {}

// Row keeps what was found of a check.
func (c *Certifier) Row(r Row) {
	if r.Verdict == skipped {
		return
	}
	if p := c.c.Asked.Packages; !slices.Contains(p, r.Package) {
		c.c.Asked.Packages = append(p, r.Package)
		slices.Sort(c.c.Asked.Packages)
	}
	c.c.Checks = append(c.c.Checks, Certified{
		Package: r.Package, Name: r.Name, Source: r.source, Verdict: r.Verdict, Message: r.Message,
		Plain: r.searches[0], Race: r.searches[1],
	})
}

// Close writes the certificate, all at once.
func (c *Certifier) Close() error {
	text, err := json.MarshalIndent(c.c, "", "\t")
	if err != nil {
		return err
	}
	unfinished := c.name + ".new"
	err = os.WriteFile(unfinished, append(text, '\n'), 0o666)
	if err == nil {
		err = os.Rename(unfinished, c.name)
	}
	if err != nil {
		_ = os.Remove(unfinished)
	}
	return err
}

// Shards are the certificates of all shards.
type Shards struct {
	all []*Certificate // in the order of the shards
}

// ReadShards reads the certificates of all shards, in any order. One may be there several times,
// as of a shard that was run again. It is an error if one is missing, if two of one shard say
// different things, or if they are not of the same checks.
func ReadShards(names []string) (*Shards, error) {
	var s Shards
	from := map[int]string{}
	for _, name := range names {
		c, err := readCertificate(name)
		if err != nil {
			return nil, err
		}
		if s.all == nil {
			s.all = make([]*Certificate, c.Shards)
		}
		if c.Shards != len(s.all) {
			return nil, usagef("%s is of %d shards, %s of %d: all must be of the same number",
				name, c.Shards, names[0], len(s.all))
		}
		old := s.all[c.Shard-1]
		if old != nil && !reflect.DeepEqual(old.timeless(), c.timeless()) {
			return nil, usagef("%s and %s are both of shard %d, and say different things",
				from[c.Shard], name, c.Shard)
		}
		s.all[c.Shard-1], from[c.Shard] = c, name
	}
	var missing []string
	for i, c := range s.all {
		if c == nil {
			missing = append(missing, fmt.Sprint(i+1))
		}
	}
	if len(missing) > 0 {
		return nil, usagef("of %d shards, these are missing: %s",
			len(s.all), strings.Join(missing, ", "))
	}
	for _, c := range s.all[1:] {
		if err := s.all[0].agrees(c); err != nil {
			return nil, err
		}
	}
	return &s, nil
}

func readCertificate(name string) (*Certificate, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, &UsageError{Text: err.Error()}
	}
	var c Certificate
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return nil, usagef("%s is no certificate of a shard: %v", name, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, usagef("%s is no certificate of a shard: something follows it", name)
	}
	if c.Version != CertificateVersion {
		return nil, usagef("%s has version %d, this surewake reads version %d",
			name, c.Version, CertificateVersion)
	}
	if c.Shard < 1 || c.Shard > c.Shards || c.Shards > mostShards {
		return nil, usagef("%s is of shard %d of %d: want 1 to the number of shards, at most %d",
			name, c.Shard, c.Shards, mostShards)
	}
	return &c, nil
}

// mostShards bounds what a damaged certificate can ask for.
const mostShards = 1 << 16

// timeless returns the certificate without what may differ when a shard is run again.
func (c *Certificate) timeless() Certificate {
	out := *c
	out.Checks = slices.Clone(c.Checks)
	for i := range out.Checks {
		check := &out.Checks[i]
		check.Message = ""
		check.Plain, check.Race = timeless(check.Plain), timeless(check.Race)
	}
	return out
}

func timeless(all []wire.Search) []wire.Search {
	out := slices.Clone(all)
	for i := range out {
		var found map[string]any
		if json.Unmarshal(out[i].Found, &found) == nil {
			delete(found, "Seconds")
			out[i].Found, _ = json.Marshal(found)
		}
	}
	return out
}

// agrees returns an error unless another certificate is of the same checks, all of which were
// explored.
func (c *Certificate) agrees(other *Certificate) error {
	if !reflect.DeepEqual(c.Asked, other.Asked) {
		return usagef("shards %d and %d were run with different flags or packages:\n%+v\n%+v",
			c.Shard, other.Shard, c.Asked, other.Asked)
	}
	if len(c.Checks) != len(other.Checks) {
		return usagef("shard %d has %d checks, shard %d has %d",
			c.Shard, len(c.Checks), other.Shard, len(other.Checks))
	}
	for i := range c.Checks {
		a, b := &c.Checks[i], &other.Checks[i]
		if a.Package != b.Package || a.Name != b.Name || a.Source != b.Source {
			return usagef("check %d of shard %d is %s %s of source %s, that of shard %d %s %s of %s",
				i+1, c.Shard, a.Package, a.Name, a.Source, other.Shard, b.Package, b.Name, b.Source)
		}
	}
	return nil
}

// matches returns an error unless the certificates are of the planned tests.
func (s *Shards) matches(tests []planned) error {
	if s == nil {
		return nil
	}
	now := map[string]string{}
	for _, t := range tests {
		now[t.pkg.Path] = t.pkg.Source + t.pkg.Engine
	}
	for _, check := range s.all[0].Checks {
		if source, ok := now[check.Package]; !ok || source != check.Source {
			return usagef("the certificates are of source %s of %s, here it is %q: "+
				"merge where the source and surewake are those of the shards", check.Source, check.Package, source)
		}
	}
	return nil
}

// complete returns an error unless all checks of the certificates have a result now.
func (s *Shards) complete(sum *Summary) error {
	if s != nil && sum.Checks != len(s.all[0].Checks) {
		return usagef("the certificates are of %d checks, of which %d were found again",
			len(s.all[0].Checks), sum.Checks)
	}
	return nil
}

// Into sets the options with which the shards were run.
func (s *Shards) Into(o *Options) {
	a := &s.all[0].Asked
	o.Run, o.Tags, o.Race, o.Early = a.Run, a.Tags, a.Race, a.Early
	o.Time, o.MapOrders, o.Preemptions = a.Time, a.MapOrders, a.Preemptions
	o.Patterns, o.Merge = a.Packages, s
}

// write writes for the test binary of a package what all shards have found.
func (s *Shards) write(dir, pkg string, race bool) (name string, err error) {
	all := wire.Shards{}
	for i := range s.all[0].Checks {
		if check := &s.all[0].Checks[i]; check.Package == pkg {
			if all[check.Name], err = s.searches(i, race); err != nil {
				return "", err
			}
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "found-*.json")
	if err != nil {
		return "", err
	}
	defer f.Close()
	_, err = f.Write(text)
	return f.Name(), err
}

// searches returns what all shards have found in each search of the check at index i.
func (s *Shards) searches(i int, race bool) (all [][]wire.Search, err error) {
	of := func(c *Certificate) (*Certified, []wire.Search) {
		if check := &c.Checks[i]; race {
			return check, check.Race
		} else {
			return check, check.Plain
		}
	}
	for k := 0; ; k++ {
		var found []wire.Search
		var lacks *Certificate // one that has not failed
		failed := false
		for _, c := range s.all {
			switch check, searches := of(c); {
			case k < len(searches):
				found = append(found, searches[k])
				if err := fits(check.Name, &found[0], &searches[k]); err != nil {
					return nil, err
				}
			case check.Verdict == Failed:
				failed = true
			case lacks == nil:
				lacks = c
			}
		}
		if len(found) == 0 {
			return all, nil
		}
		whole := found[0].Units == 1 // by the first shard
		if lacks != nil && !failed && (!whole || lacks == s.all[0]) {
			check, _ := of(lacks)
			return nil, usagef("shard %d has no result of a search of %s, which is %s there: %s",
				lacks.Shard, check.Name, check.Verdict, check.Message)
		}
		if whole {
			found = found[:1]
		}
		all = append(all, found)
	}
}

// fits returns an error unless two shards have divided a search of a check in the same way. One
// that has failed at once has not divided it.
func fits(check string, a, b *wire.Search) error {
	switch {
	case a.Units == 0 || b.Units == 0:
		return nil
	case a.Modes != b.Modes:
		more := a.Modes
		if len(b.Modes) > len(more) {
			more = b.Modes
		}
		return usagef("%s: some shards have searched in modes %q, others in %q; "+
			"run all shards again with -shard-modes %s", check, a.Modes, b.Modes, more)
	case a.Units != b.Units || a.Hash != b.Hash:
		return usagef("%s: shards have divided it in different ways (%d parts, %s; %d parts, %s): "+
			"it does not repeat itself, or they were run by different versions of surewake",
			check, a.Units, a.Hash, b.Units, b.Hash)
	}
	return nil
}
