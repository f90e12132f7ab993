package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/mitigate"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// mitigateJob is what the arms of a mitigation share.
type mitigateJob struct {
	app      *App
	flags    *mitigateFlags
	asked    *question.Question
	study    *study.Study
	space    *space.Space
	region   space.Region
	original *relu.Network
	// files has what was written: networks by way, guardrails by arm.
	files map[string][]string
	// runs are the searches in the journal, by arm.
	runs    map[string][]string
	journal string
}

// search is mitigate.Config.Search: searches as hyfair search makes them, of the
// subject's network, which the plugins see as a file like any other.
func (j *mitigateJob) search(ctx context.Context, name string, subject mitigate.Subject) (*mitigate.Searched, error) {
	if err := j.writeGuardrails(name, subject.Guards); err != nil {
		return nil, err
	}
	s, err := j.app.session()
	if err != nil {
		return nil, err
	}
	r := j.flags.search
	if r.Set, err = j.app.pluginOptions(); err != nil {
		return nil, err
	}
	r.Seed = j.app.Seed
	asked := j.asked
	if subject.Network != j.original {
		if asked, err = asked.With(subject.Network); err != nil {
			return nil, err
		}
	}
	begin := time.Now()
	searcher, err := search.OpenFor(ctx, s, asked, r)
	if err != nil {
		return nil, err
	}
	defer searcher.Close()
	searcher.Guards, searcher.Label = subject.Guards, map[string]string{"arm": name}
	if len(subject.Guards) > 0 {
		searcher.Label["guards"] = hashOf(j.space, subject.Guards)
	}
	out := &mitigate.Searched{}
	loading := time.Since(begin)
	for i := 0; i < r.Runs && (i == 0 || ctx.Err() == nil) && err == nil; i++ {
		seed := r.Seed + int64(i)
		run, failed := searcher.Begin(seed, time.Now().Add(-loading))
		if failed != nil {
			return nil, failed
		}
		run.Sinks = append(run.Sinks, func(e record.Event) {
			if e.Kind == record.KindFound {
				out.Found = append(out.Found, *e.Found)
			}
		})
		var result *search.Outcome
		if result, _ = searcher.Run(ctx, seed, run, ""); ctx.Err() == nil {
			err = errors.Join(result.Err, result.SolverErr)
		}
		out.Runs = append(out.Runs, result.Measures)
		out.Refused += result.Refused
		out.Evaluations += result.Evaluations
		if run.Kept != nil {
			j.runs[name] = append(j.runs[name], run.Name())
			j.journal = run.Journal
		}
	}
	return out, err
}

// hashOf tells guardrails apart in the journal.
func hashOf(s *space.Space, guards []space.Predicate) string {
	sum := sha256.New()
	for _, p := range guards {
		fmt.Fprintln(sum, p.Format(s))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// trained is mitigate.Config.Trained: it writes the network, where --out asks.
func (j *mitigateJob) trained(way string, n *relu.Network) error {
	if j.flags.out == "" {
		return nil
	}
	stem := filepath.Join(j.flags.out, way)
	if err := files.Write(stem+".json", func(file *os.File) error { return modelfile.WriteJSON(file, n) }); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if err := files.Write(stem+".onnx", func(file *os.File) error { return modelfile.WriteONNX(file, n) }); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	j.files[way] = append(j.files[way], stem+".json", stem+".onnx")
	return nil
}

// writeGuardrails writes the guardrails of an arm, where --out asks.
func (j *mitigateJob) writeGuardrails(name string, guards []space.Predicate) error {
	if j.flags.out == "" || len(guards) == 0 {
		return nil
	}
	rules, err := guard.New(j.space, j.study.Name, guards)
	if err != nil {
		return err
	}
	path := filepath.Join(j.flags.out, name+".json")
	if err := files.Write(path, func(file *os.File) error { return guard.Write(file, rules) }); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	j.files[name] = []string{path}
	return nil
}

// writeTables writes a table into a folder, as Markdown and as CSV.
func writeTables(folder string, t *view.Table) error {
	for name, format := range map[string]string{"table.md": view.Markdown, "table.csv": view.CSV} {
		err := files.Write(filepath.Join(folder, name), func(file *os.File) error { return view.Of(t).Write(file, format, view.Options{}) })
		if err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return nil
}
