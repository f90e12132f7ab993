package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// exactlyOne is the argument rule of commands that take one thing.
func exactlyOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage(fmt.Errorf("%s wants one %s, got %d arguments; see %s --help", cmd.Name(), what, len(args), cmd.CommandPath()))
		}
		return nil
	}
}

// memoryBytes reads --memory: bytes, or a number with KiB, MiB, GiB, KB, MB or
// GB; 0 where it is not set.
func (a *App) memoryBytes() (int64, error) {
	text := strings.TrimSpace(a.Memory)
	if text == "" {
		return 0, nil
	}
	units := []struct {
		suffix string
		bytes  float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}}
	factor := 1.0
	for _, u := range units {
		if n, ok := strings.CutSuffix(text, u.suffix); ok {
			text, factor = strings.TrimSpace(n), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || v*factor > math.MaxInt64/2 {
		return 0, fmt.Errorf("--memory %q: want a size such as 2GiB or 512MiB", a.Memory)
	}
	return int64(v * factor), nil
}
