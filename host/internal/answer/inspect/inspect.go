// Package inspect describes a study or a network: layers, features, protected values,
// constraints, rows, and the network's accuracy.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Request asks for the description of a study or a network.
type Request struct {
	// Path is the path of a study or a network.
	Path string `json:"path"`
	// Data, Model, Rules and Threshold are as in question.Spec, for studies only.
	Data      string   `json:"data,omitempty"`
	Model     string   `json:"model,omitempty"`
	Rules     []string `json:"rules,omitempty"`
	Threshold string   `json:"threshold,omitempty"`
	Seed      int64    `json:"seed"`
}

// Result is the answer to a Request and the JSON object of hyfair inspect. Fields that only a
// study has are absent for a network.
type Result struct {
	// The study's name; absent for a model alone, like all fields that only a study has.
	Study string `json:"study,omitempty"`
	// The study's summary.
	Summary string `json:"summary,omitempty"`
	// The file name of the model.
	Model string `json:"model"`
	// The model's path.
	Path string `json:"model_path"`
	// The value of --seed.
	Seed int64 `json:"seed"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`

	// The format of the model's file, such as keras-h5 (docs/reference/formats.md).
	Format string `json:"format"`
	// The program that wrote the model's file, if the file says so.
	Producer string `json:"producer,omitempty"`
	// The family of a model that is not a network of ReLU layers.
	Family string `json:"family,omitempty"`
	// The size of such a model in words, such as "12 trees of depth 6 at most, 588 leaves".
	Size string `json:"size,omitempty"`
	// The width of the stored weights in bits, 32 or 64; 0 for other models.
	Precision int `json:"precision"`
	// The head: sigmoid, softmax or linear.
	Head string `json:"head"`
	// The number of the model's inputs.
	Inputs int `json:"inputs"`
	// The names of the inputs in the file, such as "work=private" for a category's input. Only
	// for ONNX files with several inputs or with categories, and for trees whose file names
	// them.
	InputNames []string `json:"input_names,omitempty"`
	// The dense layers, the one nearest to the inputs first; null for a model that is not a network.
	Layers []modelfile.LayerSummary `json:"layers"`
	// The number of weights and biases.
	Parameters int `json:"parameters"`
	// The number of ReLU neurons.
	Neurons int `json:"neurons"`

	// The features in the order of the model's inputs.
	Features []Feature `json:"features,omitempty"`
	// The values that the copies take, by protected feature.
	Protected map[string][]float64 `json:"protected,omitempty"`
	// The features whose protected values leave the domain.
	Extrapolated []string `json:"extrapolated,omitempty"`
	// The constraints.
	Rules []Rule `json:"rules,omitempty"`
	// The largest number of counterfactuals of an individual.
	K int `json:"K,omitempty"`
	// K is exact; if false, K is an upper bound.
	KExact *bool `json:"K_exact,omitempty"`

	// The predicate of the people that the study is about; absent for all.
	Where string `json:"where,omitempty"`
	// The study's ε, exact.
	Epsilon string `json:"epsilon,omitempty"`
	// The study's notion; share instead of score if the model's output is a share.
	Notion string `json:"notion,omitempty"`
	// The study's clustering.
	Clustering string `json:"clustering,omitempty"`

	*Rows
	question.Grounds
}

// Rows holds the fields about the data set.
type Rows struct {
	// The number of rows kept; absent without data, as are all fields about rows.
	Rows int `json:"rows"`
	// The number of rows left out for missing values.
	RowsDropped int `json:"rows_dropped"`
	// The number of rows held back.
	RowsTest int `json:"rows_test"`
	// The number of rows outside a feature's domain.
	RowsOutside int `json:"rows_outside"`
	// The number of rows inside all domains that a rule forbids.
	RowsForbidden int `json:"rows_forbidden"`
	// For each feature, the number of rows outside its domain.
	Outside map[string]int `json:"outside,omitempty"`
	// The accuracy over all rows, in per cent; absent without labels.
	Accuracy *float64 `json:"accuracy,omitempty"`
	// The accuracy over the rows held back, in per cent.
	AccuracyTest *float64 `json:"accuracy_test,omitempty"`
	// The share of the more frequent label in per cent: the accuracy of a constant prediction.
	Majority *float64 `json:"majority,omitempty"`
	// The area under the ROC curve over all rows; absent if all labels are equal.
	AUC *float64 `json:"auc,omitempty"`
}

// Feature is a feature of a study.
type Feature struct {
	// The feature's name.
	Name string `json:"name"`
	// The kind: integer, categorical or real.
	Kind string `json:"kind"`
	// The least value of the domain; for categories the least index.
	Lo float64 `json:"lo"`
	// The largest value of the domain; for categories the largest index.
	Hi float64 `json:"hi"`
	// The value hi stands for a missing value.
	Missing bool `json:"missing,omitempty"`
	// The names of categories by index.
	Categories []string `json:"categories,omitempty"`
	// The model's inputs that the feature feeds, from 0.
	Inputs []int `json:"inputs"`
}

// Rule is a constraint of a study.
type Rule struct {
	// The constraint's name.
	Name string `json:"name"`
	// The constraint applies.
	On bool `json:"on"`
	// The predicates that it forbids.
	Forbid []string `json:"forbid"`
}

// Answer reads the study, or the network alone. If the study's rows are not found, or cannot be
// fed to the model, the session notes it.
func Answer(_ context.Context, s *session.Session, r Request) (*Result, error) {
	out, err := r.answer(s)
	if err != nil {
		return nil, session.Mistake(err)
	}
	out.Seed, out.Seconds = r.Seed, time.Since(s.Begun).Seconds()
	return out, nil
}

func (r *Request) answer(s *session.Session) (*Result, error) {
	if !study.IsStudy(r.Path) {
		if r.Model != "" || len(r.Rules) > 0 || r.Threshold != "" {
			return nil, fmt.Errorf("%s is read as a network, but --model, --rules and --threshold apply to a study: give a folder or a .yaml file", r.Path)
		}
		_, info, err := modelfile.Read(r.Path, modelfile.Choice{})
		return networkPart(info), err
	}
	st, err := study.Load(r.Path, study.Options{DataRoot: r.Data, Model: r.Model, Rules: r.Rules, Threshold: r.Threshold, Parts: true})
	if err != nil {
		return nil, err
	}
	out := networkPart(st.ModelFile)
	out.describe(st)
	out.Grounds = question.GroundsOf(st)
	question.NeedsMajority(st, s.Note)
	if !st.HasData() {
		return out, nil
	}
	out.Rows, err = rowsOf(st)
	switch {
	case errors.Is(err, study.ErrNoDataRoot) || errors.Is(err, fs.ErrNotExist):
		s.Note("no rows and no accuracy: %v", err)
	case errors.Is(err, individual.ErrNoInput):
		s.Note("no accuracy: %v", err)
	case err != nil:
		return nil, err
	}
	return out, nil
}

func networkPart(info modelfile.Info) *Result {
	return &Result{
		Model: filepath.Base(info.Path), Path: info.Path, Format: info.Format, Producer: info.Producer, Family: info.Family, Size: info.Size,
		Precision: info.Precision, Head: info.Head, Inputs: info.Summary.Inputs, InputNames: info.InputNames,
		Layers: info.Layers, Parameters: info.Parameters, Neurons: info.Neurons,
	}
}

// describe adds the contents of the study file.
func (out *Result) describe(st *study.Study) {
	s := st.Space
	out.Study, out.Summary, out.Extrapolated = st.Name, st.Summary, st.Extrapolated
	out.Notion, out.Clustering = st.Notion.String(), st.Clustering.String()
	out.Where = st.Where
	out.Epsilon = fairness.FormatRat(st.Epsilon)
	out.Protected = map[string][]float64{}
	for i := range s.Features {
		f := &s.Features[i]
		inputs := []int{}
		for _, in := range f.Inputs {
			inputs = append(inputs, in.Index)
		}
		out.Features = append(out.Features, Feature{f.Name, f.Kind.String(), f.Lo, f.Hi, f.Missing, f.Categories, inputs})
		if f.IsProtected() {
			out.Protected[f.Name] = f.Protected
		}
	}
	for _, r := range st.Rules {
		forbid := make([]string, len(r.Forbid))
		for i, p := range r.Forbid {
			forbid[i] = p.Format(s)
		}
		out.Rules = append(out.Rules, Rule{r.Name, r.On, forbid})
	}
	k, exact := s.MaxCounterfactuals(s.Whole())
	out.K, out.KExact = k, &exact
}

// rowsOf counts rows and measures accuracy. With ErrNoInput the counts are still valid.
func rowsOf(st *study.Study) (*Rows, error) {
	d, err := st.Data()
	if err != nil {
		return nil, err
	}
	features, outside, forbidden := d.Outside(st.Space)
	out := &Rows{
		Rows: len(d.Points), RowsDropped: d.Dropped, RowsTest: len(d.Test),
		RowsOutside: outside, RowsForbidden: forbidden,
	}
	if len(features) > 0 {
		out.Outside = map[string]int{}
		for _, f := range features {
			out.Outside[st.Space.Features[f.Feature].Name] = f.Points
		}
	}
	if d.Labels == nil || st.Bands != nil { // no accuracy: no label says which band is right
		return out, nil
	}
	if len(d.Points) == 0 {
		return out, nil
	}
	scores, err := individual.ScoresOf(st)
	if err != nil {
		return out, err
	}
	ones := 0
	for _, label := range d.Labels {
		ones += label
	}
	accuracy, majority := scores.Accuracy(nil), 100*float64(max(ones, len(d.Labels)-ones))/float64(len(d.Labels))
	out.Accuracy, out.Majority = &accuracy, &majority
	if auc, ok := scores.AUC(); ok {
		out.AUC = &auc
	}
	if len(d.Test) > 0 {
		v := scores.Accuracy(d.Test)
		out.AccuracyTest = &v
	}
	return out, nil
}
