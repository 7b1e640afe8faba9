package buggy

import (
	"testing"
)

// A reader hands over what it has read, and reads on.
func readChunks(source []string, chunks chan<- []byte) {
	defer close(chunks)
	buf := make([]byte, 4)
	for _, text := range source {
		n := copy(buf, text)
		chunks <- buf[:n]
	}
}

// verdict: FAILED ^in the race run: data race
func TestCapturedBuffer(t *testing.T) {
	chunks := make(chan []byte)
	go readChunks([]string{"ab", "cd"}, chunks)
	all := ""
	for chunk := range chunks {
		all += string(chunk)
	}
	if all != "abcd" {
		t.Errorf("chunks %q", all)
	}
}
