//go:build !linux

package workers

import (
	"os/exec"
)

// Cores lists the processors that this process may use; empty if they are unknown or affinity
// cannot be set.
func Cores() []int { return nil }

func start(cmd *exec.Cmd, _ []int) error { return cmd.Start() }
