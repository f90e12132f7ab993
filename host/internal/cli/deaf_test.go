package cli

import (
	"strings"
	"testing"
)

// TestTimeLimitsHold: a solver that hears nothing is killed soon after the time is
// over, whatever it was asked, and what is known by then is shown.
func TestTimeLimitsHold(t *testing.T) {
	plugins, study := rogueFolder(t, "rogue"), tenureStudy(t)
	for _, args := range [][]string{
		{"certify", "--encoding", "network"}, {"certify", "--encoding", "smt"},
		{"certify", "--encoding", "bigm", "--maximize", "--relax", "years=1"},
		{"certify", "--encoding", "network", "--max-k"}, {"certify", "--encoding", "bigm", "--bounds", "lp"},
		{"quantify"},
	} {
		if args[0] == "certify" {
			args = append(args, "--climb=false")
		}
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			code, stdout, stderr := command(t, plugins, append(args, study, "--solver", "rogue", "--set", "mode=deaf", "--epsilon", "0.9", "--timeout", "1s")...)
			if code != ExitDone || !strings.Contains(stdout, "time limit") {
				t.Errorf("exit code %d: %s%s", code, stdout, stderr)
			}
		})
	}
}
