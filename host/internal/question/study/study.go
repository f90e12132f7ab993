// Package study reads study files: the YAML that says which network is under
// study, on which data, with which features, protected values and rules.
// docs/reference/studies.md is its reference and studies/study.schema.json its schema.
//
// A study file is taken as hostile: its size, nesting and expanded aliases are
// bounded, and every mistake is an error that names file, line and column.
package study

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// Options say how a study is loaded. The zero value takes the file as it is.
type Options struct {
	// DataRoot is the folder that data: paths start from.
	DataRoot string
	// Model replaces the study's network: a file, or the bare name of one in
	// the study's folder of models, such as AC-8.
	Model string
	// Rules replaces the study's choice of constraints: names, or "all" or
	// "none" alone. An entry may hold several names, separated by commas. Empty
	// keeps what the study says.
	Rules []string
	// NoModel leaves the network out: Network is nil and nothing is said of
	// its file.
	NoModel bool
	// Parts: questions name the attributes that they protect, so that the combinations of all that the
	// study protects need not be few.
	Parts bool
	// Threshold replaces that of the study's decision: a decimal or a fraction.
	Threshold string
	// AnyClass allows a study that asks about any of several classes; the study that is
	// loaded is then about class 0, and ByClass gives all.
	AnyClass bool
}

// Rule is a named constraint.
type Rule struct {
	Name, About string
	// Forbid lists predicates; a point at which one of them holds is forbidden.
	Forbid []space.Predicate
	// On tells whether the space was made with the rule.
	On bool
}

// Study is a study file, read and checked, with its model. It is read-only
// and safe for concurrent use.
type Study struct {
	Name, Summary string
	// Path is the study file; SHA256 the hash, in hexadecimal, of its content
	// and of what it extends.
	Path, SHA256 string

	// Model is what is studied, read from ModelPath, whose content hashes to
	// ModelSHA256. All empty with Options.NoModel.
	Model                  model.Model
	ModelPath, ModelSHA256 string
	ModelFile              modelfile.Info
	// Class is the class that Model's decision is about, where the study asks about any of
	// several; else nil.
	Class *int

	Space *space.Space
	// Rules lists every constraint, on or off, in the order of the file.
	Rules []Rule
	// Extrapolated names the features whose protected values lie outside their
	// domain, which the study has allowed expressly.
	Extrapolated []string

	// Number: the model predicts a number, which is no score and brings no decision; its notion is that
	// of differences, Logit.
	Number bool
	// Epsilon is exact. Notion and Clustering are the study's defaults.
	Epsilon    *big.Rat
	Notion     fairness.Notion
	Clustering fairness.Clustering
	// Rule says which scores are a yes.
	Rule fairness.Rule

	choice  modelfile.Choice
	chain   []string     // the study file and those that it extends
	spec    *people.Spec // nil without a data section
	dataErr error        // why the data's files cannot be listed
	data    func() (*people.Data, error)

	inputCheck func() *InputCheck
}

// ErrNoData tells that the study declares no data.
var ErrNoData = errors.New("the study declares no data")

// Load reads the study that path means: a study file, or a folder with one.
// Mistakes in the file are returned as yamlfile.Faults, a *yamlfile.Fault where
// nothing further could be read. The data set is not read, unless a feature takes its
// categories from it: see Data.
func Load(path string, o Options) (*Study, error) {
	file, err := studyFile(path)
	if err != nil {
		return nil, err
	}
	var threshold *big.Rat
	if o.Threshold != "" {
		if threshold, err = fairness.ParseThreshold(o.Threshold); err != nil {
			return nil, fmt.Errorf("--threshold: %w", err)
		}
	}
	root, hash, chain, err := readStudy(file)
	if err != nil {
		return nil, err
	}
	r := &reader{options: o}
	s := r.study(root)
	if err := r.Err(); err != nil {
		return nil, err
	}
	s.Path, s.SHA256, s.chain = file, hash, chain
	if threshold != nil {
		s.Rule.Threshold = threshold
	}
	if s.Name == "" {
		s.Name = nameOf(file)
	}
	if err := s.switchRules(o.Rules); err != nil {
		return nil, err
	}
	if !o.NoModel {
		if err := r.model(root, s); err != nil {
			return nil, err
		}
	}
	validate := s.Space.Validate
	if o.Parts {
		validate = s.Space.ValidateFeatures
	}
	if err := validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// nameOf is the name of a study that gives itself none.
func nameOf(file string) string {
	stem := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if stem != "study" {
		return stem
	}
	if abs, err := files.Abs(file); err == nil {
		return filepath.Base(filepath.Dir(abs))
	}
	return stem
}

// Positive is what a positive decision stands for, such as "default = yes", by the study's label;
// empty without one.
func (s *Study) Positive() string {
	if s.spec == nil || s.spec.Label.Column == "" {
		return ""
	}
	return s.spec.Label.Column + " = " + strings.Join(s.spec.Label.Positive, " or ")
}

// HasData reports whether the study declares a data set.
func (s *Study) HasData() bool { return s.spec != nil }

// Files lists the files that the study is read from, its network's and its data's, by the
// names under which it opens them.
func (s *Study) Files() []string {
	out := slices.Concat(s.chain, s.ModelFile.Files)
	if s.spec != nil && s.dataErr == nil {
		for _, f := range s.spec.Files {
			out = append(out, f.Path)
		}
	}
	for _, path := range s.checkPaths() {
		if _, err := files.Stat(path); err == nil {
			out = append(out, path)
		}
	}
	return out
}

// Data reads the data set on the first call and gives the same one ever
// after. ErrNoData (wrapped) tells that there is none, ErrNoDataRoot that the
// data root is not set.
func (s *Study) Data() (*people.Data, error) { return s.data() }

func (s *Study) readData() (*people.Data, error) {
	if s.spec == nil {
		return nil, fmt.Errorf("%s: %w", s.Path, ErrNoData)
	}
	if s.dataErr != nil {
		return nil, s.dataErr
	}
	return people.Read(s.spec)
}

// switchRules turns rules on and off and gives the space the ones that are on.
func (s *Study) switchRules(wanted []string) error {
	on := map[string]bool{}
	var known []string
	for i := range s.Rules {
		known = append(known, s.Rules[i].Name)
		on[s.Rules[i].Name] = s.Rules[i].On
	}
	var names []string
	for _, w := range wanted {
		for _, name := range strings.Split(w, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
	if len(names) > 0 {
		all := len(names) == 1 && names[0] == "all"
		for name := range on {
			on[name] = all
		}
		if !all && !(len(names) == 1 && names[0] == "none") {
			for _, name := range names {
				if _, ok := on[name]; !ok {
					return fmt.Errorf("rules: no rule %q in %s; %s", name, s.Path, yamlfile.Suggest(name, append([]string{"all", "none"}, known...)))
				}
				on[name] = true
			}
		}
	}
	for i := range s.Rules {
		r := &s.Rules[i]
		if r.On = on[r.Name]; r.On {
			s.Space.Forbidden = append(s.Space.Forbidden, r.Forbid...)
		}
	}
	return nil
}

// model finds, reads and checks the network.
func (r *reader) model(root *yamlfile.Node, s *Study) error {
	n, choice, anyClass := r.modelFile(root)
	path, err := r.modelPath(root, n)
	if err != nil {
		return err
	}
	s.Model, s.ModelFile, err = modelfile.Read(path, choice)
	if err != nil {
		return err
	}
	s.choice = choice
	s.ModelPath, s.ModelSHA256 = path, s.ModelFile.SHA256
	if have := s.Model.Inputs(); have != s.Space.Inputs {
		r.Fault(root.Get("features"), "the features feed %d network inputs, %s takes %d", s.Space.Inputs, path, have)
	}
	for _, v := range s.ModelFile.Vocabularies {
		if r.Err() == nil {
			r.vocabulary(root.Get("features"), s, &v)
		}
	}
	output := root.Get("output")
	logit := output != nil && (output.Text == "logit" || s.Number)
	if output != nil && output.Text == "share" {
		e, err := asShare(s.Model)
		if err != nil {
			r.Fault(output, "%s: %v", path, err)
			return r.Err()
		}
		s.Model = e
	}
	if n == nil {
		n = root
	}
	if i := slices.IndexFunc(s.Space.Features, func(f space.Feature) bool { return f.Missing }); i >= 0 && r.Err() == nil {
		e, ok := s.Model.(*trees.Ensemble)
		if !ok {
			r.Fault(root.Get("features"), "%s may be missing, and only trees send a missing value somewhere; %s has none: fill it by encode: {map: …}, or make it a category", s.Space.Features[i].Name, path)
			return r.Err()
		}
		s.Model = e.Coded(s.Space)
	}
	if anyClass {
		s.Class = choice.Class
	}
	share := s.Model.Link() == fairness.LinkShare
	if err := errors.Join(s.Takes(s.Notion), s.takesRule()); err != nil {
		r.Fault(n, "%v", err)
		return r.Err()
	}
	switch linear := s.ModelFile.Linear || s.Model.Link() == fairness.LinkLinear; {
	case anyClass && s.ModelFile.ShareOfMany:
		r.Fault(n, "class: any is about networks; of %s the share of one class can be asked about: name it, as in class: 1", path)
	case anyClass && s.ModelFile.Classes == 0:
		r.Fault(n, "class: any is about a model of three classes or more, of which the one with the largest output wins; %s is none: leave class: out, or name one", path)
	case anyClass && s.ModelFile.Classes > maxClasses:
		r.Fault(n, "class: any of %d classes; at most %d are asked about one by one: name one", s.ModelFile.Classes, maxClasses)
	case anyClass && !r.options.AnyClass:
		r.Fault(n, "class: any is for hyfair certify; anything else is asked about one class: name it, as in class: 1")
	case s.ModelFile.OneOfMany && s.Notion.UsesEpsilon():
		r.Fault(n, "%s tells several classes, of which all that can be asked is whether one wins: say notion: decision", path)
	case s.ModelFile.OneOfMany:
	case linear && !logit && !share:
		r.Fault(n, "%s ends in a linear unit; say output: logit if that is the logit of a probability, output: number if it predicts a number", path)
	case share: // output: logit was asked for once
		s.Notion = s.Model.Link().Notion(s.Notion)
	case !linear && logit:
		r.Fault(output, "%s is for a model that ends in a linear unit; %s ends in a %s", output.Text, path, s.ModelFile.Head)
	}
	if r.Err() == nil {
		r.hold(root, s)
	}
	return r.Err()
}

// Takes says why a notion cannot be asked about the study's model.
func (s *Study) Takes(n fairness.Notion) error {
	if s.Number && n != fairness.Logit {
		return fmt.Errorf("%s predicts a number (output: number), which is no score and brings no decision: ask about its differences, notion: logit", s.ModelPath)
	}
	if n == fairness.DecisionStrict && !s.Rule.IsDefault() {
		return fmt.Errorf("%s has no threshold, and here a positive decision is a score %s: ask with notion decision", n, s.Rule)
	}
	if s.ModelFile.ShareOfMany && !n.UsesEpsilon() {
		return fmt.Errorf("%s tells several classes by their shares, and which has the largest is no question about one of them: ask for gaps of its share, notion: score", s.ModelPath)
	}
	return nil
}

// asShare is a model read as one whose output is a share.
func asShare(m model.Model) (*trees.Ensemble, error) {
	e, ok := m.(*trees.Ensemble)
	if !ok || e.Link() == fairness.LinkSigmoid {
		return nil, fmt.Errorf("share is for trees whose sum is itself a score, as that of a forest that was fitted to 0 and 1 by regression")
	}
	if e.Link() == fairness.LinkLinear {
		e = e.Share()
	}
	return e, e.Validate()
}

// modelFile reads what model: says: a path, or a file with what of it is asked about. n
// is the path's place, nil without one. anyClass: all classes are asked about, and choice
// names the first.
func (r *reader) modelFile(root *yamlfile.Node) (n *yamlfile.Node, choice modelfile.Choice, anyClass bool) {
	n = root.Get("model")
	if n == nil || n.Kind != yamlfile.Mapping {
		r.Name(n)
		return n, choice, false
	}
	if !r.object(n, "model") {
		return n, choice, false
	}
	choice.Output, _ = r.Name(n.Get("output"))
	switch class := n.Get("class"); {
	case class == nil:
	case class.Text == "any":
		choice.Class, anyClass = new(int), true
	default:
		if k, ok := r.Integer(class, 0, 1<<16); ok {
			choice.Class = &k
		}
	}
	if normalize := n.Get("normalize"); normalize != nil {
		on, ok := r.Boolean(normalize)
		choice.Raw = ok && !on
	}
	if missing := n.Get("missing"); missing != nil {
		if v, ok := r.Number(missing); ok && math.IsInf(float64(float32(v)), 0) {
			r.Fault(missing, "%s is beyond single precision", missing.Text)
		} else if ok {
			choice.Missing = &v
		}
	}
	file := n.Get("file")
	if file == nil {
		r.Fault(n, "needs file:, the model's file")
	}
	r.Name(file)
	return file, choice, anyClass
}

// maxClasses bounds the classes of which any may be asked about.
const maxClasses = 64

// ByClass is the study about each class in turn, where it asks about any of several, with
// Class and Model those of the class; else the study alone.
func (s *Study) ByClass() ([]*Study, error) {
	if s.Class == nil {
		return []*Study{s}, nil
	}
	all := make([]*Study, s.ModelFile.Classes)
	for class := range all {
		of := *s
		of.Class, of.choice.Class = &class, &class
		var err error
		if of.Model, of.ModelFile, err = modelfile.Read(s.ModelPath, of.choice); err != nil {
			return nil, err
		}
		if of.ModelFile.SHA256 != s.ModelSHA256 {
			return nil, fmt.Errorf("%s was changed while it was read", s.ModelPath)
		}
		all[class] = &of
	}
	return all, nil
}

func (r *reader) modelPath(root, n *yamlfile.Node) (string, error) {
	if r.options.Model != "" {
		folder, err := r.modelFolder(root)
		if err != nil {
			return "", err
		}
		path, err := replacement(r.options.Model, root.At.File, folder, r.options.DataRoot)
		if err != nil {
			return "", fmt.Errorf("model: %w", err)
		}
		return path, nil
	}
	if n == nil {
		r.Fault(root, "the study names no model; give a key model: or --model FILE")
		return "", r.Err()
	}
	path, err := where(n.At.File, n.Text, r.options.DataRoot)
	if err == nil {
		err = missing(n.Text, path, r.options.DataRoot)
	}
	if err != nil {
		return "", &placed{n, err}
	}
	return path, nil
}

// modelFolder is where bare model names are looked up: models, or the folder
// of model; "" if neither is known, and still data: without a data root.
func (r *reader) modelFolder(root *yamlfile.Node) (string, error) {
	n := root.Get("models")
	text := ""
	if n != nil {
		text = n.Text
	} else if n, _, _ = r.modelFile(root); n != nil {
		text = n.Text[:strings.LastIndexAny(n.Text, `/\:`)+1] + "."
	} else {
		return "", nil
	}
	if strings.HasPrefix(text, dataPrefix) && r.options.DataRoot == "" {
		return text, nil // a model given by its path needs no folder
	}
	return where(n.At.File, text, r.options.DataRoot)
}

// placed is an error of the world outside at a place in a study file.
type placed struct {
	n   *yamlfile.Node
	err error
}

func (p *placed) Error() string {
	return fmt.Sprintf("%s: %s: %v", p.n.At, view.OneLine(p.n.Path), p.err)
}

func (p *placed) Unwrap() error { return p.err }

// once defers reading the data set, and what was checked, to the first call.
func (s *Study) once() {
	s.data, s.inputCheck = sync.OnceValues(s.readData), sync.OnceValue(s.readInputCheck)
}

// DefaultEpsilon is ε, a score difference, where a study names none.
func DefaultEpsilon() *big.Rat { return big.NewRat(1, 20) }

// EpsilonFor parses text, or the study's ε if empty, in the notion's unit; nil for a notion
// without ε. An ε in logits is refused where a difference of scores is needed; of shares it
// is one. An ε of scores is accepted in logits: scores whose logits are at most ε apart are
// at most ε/4 apart, so the question is stricter.
func (s *Study) EpsilonFor(n fairness.Notion, text string) (*big.Rat, error) {
	switch {
	case !n.UsesEpsilon():
		return nil, nil
	case s.ModelFile.OneOfMany:
		return nil, fmt.Errorf("%s tells several classes, of which all that can be asked is whether one wins (--notion decision): it has no score", s.ModelPath)
	case s.Number && n.Binned():
		return nil, fmt.Errorf("%s predicts a number (output: number), which is no score and brings no decision: certify, quantify and audit answer about its differences", s.ModelPath)
	case text != "":
		return fairness.ParseEpsilon(text, n)
	case s.Notion == fairness.Logit && n.Binned() && s.Model.Link() != fairness.LinkShare:
		return nil, fmt.Errorf("the study's ε = %s is a difference of logits, and here a difference of scores is needed: give one with --epsilon", fairness.FormatRat(s.Epsilon))
	}
	return s.Epsilon, fairness.CheckEpsilon(s.Epsilon, n)
}
