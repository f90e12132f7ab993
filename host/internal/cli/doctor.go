package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk/client"
)

func init() { commands = append(commands, newDoctor) }

func newDoctor(app *App) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say whether this machine can run hyfair, and what brings the pieces that are missing",
		Long: `Say whether this machine can run hyfair: the plugins that start, the native
libraries they need, found or not, the command that brings each one that is
missing, and the folder of the data. The exit code is 0 if at least one solver
can be used, else 1.`,
		Example: "  hyfair doctor\n  hyfair doctor --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := app.catalogue()
			if err != nil {
				return err
			}
			listings := c.List(cmd.Context())
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			d := diagnose(app.Data, c, listings)
			if app.JSON {
				err = app.printJSON(d)
			} else {
				d.print(app.Stdout)
			}
			if err == nil && !d.OK {
				return &exitError{code: ExitFailed}
			}
			return err
		},
	}
}

// diagnosis is what doctor prints.
type diagnosis struct {
	// OK: at least one solver can be used.
	OK       bool         `json:"ok"`
	Version  string       `json:"version"`
	Machine  machineJSON  `json:"machine"`
	Plugins  []pluginJSON `json:"plugins"`
	Searched []placeJSON  `json:"searched"`
	Data     dataJSON     `json:"data"`
	// Advice lists what to do, the most needed first; empty where all is well.
	Advice []string `json:"advice"`
}

type machineJSON struct {
	Go   string `json:"go"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
	CPU  string `json:"cpu,omitempty"`
}

type dataJSON struct {
	Path  string `json:"path"`
	Found bool   `json:"found"`
}

func diagnose(data string, c *discover.Catalogue, listings []discover.Listing) *diagnosis {
	d := &diagnosis{
		Version: session.Version(),
		Machine: machineJSON{Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), CPU: cpuModel()},
		Plugins: pluginList(listings), Searched: searched(c), Data: dataJSON{Path: data}, Advice: []string{},
	}
	solvers, strategies := 0, 0
	var fixes []string
	for i, l := range listings {
		switch {
		case l.Usable() && l.Kind == client.Solver:
			solvers++
		case l.Usable():
			strategies++
		case l.Err != nil:
			fixes = append(fixes, fmt.Sprintf("%s %s does not start: see its error above, or remove %s", l.Kind, l.Name, l.Path))
		}
		for _, lib := range d.Plugins[i].Libraries {
			if !lib.Found {
				fixes = append(fixes, fmt.Sprintf("%s for %s %s: %s", lib.Name, l.Kind, l.Name, lib.Hint))
			}
		}
	}
	if d.OK = solvers > 0; !d.OK {
		d.Advice = append(d.Advice, "no solver can be used, so that nothing can be certified: make setup && make build brings one")
	}
	if strategies == 0 {
		d.Advice = append(d.Advice, "no strategy can be used, so that nothing can be searched: make build brings some")
	}
	d.Advice = append(d.Advice, fixes...)
	if info, err := os.Stat(data); data != "" && err == nil && info.IsDir() {
		d.Data.Found = true
	} else if data != "" {
		d.Advice = append(d.Advice, fmt.Sprintf("the data folder %s is not there: check --data or $HYFAIR_DATA", data))
	}
	return d
}

// cpuModel is the processor's name where the system tells it in a file.
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if key, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (d *diagnosis) print(w io.Writer) {
	m := d.Machine
	fmt.Fprintf(w, "hyfair %s, %s, %s/%s, %d CPUs", d.Version, m.Go, m.OS, m.Arch, m.CPUs)
	if m.CPU != "" {
		fmt.Fprintf(w, " (%s)", m.CPU)
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "\nplugins")
	for _, p := range d.Plugins {
		mark := "ok     "
		if !p.Usable {
			mark = "MISSING"
		}
		if p.Error != "" {
			mark = "BROKEN "
		}
		fmt.Fprintf(w, "  %s  %s\n", mark, strings.Join(strings.Fields(p.Kind+" "+p.Name+" "+p.Version), " "))
		for _, l := range p.Libraries {
			fmt.Fprintf(w, "           %s\n", l.text())
			if l.Problem != "" {
				fmt.Fprintf(w, "           %s\n", indented(l.Problem))
			}
		}
		if p.Error != "" {
			fmt.Fprintf(w, "           %s\n", indented(p.Error))
		}
	}
	if len(d.Plugins) == 0 {
		fmt.Fprintln(w, "  none found (hyfair plugins says where they are looked for)")
	}
	fmt.Fprintln(w, "\ndata")
	switch {
	case d.Data.Found:
		fmt.Fprintf(w, "  ok       %s\n", d.Data.Path)
	case d.Data.Path != "":
		fmt.Fprintf(w, "  MISSING  %s\n", d.Data.Path)
	default:
		fmt.Fprintln(w, "  not set  studies of public data need --data or $HYFAIR_DATA; the shipped example does not")
	}
	if len(d.Advice) == 0 {
		fmt.Fprintln(w, "\nAll is well.")
		return
	}
	fmt.Fprintln(w, "\nwhat to do")
	for _, a := range d.Advice {
		fmt.Fprintf(w, "  - %s\n", a)
	}
}

func indented(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n           ")
}
