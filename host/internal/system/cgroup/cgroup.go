// Package cgroup limits the memory of processes with control groups of Linux, version 2,
// if this process may create them.
package cgroup

import "time"

// Use is the resource usage of the processes of a group.
type Use struct {
	// Peak is the largest total memory of the processes, in bytes; 0 if the system does not
	// report it (Linux before 5.19).
	Peak int64
	// CPU is their total processor time; 0 if the system does not report it.
	CPU time.Duration
	// Killed counts the processes that the system killed at the limit.
	Killed int
}
