package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ofFiles begins the usage of a flag that is for a file of several studies only.
const ofFiles = "of a file of studies: "

// addHelp makes the help of a command show its own flags only. Those that every command has, and
// those that commands for files of studies share, are in hyfair help flags.
func addHelp(app *App, root *cobra.Command) {
	cobra.AddTemplateFunc("ownFlags", func(cmd *cobra.Command) string {
		return chosen(cmd.LocalFlags(), app.screen().Width, func(f *pflag.Flag) bool { return !strings.HasPrefix(f.Usage, ofFiles) })
	})
	const flags, global = "{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}", "Global Flags:\n{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}"
	root.SetUsageTemplate(strings.NewReplacer(flags, "{{ownFlags . | trimTrailingWhitespaces}}", global, `Flags that every command has: "hyfair help flags".`).Replace(root.UsageTemplate()))
	topic := &cobra.Command{Use: "flags", Short: "The flags that every command has, and those of files of studies"}
	topic.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		out := cmd.OutOrStdout()
		fmt.Fprintf(out, "Flags that every command has:\n%s", root.PersistentFlags().FlagUsagesWrapped(app.screen().Width))
		if explain, _, err := root.Find([]string{"explain"}); err == nil {
			fmt.Fprintf(out, "\nFlags of explain and mitigate for a file of several studies:\n%s", strings.ReplaceAll(
				chosen(explain.LocalFlags(), app.screen().Width, func(f *pflag.Flag) bool { return strings.HasPrefix(f.Usage, ofFiles) }), ofFiles, ""))
		}
	})
	root.AddCommand(topic)
}

// chosen returns the usages of some flags, no wider than width; 0: any width.
func chosen(flags *pflag.FlagSet, width int, take func(*pflag.Flag) bool) string {
	some := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.VisitAll(func(f *pflag.Flag) {
		if take(f) {
			some.AddFlag(f)
		}
	})
	return some.FlagUsagesWrapped(width)
}
