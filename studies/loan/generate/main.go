// Command generate writes the synthetic loan applicants of the example study:
//
//	go run ./studies/loan/generate -seed 1 -files 3700 -out studies/loan/applicants.csv
//
// The same seed gives the same bytes on every machine. docs/user/loan.md explains
// the formulas in applicants.go.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
)

// The committed applicants.csv is what the defaults write.
const (
	defaultSeed  = 1
	defaultFiles = 3700
	maxFiles     = 10_000_000
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		fmt.Fprintf(os.Stderr, "generate: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("generate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	seed := flags.Uint64("seed", defaultSeed, "seed of the applicants")
	files := flags.Int("files", defaultFiles, "number of applications")
	out := flags.String("out", "-", "file to write; - is standard output")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *files < 1 || *files > maxFiles {
		return fmt.Errorf("-files %d: want 1 to %d", *files, maxFiles)
	}
	if *out == "-" {
		return write(stdout, *seed, *files)
	}
	f, err := os.Create(*out)
	if err != nil {
		return err
	}
	return errors.Join(write(f, *seed, *files), f.Close())
}

// write prints a header and one row for every decision on every file.
func write(w io.Writer, seed uint64, files int) error {
	buffered := bufio.NewWriter(w)
	fmt.Fprintln(buffered, strings.Join(columns, ","))
	rng := newRand(seed)
	for range files {
		a := drawApplicant(rng)
		for _, approved := range a.decisions(rng.IntN(lots)) {
			label := 0
			if approved {
				label = 1
			}
			fmt.Fprintf(buffered, "%d,%d,%d,%d,%d,%s,%s,%s,%d,%s,%d\n",
				a.income, a.creditRating, a.debtRatio, a.yearsEmployed, a.loanAmount,
				purposes[a.purpose], housings[a.housing], sexes[a.sex], a.age, origins[a.origin], label)
		}
	}
	return buffered.Flush()
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
