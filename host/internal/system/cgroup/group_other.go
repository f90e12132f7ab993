//go:build !linux

package cgroup

import "errors"

// Group is a control group with a limit of memory.
type Group struct{}

// New makes a group for these bytes. The error says why none can be made.
func New(int64) (*Group, error) { return nil, errors.New("control groups are of Linux") }

// Take puts a process into the group, with all that it will start.
func (*Group) Take(int) error { return nil }

// Close tells what the group's processes needed, ends those that are left, and removes it.
func (*Group) Close() Use { return Use{} }
