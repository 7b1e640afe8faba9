package ordinarywatched

import (
	"testing"
	"unsafe"
)

// tomb is never followed.
var tomb = (*hidden)(unsafe.Pointer(uintptr(16)))

// verdict: proved, 4 traces
func TestPointerThatIsANumber(t *testing.T) {
	if n := lose(); n < 1 || tomb == nil {
		t.Fatal(n)
	}
}
