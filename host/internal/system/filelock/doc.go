// Package filelock locks single bytes of files, which need not be there, among
// processes. The operating system frees what a process has locked when it ends,
// however it ends.
package filelock
