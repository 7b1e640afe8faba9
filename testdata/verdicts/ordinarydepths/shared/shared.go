// Package shared has types that embed locks, for others to embed.
package shared

import "sync"

type inner struct{ sync.Mutex }

// Base has a lock whose way cannot be named elsewhere.
type Base struct{ inner }

// Embed has one whose way can.
type Embed struct{ sync.Mutex }

// Alias stands for a struct without a name.
type Alias = struct{ Embed }
