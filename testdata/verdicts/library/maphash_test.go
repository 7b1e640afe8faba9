package library

import (
	"hash/maphash"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

var packageSeed = maphash.MakeSeed()

// sharded takes locks that hashes choose: other hashes are other locks.
func sharded(x *model.Exec, hash func(key string) uint64) {
	var shards [8]sync.Mutex
	for _, keys := range [][]string{{"a", "b", "c"}, {"d", "e", "f"}} {
		x.Go("user", func() {
			for _, key := range keys {
				shard := &shards[hash(key)%8]
				shard.Lock()
				shard.Unlock()
			}
		})
	}
	x.Join()
}

// verdict: proved
func TestShardsByHash(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		sharded(x, func(key string) uint64 { return maphash.String(packageSeed, key) })
	})
}

// verdict: proved
func TestShardsByHashOfItsOwn(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		seed := maphash.MakeSeed()
		sharded(x, func(key string) uint64 {
			var h maphash.Hash
			h.SetSeed(seed)
			h.WriteString(key)
			return h.Sum64()
		})
	})
}

// verdict: proved
func TestShardsByHashOfAnything(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type point struct{ name string }
		sharded(x, func(key string) uint64 { return maphash.Comparable(packageSeed, point{key}) })
	})
}

// The zero Hash has a seed of its own.
//
// verdict: proved
func TestShardsByZeroHash(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var hash maphash.Hash
		seed := hash.Seed()
		sharded(x, func(key string) uint64 { return maphash.Bytes(seed, []byte(key)) })
	})
}

// verdict: proved
func TestSeedsDiffer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		make := maphash.MakeSeed
		a, b := make(), make()
		x.Assert(a != b && a != packageSeed, "seeds are equal")
	})
}
