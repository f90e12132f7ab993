package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/experiment/fleet"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/system/files"
)

func init() { commands = append(commands, newFleet) }

// addKeys adds the flag for a folder of keys.
func addKeys(cmd *cobra.Command, name string, a *fleet.Address) {
	cmd.Flags().StringVar(&a.Keys, name, os.Getenv("HYFAIR_FLEET_KEYS"), "folder of keys for a fleet on other machines (default $HYFAIR_FLEET_KEYS)")
}

func newFleet(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Run experiments on many machines: serve a queue, join it, show its state",
		Long: `A fleet is a queue (serve), and machines that take tasks from it (join). Experiments
hand their tasks to it: hyfair compare, ablate, soundness run, and explain and mitigate
with a file of studies, with --fleet URL. docs/user/fleet.md goes from two laptops on a
table to a cluster.

URL is nats://HOST:PORT or tls://HOST:PORT, or several of a cluster, separated by commas;
without it, nats://127.0.0.1:4222. A queue on another machine needs keys. The exit code
is 2 if keys are missing or refused, and 1 if nothing answers.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newFleetServe(app), newFleetJoin(app), newFleetStatus(app), newFleetDrain(app), newFleetKeys(app))
	return cmd
}

// fleetServer is the program that serves the queue, in the folder of this one. Linked into
// this program, it would make up a third of the program's size.
const fleetServer = "hyfair-fleet"

func newFleetServe(app *App) *cobra.Command {
	var listen, store, limit, keys, monitor string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the queue of a fleet until interrupted",
		Long: `Serve the queue of a fleet: NATS JetStream, in its own folder, with every write on
disk before it is confirmed. Without keys it serves this machine only; to serve others
it needs keys, which hyfair fleet keys writes, and uses TLS. The queue may be lost: an
experiment's results are in its journal, and the same command queues the missing tasks
again. The program hyfair-fleet must be in the folder of hyfair.`,
		Example: `  hyfair fleet serve
  hyfair fleet serve --listen 0.0.0.0:4222 --keys keys/server --monitor 127.0.0.1:8222`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if store == "" {
				var err error
				if store, err = files.UserData("fleet"); err != nil {
					return usage(fmt.Errorf("no folder for the queue: %w; give one with --store", err))
				}
			}
			bytes, err := humanize.ParseBytes(limit)
			if err != nil || bytes == 0 || bytes > 1<<60 {
				return usage(fmt.Errorf("--limit %q: want a size above 0 and at most 1EiB, such as 16GiB", limit))
			}
			self, err := files.Program()
			if err != nil {
				return err
			}
			program := filepath.Join(filepath.Dir(self), fleetServer+filepath.Ext(self))
			if _, err := os.Stat(program); err != nil {
				return fmt.Errorf("%s, which serves the queue, must be in the folder of %s: %w", fleetServer, filepath.Base(self), files.Reason(err))
			}
			args := []string{program, "-listen", listen, "-store", store, "-limit", strconv.FormatUint(bytes, 10), "-keys", keys, "-monitor", monitor}
			if err := syscall.Exec(program, args, os.Environ()); runtime.GOOS != "windows" {
				return err
			}
			run := exec.CommandContext(cmd.Context(), program, args[1:]...)
			run.Stdout, run.Stderr = app.Stdout, app.Stderr
			return run.Run()
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&listen, "listen", "127.0.0.1:4222", "address to listen at; beyond this machine it needs --keys")
	fl.StringVar(&store, "store", "", "folder of the queue (default: fleet in the folder for data)")
	fl.StringVar(&limit, "limit", "16GiB", "largest size of the queue on disk")
	fl.StringVar(&keys, "keys", "", "folder of keys: the folder server that hyfair fleet keys wrote")
	fl.StringVar(&monitor, "monitor", "", "address on this machine for /metrics, such as 127.0.0.1:8222")
	return cmd
}

func newFleetJoin(app *App) *cobra.Command {
	w := &fleet.Worker{}
	cmd := &cobra.Command{
		Use:   "join [URL]",
		Short: "Take tasks from a fleet until interrupted or drained",
		Long: `Take tasks from the fleet at URL, run each in its own process on its own cores, and
return the results. Studies, data and networks come with the tasks and are cached by
checksum. Nothing executable does: this hyfair and its plugins must be, byte for byte,
those that a task names, else another worker does the task. --jobs tasks run at a time (by
default as the cores allow), on --threads cores each. The exit code is 130 after an
interrupt, when other workers do its tasks, and 0 after hyfair fleet drain.`,
		Example: `  hyfair fleet join
  hyfair fleet join nats://192.168.1.7:4222 --keys keys/worker --jobs 4`,
		Args: atMostOneURL,
		RunE: func(cmd *cobra.Command, args []string) error {
			w.URL = urlOf(args)
			w.Threads = max(1, app.Threads)
			cores := len(workers.Cores())
			if cores == 0 {
				cores = runtime.NumCPU()
			}
			w.Slots = max(1, cores/w.Threads)
			if cmd.Flag("jobs").Changed {
				w.Slots = app.Jobs
			}
			if w.Slots < 1 || w.Slots > 1<<12 {
				return usage(fmt.Errorf("--jobs %d: want 1 to %d", w.Slots, 1<<12))
			}
			var err error
			if w.Plugins, err = app.catalogue(); err != nil {
				return err
			}
			if w.Processes, err = app.workers(); err != nil {
				return err
			}
			if w.Cache == "" {
				if w.Cache, err = fleet.CacheDir(); err != nil {
					return usage(fmt.Errorf("no folder for files: %w; give one with --cache", err))
				}
			}
			w.JournalFile = app.Journal
			w.Log = func(format string, args ...any) { app.say(fmt.Sprintf(format, args...)) }
			app.begin()
			if err := w.Run(cmd.Context()); err != nil {
				return usageIf(err)
			}
			if cmd.Context().Err() != nil {
				return &exitError{ExitInterrupted, errors.New("interrupted; other workers do the unfinished tasks")}
			}
			return nil
		},
	}
	addKeys(cmd, "keys", &w.Address)
	cmd.Flags().StringVar(&w.Cache, "cache", "", "folder for cached studies, data and models (default: hyfair/fleet in the folder for caches)")
	return cmd
}

func atMostOneURL(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage(fmt.Errorf("%s wants at most one URL, got %d arguments; see %s --help", cmd.Name(), len(args), cmd.CommandPath()))
	}
	return nil
}

// urlOf returns the given address, or that of a queue on this machine.
func urlOf(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	return fleet.DefaultURL
}

func newFleetStatus(app *App) *cobra.Command {
	var a fleet.Address
	cmd := &cobra.Command{
		Use:     "status [URL]",
		Short:   "Show a fleet: machines, slots, queue, rate, time left, failures",
		Example: "  hyfair fleet status\n  hyfair fleet status tls://queue.example.org:4222 --keys keys/coordinator --json",
		Args:    atMostOneURL,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.URL = urlOf(args)
			ctx, cancel := context.WithTimeout(cmd.Context(), 20*time.Second)
			defer cancel()
			s, err := fleet.Look(ctx, a)
			if err != nil {
				return usageIf(err)
			}
			return app.show(s)
		},
	}
	addKeys(cmd, "keys", &a)
	return cmd
}

func newFleetDrain(app *App) *cobra.Command {
	var a fleet.Address
	worker := ""
	cmd := &cobra.Command{
		Use:     "drain [URL]",
		Short:   "Have workers finish their tasks, take no more, and exit",
		Example: "  hyfair fleet drain\n  hyfair fleet drain --worker node7",
		Args:    atMostOneURL,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.URL = urlOf(args)
			n, err := fleet.Drain(cmd.Context(), a, worker)
			if err == nil && n == 0 {
				err = errors.New("no worker answered; hyfair fleet status shows the fleet")
				if worker != "" {
					err = fmt.Errorf("no worker has the name or the host %q; hyfair fleet status lists them", worker)
				}
			}
			if err != nil {
				return usageIf(err)
			}
			return app.show(&fleet.Drained{Workers: n})
		},
	}
	addKeys(cmd, "keys", &a)
	cmd.Flags().StringVar(&worker, "worker", "", "drain only the worker of this name, or those on the host of this name (default: all)")
	return cmd
}

func newFleetKeys(app *App) *cobra.Command {
	var hosts []string
	cmd := &cobra.Command{
		Use:   "keys DIR",
		Short: "Write keys for a fleet that is reached from other machines",
		Long: `Write three folders: server for hyfair fleet serve, worker for the machines that join,
coordinator for those who run experiments. A worker's key can take tasks and return results,
and nothing else. Copy each folder to where it is needed, and nowhere else. DIR
must be new or empty.`,
		Example: "  hyfair fleet keys keys --host queue.example.org --host 192.168.1.7",
		Args:    exactlyOne("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(hosts) == 0 {
				return usage(errors.New("--host is missing: name the machine that serves the queue, as the others reach it"))
			}
			if err := fleet.WriteKeys(args[0], hosts); err != nil {
				return usage(err)
			}
			fmt.Fprintf(app.Stderr, "hyfair: keys for %s are in %s: server, worker and coordinator\n", strings.Join(hosts, ", "), args[0])
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&hosts, "host", nil, "a name or an address under which the server is reached; may be repeated")
	return cmd
}
