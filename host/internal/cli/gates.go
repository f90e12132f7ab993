package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
)

// gateFlags holds the gates of a command, and the file for their outcomes as JUnit XML.
type gateFlags struct {
	junit     string
	unchecked bool
	gates     *[]gate.Gate
}

// addGates adds --junit and --unchecked to a command that already has --html. The second argument
// is the list to which the flags of gates append.
func (a *App) addGates(cmd *cobra.Command, to *[]gate.Gate) {
	f, before := &a.page.gates, cmd.PreRunE
	cmd.Flags().StringVar(&f.junit, "junit", "", "write the outcomes of the bounds to this file, as JUnit XML")
	cmd.Flags().BoolVar(&f.unchecked, "unchecked", false, "let bounds pass although the study's inputs were not checked against the model's own scores")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		f.gates = to
		if err := f.ready(cmd); err != nil {
			return err
		}
		return before(cmd, args)
	}
}

// gateFlag is the value of a flag that sets a gate.
type gateFlag struct {
	to    *[]gate.Gate
	name  string
	kind  string
	parse func(name, bound string) (gate.Gate, error)
}

// Set implements pflag.Value.
func (f *gateFlag) Set(text string) error {
	g, err := f.parse(f.name, text)
	if err != nil {
		return err
	}
	*f.to = append(slices.DeleteFunc(*f.to, func(g gate.Gate) bool { return g.Name == f.name }), g)
	return nil
}

// String implements pflag.Value.
func (f *gateFlag) String() string {
	if f.to != nil {
		for _, g := range *f.to {
			if g.Name == f.name {
				return g.Bound
			}
		}
	}
	return ""
}

// Type implements pflag.Value.
func (f *gateFlag) Type() string { return f.kind }

// addShareGate adds a flag for the largest share that passes. A larger or unknown share fails.
func addShareGate(cmd *cobra.Command, to *[]gate.Gate, name, usage string) {
	cmd.Flags().Var(&gateFlag{to, name, "share", gate.Share}, name, usage+", such as 1% or 0.01: exit with code 3 if it is exceeded or unknown")
}

// addRatioGate adds a flag for the least ratio that passes. A smaller or unknown ratio fails.
func addRatioGate(cmd *cobra.Command, to *[]gate.Gate, name, usage string) {
	cmd.Flags().Var(&gateFlag{to, name, "ratio", gate.Ratio}, name, usage+", such as 0.8: exit with code 3 if one is smaller or unknown")
}

// ready checks that the file can be written and that a gate is given.
func (f *gateFlags) ready(cmd *cobra.Command) error {
	if f.junit == "" {
		return nil
	}
	if len(*f.gates) == 0 {
		return usage(fmt.Errorf("--junit writes the outcomes of bounds, and no bound is given; see %s --help", cmd.CommandPath()))
	}
	if err := files.Try(f.junit); err != nil {
		return usage(fmt.Errorf("--junit: %w", err))
	}
	return nil
}

// hold adds a failed gate to a result with gates if the inputs of its study were not checked,
// unless --unchecked is given. It must be called before the result is shown.
func (f *gateFlags) hold(r any) {
	held, ok := r.(interface {
		Hold(...gate.Check)
		Unchecked() string
	})
	if !ok || f.unchecked || f.gates == nil || len(*f.gates) == 0 {
		return
	}
	if why := held.Unchecked(); why != "" {
		held.Hold(gate.Inputs(strings.TrimPrefix(why, "inputs not checked ") + ": check them with hyfair inspect --scores, or accept that with --unchecked"))
	}
}

// gated writes the outcomes of a command's gates and returns their error; r is the result, if any.
// A failure or an interrupt takes precedence.
func (a *App) gated(ctx context.Context, r any, failed error) error {
	var checks []gate.Check
	if held, ok := r.(interface{ Checked() []gate.Check }); ok {
		checks = held.Checked()
	}
	if f := &a.page.gates; f.junit != "" {
		s := gate.Suite{
			Name: a.commandLine(), About: strings.ReplaceAll(a.page.title, " ", "."), Begun: a.begun(), Seconds: time.Since(a.begun()).Seconds(),
			Asked: *f.gates, Checks: checks, Err: failed,
		}
		if err := files.Write(f.junit, func(file *os.File) error { return s.WriteJUnit(file) }); err != nil {
			return errors.Join(failed, fmt.Errorf("--junit: %w", err))
		}
	}
	if failed != nil || session.Interrupted(ctx) {
		return failed
	}
	if err := gate.Err(checks); err != nil {
		return &exitError{ExitCheck, err}
	}
	return nil
}

// begun returns the time when the command began.
func (a *App) begun() time.Time {
	if a.current == nil {
		return time.Now()
	}
	return a.current.Begun
}
