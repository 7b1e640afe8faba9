package instrument

import (
	"context"
	"fmt"
	"go/types"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// In the rewritten text a name stands for what it does in the program, or for an explicit method
// of a type on the way there: of structs that embed one another in many ways, in two packages, at
// package level and inside functions.
func TestExplicitMethodsKeepTheirPlace(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	lower, exported := embeddings(rng, "P", nil)
	upper, _ := embeddings(rng, "T", exported)
	dir := newModule(t, "-- p/p.go --\npackage p\n\nimport \"sync\"\n\n"+lower+
		"\n-- t_test.go --\npackage t\n\n"+
		"import (\n\t\"sync\"\n\t\"testing\"\n\n\t\"example.com/t/p\"\n)\n\nvar _ p.Public\n\n"+
		"func TestT(*testing.T) {}\n\n"+upper)
	set := rewriteModule(t, dir)
	replace := make(map[string][]byte)
	for name, text := range rewrittenFiles(t, set, "example.com/t", false) {
		replace[name] = []byte(text)
	}
	cfg := set.cfg
	cfg.Replace = replace
	again, err := Rewrite(context.Background(), cfg)
	require.NoError(t, err)

	before, after := declaredTypes(t, set), declaredTypes(t, again)
	require.Len(t, after, len(before))
	differ, hidden := 0, 0
	for id, tn := range before {
		for _, name := range []string{"Lock", "Unlock", "TryLock", "RLock", "RLocker"} {
			ptr, now := types.NewPointer(tn.Type()), types.NewPointer(after[id].Type())
			obj, path, _ := types.LookupFieldOrMethod(ptr, true, tn.Pkg(), name)
			got, index, _ := types.LookupFieldOrMethod(now, true, after[id].Pkg(), name)
			if obj == nil || got == nil {
				assert.True(t, obj == nil && got == nil, "%s of %s: %v, was %v", name, id, got, obj)
				continue
			}
			if slices.Equal(path, index) {
				differ++
				continue
			}
			hidden++
			fields := index[:len(index)-1]
			assert.Equal(t, path[:min(len(path), len(fields))], fields, "%s of %s", name, id)
			assert.Contains(t, []string{"sync"}, obj.Pkg().Path(), "%s of %s", name, id)
		}
	}
	assert.Greater(t, differ, 100)
	assert.Greater(t, hidden, 100)
}

// declaredTypes gives the types that the packages of a test binary declare, by package and name.
func declaredTypes(t *testing.T, set *Set) map[string]*types.TypeName {
	t.Helper()
	set.mu.Lock()
	defer set.mu.Unlock()
	root := set.plain.root("example.com/t")
	ss := set.session(context.Background(), set.plain, root)
	all := make(map[string]*types.TypeName)
	for _, p := range set.plain.closure(root) {
		if !strings.HasPrefix(p.ImportPath, "example.com/t") {
			continue
		}
		c, err := ss.load(p.ID)
		require.NoError(t, err)
		for _, obj := range c.info.Defs {
			if tn, ok := obj.(*types.TypeName); ok && !tn.IsAlias() {
				if _, isParam := tn.Type().(*types.TypeParam); !isParam {
					all[p.ImportPath+"."+tn.Name()] = tn
				}
			}
		}
	}
	return all
}

// embeddings writes groups of structs that embed locks, one another, and some of those given, and
// says which others may embed. Some have methods or a field named as a lock's.
func embeddings(rng *rand.Rand, prefix string, given []string) (text string, exported []string) {
	var b strings.Builder
	b.WriteString("type Public struct{ sync.Mutex }\n")
	for g := range 60 {
		known := []string{"sync.Mutex", "*sync.Mutex", "sync.RWMutex", "sync.Locker"}
		for range min(3, len(given)) {
			known = append(known, given[rng.Intn(len(given))])
		}
		declare := func(name, params string) {
			fmt.Fprintf(&b, "type %s%s struct {\n", name, params)
			used := make(map[string]bool)
			for range 1 + rng.Intn(3) {
				of := known[rng.Intn(len(known))]
				if rng.Intn(2) == 0 {
					of = known[len(known)-1-rng.Intn(min(3, len(known)))]
				}
				field, _, _ := strings.Cut(of[strings.LastIndexAny(of, ".*")+1:], "[")
				if !used[field] {
					used[field] = true
					fmt.Fprintf(&b, "\t%s\n", of)
				}
			}
			if rng.Intn(12) == 0 {
				b.WriteString("\tLock int\n")
				used["Lock"] = true
			}
			b.WriteString("}\n")
		}
		for i := range 6 {
			name := fmt.Sprintf("%s%dx%d", prefix, g, i)
			if rng.Intn(3) == 0 {
				name = strings.ToLower(name)
			}
			switch rng.Intn(7) {
			case 0:
				fmt.Fprintf(&b, "type %s struct{}\nfunc (*%s) Lock() {}\nfunc (*%s) Unlock() {}\n",
					name, name, name)
			case 1:
				declare(name, "[T any]")
				name += "[int]"
			default:
				declare(name, "")
			}
			if name[0] == prefix[0] {
				exported = append(exported, strings.ToLower(prefix)+"."+name)
			}
			if rng.Intn(4) == 0 {
				name = "*" + name
			}
			known = append(known, name)
		}
		fmt.Fprintf(&b, "func _() {\n")
		for i := range 3 {
			name := fmt.Sprintf("local%s%dx%d", prefix, g, i)
			declare(name, "")
			known = append(known, name)
		}
		b.WriteString("}\n")
	}
	return b.String(), exported
}
