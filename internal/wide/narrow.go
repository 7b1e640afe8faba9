//go:build !wide && !deep

package wide

// Checks says that the widest checks of this module are run.
const Checks = false
