// Package filelock locks single bytes of files among processes. The bytes need not exist.
// When a process ends, in any way, the operating system frees its locks.
package filelock
