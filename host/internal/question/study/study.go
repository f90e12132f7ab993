// Package study reads study files: YAML that names a model, its data, features, protected values
// and rules. docs/reference/studies.md is the reference and studies/study.schema.json the schema.
//
// Study files are untrusted: their size, nesting and expanded aliases are bounded, and every
// mistake is an error that names file, line and column.
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
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/host/internal/question/scorer"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// Options are the settings of Load. The zero value changes nothing in the study.
type Options struct {
	// DataRoot is the folder of paths that begin with data:.
	DataRoot string
	// Model replaces the study's network: a file, or a bare name in the study's folder of
	// models, such as AC-8.
	Model string
	// Rules replaces the study's selection of constraints: names, or "all" or "none" alone. An
	// entry may hold several names, separated by commas. Empty: the study's selection.
	Rules []string
	// NoModel: the network is not read, and the fields about it are empty.
	NoModel bool
	// Parts: questions select some of the study's protected attributes, so the number of
	// combinations of all of them is not limited.
	Parts bool
	// Threshold replaces the study's threshold or bands: a decimal or a fraction, or such
	// thresholds by group, as in sex:man=0.5,woman=0.45.
	Threshold string
	// Bands replaces the study's decision: bands as fairness.ParseBands reads them, the favourable
	// one first.
	Bands string
	// AnyClass allows a study that asks about any of several classes. The loaded study is then
	// about class 0, and ByClass returns one study per class.
	AnyClass bool
}

// Rule is a named constraint.
type Rule struct {
	Name, About string
	// Forbid lists predicates; a point at which one of them holds is forbidden.
	Forbid []space.Predicate
	// On reports whether the rule is part of the space.
	On bool
}

// Study is a checked study file with its model. It is read-only and safe for concurrent use.
type Study struct {
	Name, Summary string
	// Path is the study file; SHA256 is the hash, in hexadecimal, of its content and of the
	// files that it extends.
	Path, SHA256 string

	// Model is the model, read from ModelPath, whose content has the hash ModelSHA256. All are
	// empty with Options.NoModel.
	Model                  model.Model
	ModelPath, ModelSHA256 string
	ModelFile              modelfile.Info
	// Spent is what the answers of a model plugin have cost so far; nil for a model that was read.
	Spent *scorer.Spent
	// Class is the class of Model's decision if the study asks about any of several; otherwise
	// nil.
	Class *int

	Space *space.Space
	// Rules lists every constraint, on or off, in the order of the file.
	Rules []Rule
	// Extrapolated names the features with protected values outside their domain, which the
	// study explicitly allows.
	Extrapolated []string

	// Number: the model predicts a number, not a score, so there are no decisions; the notion is
	// Logit, which compares the numbers of copies by their difference.
	Number bool
	// Where, Epsilon, Notion and Clustering are the defaults of questions. Where is a predicate; empty: no restriction.
	Where      string
	Epsilon    *big.Rat
	Notion     fairness.Notion
	Clustering fairness.Clustering
	// Rule says which scores are a yes; with Bands it only says whether low scores are favourable.
	Rule fairness.Rule
	// Unseen are the attributes that thresholds depend on and the model's file does not see. For each, Model
	// has an input that it ignores, after those of the file.
	Unseen []string
	// Bands, if any, are the outcomes of the study's decision, in place of yes and no.
	Bands fairness.Bands
	// Population is the population of shares, in the syntax of population.Parse; empty: the study names none, and each
	// combination of values counts once.
	Population string

	choice  modelfile.Choice
	chain   []string     // the study file and those that it extends
	spec    *people.Spec // nil without a data section
	dataErr error        // why the data's files cannot be listed
	data    func() (*people.Data, error)

	inputCheck func() *InputCheck
}

// ErrNoData reports that the study declares no data.
var ErrNoData = errors.New("the study declares no data")

// Load reads a study. path is the study file or its folder. Mistakes in the file are returned as
// yamlfile.Faults, or as a *yamlfile.Fault if the rest could not be read. The data set is not read
// unless a feature takes its categories from it: see Data.
func Load(path string, o Options) (*Study, error) {
	file, err := studyFile(path)
	if err != nil {
		return nil, err
	}
	var threshold *big.Rat
	groups, err := groupsOf(o.Threshold)
	if err != nil {
		return nil, err
	}
	if o.Threshold != "" && groups == nil {
		if threshold, err = fairness.ParseThreshold(o.Threshold); err != nil {
			return nil, fmt.Errorf("--threshold: %w", err)
		}
	}
	bands, err := bandsOf(&o)
	if err != nil {
		return nil, err
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
	switch {
	case groups != nil:
		s.Rule.Threshold, s.Rule.Groups, s.Bands = nil, nil, nil
		if r.groups(groups, s, nil, ""); r.Err() != nil {
			return nil, r.Err()
		}
	case threshold != nil:
		s.Rule.Threshold, s.Rule.Groups, s.Bands = threshold, nil, nil
	case bands != nil:
		first, _, _ := strings.Cut(o.Bands, "=")
		s.banded(bands, strings.TrimSpace(first))
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
		s.see()
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

// bandsOf are the bands of the options; nil for those of the study.
func bandsOf(o *Options) (bands fairness.Bands, err error) {
	switch {
	case o.Bands == "":
		return nil, nil
	case o.Threshold != "":
		return nil, errors.New("--threshold and --bands exclude each other: a decision has one threshold, or bands")
	}
	if bands, err = fairness.ParseBands(o.Bands); err != nil {
		err = fmt.Errorf("--bands: %w", err)
	}
	return bands, err
}

// nameOf returns the name of a study whose file states none.
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

// Positive is the meaning of a positive decision by the study's label, such as "default = yes";
// empty without a label.
func (s *Study) Positive() string {
	if s.spec == nil || s.spec.Label.Column == "" {
		return ""
	}
	return s.spec.Label.Column + " = " + strings.Join(s.spec.Label.Positive, " or ")
}

// Weight is the column of the rows' weights; empty without one.
func (s *Study) Weight() string {
	if s.spec == nil {
		return ""
	}
	return s.spec.Weight
}

// HasData reports whether the study declares a data set.
func (s *Study) HasData() bool { return s.spec != nil }

// Files lists the files of the study, of its network and of its data, by the names under which the
// study opens them.
func (s *Study) Files() []string {
	out := slices.Concat(s.chain, s.ModelFile.Files)
	if s.spec != nil && s.dataErr == nil {
		for _, f := range s.spec.Files {
			out = append(out, f.Path)
		}
	}
	if people, err := population.Parse(s.Population); err == nil && people.File != "" {
		out = append(out, people.File)
	}
	for _, path := range s.checkPaths() {
		if _, err := files.Stat(path); err == nil {
			out = append(out, path)
		}
	}
	return out
}

// Data reads the data set on the first call; later calls return the same one. The error wraps
// ErrNoData if the study declares none, and ErrNoDataRoot if the data root is not set.
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

// switchRules switches rules on and off, and adds the active ones to the space.
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
	asked, err := r.asked(root, s)
	if err != nil {
		return err
	}
	if !asked {
		if s.ModelPath, err = r.modelPath(root, n); err != nil {
			return err
		}
		if s.Model, s.ModelFile, err = modelfile.Read(s.ModelPath, choice); err != nil {
			return err
		}
		s.choice, s.ModelSHA256 = choice, s.ModelFile.SHA256
	}
	path := s.ModelPath
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
	if output != nil && output.Text == "share" && !asked {
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
	if i := slices.IndexFunc(s.Space.Features, func(f space.Feature) bool { return f.Missing }); i >= 0 && r.Err() == nil && !asked {
		switch m := s.Model.(type) {
		case *trees.Ensemble:
			s.Model = m.Coded(s.Space)
		case *trees.Classes:
			s.Model = m.Each(func(e *trees.Ensemble) *trees.Ensemble { return e.Coded(s.Space) })
		default:
			r.Fault(root.Get("features"), "%s may be missing, but only trees handle missing values; %s has no trees: fill it with encode: {map: …}, or make it a category", s.Space.Features[i].Name, path)
			return r.Err()
		}
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
	case anyClass && s.ModelFile.Classes == 0:
		r.Fault(n, "class: any is for a model of at least three classes, of which the one with the largest output wins; %s is not such a model: leave out the key class, or name one class", path)
	case anyClass && s.ModelFile.Classes > maxClasses:
		r.Fault(n, "class: any of %d classes, at most %d are supported: name one", s.ModelFile.Classes, maxClasses)
	case !r.options.AnyClass && s.OneLogit() != nil:
		r.Fault(n, "%v", s.OneLogit())
	case anyClass && !r.options.AnyClass:
		r.Fault(n, "class: any is for hyfair certify and audit; for other commands name one class, as in class: 1")
	case s.ModelFile.OneOfMany && s.Notion.UsesEpsilon():
		r.Fault(n, "%s has several classes, so the only question is whether one wins: set the key notion to decision", path)
	case s.ModelFile.OneOfMany:
	case linear && !logit && !share:
		r.Fault(n, "%s ends in a linear unit; say output: logit if that is the logit of a probability, output: number if it predicts a number", path)
	case share: // earlier versions required output: logit here
		s.Notion = s.Model.Link().Notion(s.Notion)
	case !linear && logit:
		r.Fault(output, "%s is for a model that ends in a linear unit; %s ends in a %s", output.Text, path, s.ModelFile.Head)
	}
	if r.Err() == nil {
		r.match(root, s)
	}
	return r.Err()
}

// Takes returns an error if the study's model does not support a notion.
func (s *Study) Takes(n fairness.Notion) error {
	if s.Number && n != fairness.Logit {
		return fmt.Errorf("%s predicts a number (output: number), which is not a score and has no decision: ask about differences of its output with the notion logit", s.ModelPath)
	}
	if n == fairness.DecisionStrict && s.Bands != nil {
		return fmt.Errorf("%s is about yes and no, and here the decision has bands: ask with notion decision", n)
	}
	if n == fairness.DecisionStrict && !s.Rule.IsDefault() {
		return fmt.Errorf("the notion %s has no threshold, but the study's positive decision is a score %s: use the notion decision", n, s.Rule)
	}
	if s.ModelFile.ShareOfMany && !n.UsesEpsilon() {
		return fmt.Errorf("the score of %s is the share of one class among several, from which it does not follow whether the class wins: ask about gaps of the share with the notion score", s.ModelPath)
	}
	return nil
}

// OneLogit returns an error for a model of several sums of trees, about which only audits answer.
func (s *Study) OneLogit() error {
	if s.Model.Family() != trees.ClassesFamily {
		return nil
	}
	return fmt.Errorf("%s has several classes, each with a sum of trees, about which hyfair audit answers; for other commands train one class against the rest", s.ModelPath)
}

// asShare returns a model of trees as a model whose output is a share.
func asShare(m model.Model) (*trees.Ensemble, error) {
	e, ok := m.(*trees.Ensemble)
	if !ok || e.Link() == fairness.LinkSigmoid {
		return nil, fmt.Errorf("share is for trees whose sum is a score, such as a regression forest that was fitted to 0 and 1")
	}
	if e.Link() == fairness.LinkLinear {
		e = e.Share()
	}
	return e, e.Validate()
}

// modelFile reads the key model: a path, or a mapping of a file and the choice of its output. n is
// the node of the path, nil without one. anyClass: the study asks about any class, and choice names
// the first.
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
		choice.Class, choice.Any, anyClass = new(int), true, true
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
			r.Fault(missing, "%s exceeds the range of single precision", missing.Text)
		} else if ok {
			choice.Missing = &v
		}
	}
	for _, key := range []string{"file", "plugin", "attach"} {
		r.Name(n.Get(key))
	}
	asked := n.Get("plugin") != nil || n.Get("attach") != nil
	switch {
	case !asked && n.Get("file") == nil:
		r.Fault(n, "needs the key file, the model's file, or else plugin or attach, for a model plugin")
	case asked && len(n.Entries) > 1:
		r.Fault(n, "the keys plugin and attach exclude all others, which are for a model's file")
	}
	return n.Get("file"), choice, anyClass
}

// maxClasses is the maximum number of classes for class: any.
const maxClasses = 64

// ByClass returns one study per class, with its Class and Model, if the study asks about any of
// several classes; otherwise the study itself.
func (s *Study) ByClass() ([]*Study, error) {
	if s.Class == nil {
		return []*Study{s}, nil
	}
	return s.Classes()
}

// Classes returns one study per class of a model whose largest output wins. Class and Model of each are those of
// its class.
func (s *Study) Classes() ([]*Study, error) {
	switch n := s.ModelFile.Classes; {
	case n == 0:
		return nil, fmt.Errorf("%s gives the outputs of some of its classes only: export it with all of them", s.ModelPath)
	case n > maxClasses:
		return nil, fmt.Errorf("%s has %d classes; at most %d are supported", s.ModelPath, n, maxClasses)
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
			return nil, fmt.Errorf("%s changed while it was read: run the command again", s.ModelPath)
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
		r.Fault(root, "the study names no model; give the key model, or --model FILE")
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

// modelFolder returns the folder of bare model names: that of the study's key models, or else the
// folder of the file in its key model; "" if the study has neither. Without a data root, a path
// that begins with data: is returned unresolved.
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

// placed is an error about a file that a node of the study names.
type placed struct {
	n   *yamlfile.Node
	err error
}

func (p *placed) Error() string {
	return fmt.Sprintf("%s: %s: %v", p.n.At, view.OneLine(p.n.Path), p.err)
}

func (p *placed) Unwrap() error { return p.err }

// once defers reading the data set and the input check to their first use.
func (s *Study) once() {
	s.data, s.inputCheck = sync.OnceValues(s.readData), sync.OnceValue(s.readInputCheck)
}

// DefaultEpsilon returns the ε, a score difference, of a study that states none.
func DefaultEpsilon() *big.Rat { return big.NewRat(1, 20) }

// EpsilonFor parses text, or the study's ε if text is empty, in the notion's unit; nil for a notion
// without ε. A study's ε in logits is refused if a score difference is needed, except for shares,
// where it is one. A study's ε of scores is accepted in logits: scores whose logits differ by at
// most ε differ by at most ε/4, so the question is stricter.
func (s *Study) EpsilonFor(n fairness.Notion, text string) (*big.Rat, error) {
	switch {
	case !n.UsesEpsilon():
		return nil, nil
	case s.ModelFile.OneOfMany:
		return nil, fmt.Errorf("%s has several classes and no score, so the only question is whether one class wins: --notion decision", s.ModelPath)
	case s.Number && n.Binned():
		return nil, fmt.Errorf("%s predicts a number (output: number), which is not a score and has no decision: use certify, quantify or audit, which answer about its differences", s.ModelPath)
	case text != "":
		return fairness.ParseEpsilon(text, n)
	case s.Notion == fairness.Logit && n.Binned() && s.Model.Link() != fairness.LinkShare:
		return nil, fmt.Errorf("the study's ε = %s is a difference of logits, but a difference of scores is needed: give it with --epsilon", fairness.FormatRat(s.Epsilon))
	}
	return s.Epsilon, fairness.CheckEpsilon(s.Epsilon, n)
}
