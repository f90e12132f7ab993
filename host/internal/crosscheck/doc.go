// Package crosscheck holds the tests that compare two independent ways to the
// same answer across package borders, on the public networks: what is fast
// against what is plainly right. It has no code of its own.
package crosscheck
