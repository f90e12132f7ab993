package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

func init() { commands = append(commands, newInspect) }

func newInspect(app *App) *cobra.Command {
	var model string
	var rules []string
	cmd := &cobra.Command{
		Use:   "inspect STUDY|MODEL",
		Short: "Show a study or a network: layers, features, protected values, K, rows, accuracy",
		Long: `Show what is in a study, which is a study file or a folder with one, or in a
network file alone. K is the largest number of protected combinations that the
constraints allow at one individual. Accuracy is the share of rows whose label
the network gets right, deciding where the score is above 0.5.

A study whose data set is not there is shown without rows and accuracy.`,
		Example: `  hyfair inspect studies/loan
  hyfair inspect studies/adult.yaml --model AC-8 --data ~/data
  hyfair inspect network.h5 --json`,
		Args: exactlyOne("study or model"),
		RunE: func(_ *cobra.Command, args []string) error {
			begin := time.Now()
			out, st, err := app.inspect(args[0], model, rules)
			if err != nil {
				return usage(err)
			}
			out.Seed, out.Seconds = app.Seed, time.Since(begin).Seconds()
			if out.note != "" {
				fmt.Fprintf(app.Stderr, "hyfair: %s\n", out.note)
			}
			if app.JSON {
				return app.printJSON(out)
			}
			printInspection(app.Stdout, out, st)
			return nil
		},
	}
	cmd.Flags().StringVar(&model, "model", "", "use this network in place of the study's: a file, or a name beside the study's own")
	cmd.Flags().StringSliceVar(&rules, "rules", nil, "constraints to switch on by name, or all, or none (default: as the study says)")
	return cmd
}

// inspection is the JSON object of hyfair inspect; docs/cli.md lists its
// fields. What only a study has is left out for a network.
type inspection struct {
	Study   string  `json:"study,omitempty"`
	Summary string  `json:"summary,omitempty"`
	Model   string  `json:"model"`
	Path    string  `json:"model_path"`
	Seed    int64   `json:"seed"`
	Seconds float64 `json:"seconds"`

	Format     string                   `json:"format"`
	Producer   string                   `json:"producer,omitempty"`
	Precision  int                      `json:"precision"`
	Head       string                   `json:"head"`
	Inputs     int                      `json:"inputs"`
	Layers     []modelfile.LayerSummary `json:"layers"`
	Parameters int                      `json:"parameters"`
	Neurons    int                      `json:"neurons"`

	Features  []featureJSON        `json:"features,omitempty"`
	Protected map[string][]float64 `json:"protected,omitempty"`
	// Extrapolated names features whose protected values leave the domain.
	Extrapolated []string   `json:"extrapolated,omitempty"`
	Rules        []ruleJSON `json:"rules,omitempty"`
	// K is exact, or where KExact is false an upper bound.
	K      int   `json:"K,omitempty"`
	KExact *bool `json:"K_exact,omitempty"`

	Epsilon    string `json:"epsilon,omitempty"`
	Notion     string `json:"notion,omitempty"`
	Clustering string `json:"clustering,omitempty"`

	*rowsJSON

	// note says why there are no rows, where the study declares some.
	note string
}

// rowsJSON is what the data set adds.
type rowsJSON struct {
	Rows        int `json:"rows"`
	RowsDropped int `json:"rows_dropped"`
	RowsTest    int `json:"rows_test"`
	// RowsOutside lie outside the domain of the features counted in Outside;
	// RowsForbidden lie inside, but a rule forbids them.
	RowsOutside   int            `json:"rows_outside"`
	RowsForbidden int            `json:"rows_forbidden"`
	Outside       map[string]int `json:"outside,omitempty"`
	// Accuracy is over all rows, per cent; nil without labels or rows.
	Accuracy     *float64 `json:"accuracy,omitempty"`
	AccuracyTest *float64 `json:"accuracy_test,omitempty"`
}

type featureJSON struct {
	Name string  `json:"name"`
	Kind string  `json:"kind"`
	Lo   float64 `json:"lo"`
	Hi   float64 `json:"hi"`
	// Categories has the names by index.
	Categories []string `json:"categories,omitempty"`
	// Inputs are the network inputs that the feature feeds, from 0.
	Inputs []int `json:"inputs"`
}

type ruleJSON struct {
	Name   string   `json:"name"`
	On     bool     `json:"on"`
	Forbid []string `json:"forbid"`
}

// inspect reads a study, or the network alone, for which st is nil.
func (a *App) inspect(path, network string, rules []string) (out *inspection, st *study.Study, err error) {
	if !isStudy(path) {
		if network != "" || len(rules) > 0 {
			return nil, nil, fmt.Errorf("%s is taken for a network, for which --model and --rules mean nothing; a study is a folder or a .yaml file", path)
		}
		_, info, err := modelfile.Read(path)
		return networkPart(info), nil, err
	}
	st, err = study.Load(path, study.Options{DataRoot: a.Data, Model: network, Rules: rules})
	if err != nil {
		return nil, nil, err
	}
	out = networkPart(st.Model)
	out.describe(st)
	if !st.HasData() {
		return out, st, nil
	}
	if _, err := st.Data(); err != nil {
		if errors.Is(err, study.ErrNoDataRoot) || errors.Is(err, fs.ErrNotExist) {
			out.note = fmt.Sprintf("no rows and no accuracy: %v", err)
			return out, st, nil
		}
		return nil, nil, err
	}
	out.rowsJSON, err = rowsOf(st)
	if errors.Is(err, individual.ErrNoInput) {
		out.note, err = fmt.Sprintf("no accuracy: %v", err), nil
	}
	return out, st, err
}

// isStudy tells a study's path from a network's.
func isStudy(path string) bool {
	if stat, err := os.Stat(path); err == nil && stat.IsDir() {
		return true
	}
	return slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(path)))
}

func networkPart(info modelfile.Info) *inspection {
	return &inspection{
		Model: filepath.Base(info.Path), Path: info.Path, Format: info.Format, Producer: info.Producer,
		Precision: info.Precision, Head: info.Head, Inputs: info.Summary.Inputs,
		Layers: info.Layers, Parameters: info.Parameters, Neurons: info.Neurons,
	}
}

// describe adds what the study file says.
func (out *inspection) describe(st *study.Study) {
	s := st.Space
	out.Study, out.Summary, out.Extrapolated = st.Name, st.Summary, st.Extrapolated
	out.Notion, out.Clustering = st.Notion.String(), st.Clustering.String()
	out.Epsilon = fairness.FormatRat(st.Epsilon)
	out.Protected = map[string][]float64{}
	for i := range s.Features {
		f := &s.Features[i]
		inputs := []int{}
		for _, in := range f.Inputs {
			inputs = append(inputs, in.Index)
		}
		out.Features = append(out.Features, featureJSON{f.Name, f.Kind.String(), f.Lo, f.Hi, f.Categories, inputs})
		if f.IsProtected() {
			out.Protected[f.Name] = f.Protected
		}
	}
	for _, r := range st.Rules {
		forbid := make([]string, len(r.Forbid))
		for i, p := range r.Forbid {
			forbid[i] = p.Format(s)
		}
		out.Rules = append(out.Rules, ruleJSON{r.Name, r.On, forbid})
	}
	k, exact := s.MaxCounterfactuals(s.Whole())
	out.K, out.KExact = k, &exact
}

// rowsOf counts rows and measures accuracy. With ErrNoInput the counts hold.
func rowsOf(st *study.Study) (*rowsJSON, error) {
	d, err := st.Data()
	if err != nil {
		return nil, err
	}
	features, outside, forbidden := d.Outside(st.Space)
	out := &rowsJSON{
		Rows: len(d.Points), RowsDropped: d.Dropped, RowsTest: len(d.Test),
		RowsOutside: outside, RowsForbidden: forbidden,
	}
	if len(features) > 0 {
		out.Outside = map[string]int{}
		for _, f := range features {
			out.Outside[st.Space.Features[f.Feature].Name] = f.Points
		}
	}
	if d.Labels == nil {
		return out, nil
	}
	if len(d.Points) > 0 {
		v, err := individual.Accuracy(st, nil)
		if err != nil {
			return out, err
		}
		out.Accuracy = &v
	}
	if len(d.Test) > 0 {
		v, err := individual.Accuracy(st, d.Test)
		if err != nil {
			return out, err
		}
		out.AccuracyTest = &v
	}
	return out, nil
}

// domainOf is a feature's domain as a person reads it, and its values short.
func domainOf(f *space.Feature) string {
	if f.Kind == space.Categorical {
		return fmt.Sprintf("%d: %s", len(f.Categories), shortList(f.Categories, 40))
	}
	return f.Label(f.Lo) + ".." + f.Label(f.Hi)
}

func protectedOf(f *space.Feature) string {
	if !f.IsProtected() {
		return ""
	}
	labels := make([]string, len(f.Protected))
	for i, v := range f.Protected {
		labels[i] = f.Label(v)
	}
	return fmt.Sprintf("%d: %s", len(labels), shortList(labels, 40))
}

// shortList joins names up to about width characters.
func shortList(names []string, width int) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		if i > 0 && b.Len()+len(name) > width {
			b.WriteString("…")
			break
		}
		b.WriteString(name)
	}
	return b.String()
}
