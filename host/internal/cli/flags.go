package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/record"
)

// exactlyOne is the argument rule of commands with one argument. Usage errors call it by the given
// name.
func exactlyOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage(fmt.Errorf("%s wants one %s, got %d arguments; see %s --help", cmd.Name(), what, len(args), cmd.CommandPath()))
		}
		return nil
	}
}

// addShard adds --shard, with the given prefix in its help.
func (a *App) addShard(cmd *cobra.Command, of string) {
	cmd.Flags().Var(&shardFlag{&a.Shard}, "shard", of+"do one part of the tasks, such as 3/20; hyfair runs merge merges the journals of all parts")
}

// shardFlag is the value of --shard.
type shardFlag struct{ to *record.Shard }

// Set implements pflag.Value.
func (f *shardFlag) Set(text string) (err error) {
	*f.to, err = record.ParseShard(text)
	return err
}

// String implements pflag.Value.
func (f *shardFlag) String() string {
	if f.to == nil {
		return ""
	}
	return f.to.String()
}

// Type implements pflag.Value.
func (*shardFlag) Type() string { return "part/of" }

// optionalFloat is the value of a numeric flag. Its target stays nil unless the user gives the
// flag.
type optionalFloat struct{ to **float64 }

// Set implements pflag.Value.
func (o *optionalFloat) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err == nil {
		*o.to = &v
	}
	return err
}

// String implements pflag.Value.
func (o *optionalFloat) String() string {
	if o.to == nil || *o.to == nil {
		return ""
	}
	return strconv.FormatFloat(**o.to, 'g', -1, 64)
}

// Type implements pflag.Value.
func (*optionalFloat) Type() string { return "float" }

// memoryBytes reads --memory: bytes, or a number with KiB, MiB, GiB, KB, MB or
// GB; 0 if it is not set.
func (a *App) memoryBytes() (int64, error) {
	if strings.TrimSpace(a.Memory) == "" {
		return 0, nil
	}
	n, err := humanize.ParseBytes(a.Memory)
	if err != nil || n == 0 || n > math.MaxInt64/2 {
		return 0, fmt.Errorf("--memory %q: want a size above 0 and below 4EiB, such as 2GiB or 512MiB", a.Memory)
	}
	return int64(n), nil
}
