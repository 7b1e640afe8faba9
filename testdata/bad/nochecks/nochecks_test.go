package nochecks

import "testing"

func TestPlain(t *testing.T) {}
