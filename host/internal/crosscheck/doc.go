// Package crosscheck holds tests that span packages: two independent ways to the same
// answer agree on the public networks, fast code agrees with plain code, and every
// answer's result can be stored. It contains only tests.
package crosscheck
