package taskstate

// WordAt returns a word in any state, possible or not.
func WordAt(s State) Word { return Word{bits: uint64(s)} }
