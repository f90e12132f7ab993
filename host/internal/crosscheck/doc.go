// Package crosscheck holds the tests that go across package borders: of two independent
// ways to the same answer on the public networks, what is fast against what is plainly
// right, and of every answer's result, that it can be stored. It has no code of its own.
package crosscheck
