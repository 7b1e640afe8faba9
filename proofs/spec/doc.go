// Package spec holds the protocols as tables of transitions, one atomic access of the shipped code
// a transition.
//
// A [System] has integer variables, rules that may fire while their condition holds, and claims
// about all states that the rules lead to. Conditions and effects are written as Go expressions
// over the variables. The same table is read by two independent readers: [System.Explore] walks
// through every state for given bounds, and package smt turns it into questions that z3 and cvc5
// answer for any number of workers, tasks and slots.
//
// Workers, wakers and notifiers that do the same are counted, not named: the variable P_b of the
// table [Idle] is how many workers sleep with their bit set. So a table says nothing about which of
// several equal workers is chosen, and what holds for it holds for every choice.
package spec
