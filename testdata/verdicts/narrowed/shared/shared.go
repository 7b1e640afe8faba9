// Package shared has what another package changes when it is initialised.
package shared

// Limit is 1 once package sets is initialised.
var Limit = 2
