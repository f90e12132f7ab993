// Package cgroup holds processes to a limit of memory in control groups of Linux,
// version 2, where this process may make them.
package cgroup

import "time"

// Use is what the processes of a group needed.
type Use struct {
	// Peak is the most memory in bytes that they had together; 0 where the system does
	// not tell it (Linux before 5.19).
	Peak int64
	// CPU is their processor time; 0 where the system does not tell it.
	CPU time.Duration
	// Killed counts those that the system ended since the limit was reached.
	Killed int
}
