//go:build !amd64 && !arm64

package atomic

import (
	"bytes"
	"runtime"
	"strconv"
)

// goroutine returns a number of the calling goroutine: no other has it.
func goroutine() uint64 {
	var buf [48]byte
	text := buf[:runtime.Stack(buf[:], false)]
	word, _, _ := bytes.Cut(bytes.TrimPrefix(text, []byte("goroutine ")), []byte(" "))
	n, err := strconv.ParseUint(string(word), 10, 64)
	if err != nil {
		panic("atomic: no number in " + strconv.Quote(string(text)))
	}
	return n
}
