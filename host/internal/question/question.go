// Package question turns a Spec into a Question: a study and its network, read and checked, with a
// region of the space. Every command, experiment and worker makes its queries here; package answer
// answers them.
package question

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/system/shell"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Spec selects a study and overrides its question. It is plain data, a part of every request.
// Fields left zero keep the study's values; Study is required.
type Spec struct {
	// Study is the study file, Data the folder of paths that begin with data:, Model a network
	// in place of the study's: a file, or a bare name in the study's folder of networks.
	Study string `json:"study,omitempty"`
	Data  string `json:"data,omitempty"`
	Model string `json:"model,omitempty"`
	// StudySHA256, ModelSHA256 and DataSHA256 are the checksums that the files must have; empty:
	// any.
	StudySHA256 string `json:"study_sha256,omitempty"`
	ModelSHA256 string `json:"model_sha256,omitempty"`
	DataSHA256  string `json:"data_sha256,omitempty"`

	// Notion is the notion; empty: the study's. K is the number of bins to look for; 0: the
	// question is about two copies.
	Notion string `json:"notion,omitempty"`
	K      int    `json:"k,omitempty"`
	Scope
	// Relax lets features differ between the copies: "hours-per-week=5".
	Relax []string `json:"relax,omitempty"`
	// Near restricts the question to individuals within this distance of a row of the data, from 0 to 1
	// (space.Vicinity); empty: no restriction.
	Near string `json:"near,omitempty"`
}

// Scope is the part of a question that all arms of an experiment share. The zero value is the
// study's.
type Scope struct {
	// ε, a decimal or a fraction in the notion's unit; absent for the study's.
	Epsilon string `json:"epsilon,omitempty"`
	// The protected attributes that vary together; absent, or "all", for those of the study.
	Protected []string `json:"protected,omitempty"`
	// The predicate that restricts the space; absent for the study's. "all" does not restrict it.
	Where string `json:"where,omitempty"`
	// The constraints to switch on; absent for the study's.
	Rules []string `json:"rules,omitempty"`
	// The score that a positive decision exceeds, a decimal or a fraction, or such scores by group; absent for the study's.
	Threshold string `json:"threshold,omitempty"`
	// The bands of the decision, such as A=0.8,B=0.6,C=0; absent for the study's.
	Bands string `json:"bands,omitempty"`
}

// Validate checks the spec without reading files.
func (s *Spec) Validate() error {
	if s.K != 0 && s.K < 3 {
		return fmt.Errorf("--k %d: want 3 or more; leave it out to ask about two copies", s.K)
	}
	return nil
}

// OneGoal returns an error if the spec counts bins and the largest gap or margin is wanted, too.
func (s *Spec) OneGoal(maximise bool) error {
	if s.K > 0 && maximise {
		return errors.New("--k and --maximize exclude each other: a question about bins has no gap to maximise")
	}
	return nil
}

// Command returns a command line of hyfair that asks the same question: the command's name, the
// study, the flags of the spec, and the words in more. Without notion it omits the flags that only
// commands with a notion accept.
func (s *Spec) Command(name string, notion bool, more ...string) string {
	words := []string{"hyfair", name, s.Study}
	flag := func(name, value string) {
		if value != "" {
			words = append(words, "--"+name, value)
		}
	}
	if s.Data != os.Getenv("HYFAIR_DATA") {
		flag("data", s.Data)
	}
	flag("model", s.Model)
	flag("protected", strings.Join(s.Protected, ","))
	flag("where", s.Where)
	flag("rules", strings.Join(s.Rules, ","))
	flag("epsilon", s.Epsilon)
	flag("threshold", s.Threshold)
	flag("bands", s.Bands)
	if notion {
		flag("notion", s.Notion)
		if s.K > 0 {
			flag("k", strconv.Itoa(s.K))
		}
		for _, r := range s.Relax {
			flag("relax", r)
		}
		flag("near", s.Near)
	}
	words = append(words, more...)
	for i := range words {
		words[i] = shell.Word(words[i])
	}
	return strings.Join(words, " ")
}

// Canonical returns the spec without the paths of the files, which then are identified by their
// checksums alone. All checksums must be set.
func (s Spec) Canonical() Spec {
	s.Study, s.Data, s.Model = "", "", ""
	return s
}

// Question is a spec with its study read. It is read-only.
type Question struct {
	Spec  Spec
	Study *study.Study
	// Space has the question's protected attributes. Where is the predicate of Spec, in which Of puts
	// that of the study. Region is the box that Where leaves of the space, and Rest the conditions of
	// Where that no box can express.
	Space  *space.Space
	Where  space.Predicate
	Region space.Region
	Rest   space.Predicate
}

// ErrChanged reports that a file differs from the checksum in the spec.
var ErrChanged = errors.New("the file was changed since the run began")

// Open reads the study and applies the spec, which must ask one question.
func Open(spec Spec) (*Question, error) { return open(spec, false) }

// OpenAnyClass is Open, but also accepts a study about any of several classes. The question is then
// about class 0.
func OpenAnyClass(spec Spec) (*Question, error) { return open(spec, true) }

func open(spec Spec, anyClass bool) (*Question, error) {
	all, err := openAll(spec, anyClass)
	if err != nil {
		return nil, err
	}
	sets := len(all)
	if all[0].Study.Class != nil {
		sets /= all[0].Study.ModelFile.Classes
	}
	switch {
	case sets > 1:
		return nil, fmt.Errorf("--protected %s asks several questions, want one: name the attributes to vary together, such as %s",
			strings.Join(spec.Protected, ","), strings.Join(Protected(all[0].Study.Space), ","))
	}
	return all[0], nil
}

// openAll is Open for a spec whose protected attributes may be "each" (one at a time) or "subsets"
// (every subset, smaller ones first): it returns one question per set. With anyClass and a study
// that asks about any class, it returns one question per set and class.
func openAll(spec Spec, anyClass bool) ([]*Question, error) {
	st, err := study.Load(spec.Study, study.Options{DataRoot: spec.Data, Model: spec.Model, Rules: spec.Rules, Threshold: spec.Threshold, Bands: spec.Bands, AnyClass: anyClass, Parts: len(spec.Protected) > 0})
	if err != nil {
		return nil, err
	}
	return Of(st, spec)
}

// Of returns the spec's questions about a study that was read.
func Of(st *study.Study, spec Spec) ([]*Question, error) {
	if err := unchanged(st, &spec); err != nil {
		return nil, err
	}
	sets, err := protectedSets(st.Space, spec.Protected)
	if err != nil {
		return nil, err
	}
	classes, err := st.ByClass()
	if err != nil {
		return nil, err
	}
	spec.Where = Where(st, spec.Where)
	var out []*Question
	for _, set := range sets {
		q := &Question{Spec: spec, Study: st, Space: st.Space}
		if len(sets) > 1 {
			q.Spec.Protected = set
		}
		if !slices.Equal(set, Protected(st.Space)) {
			if q.Space, err = st.Space.Protect(set...); err != nil {
				return nil, fmt.Errorf("--protected: %w", err)
			}
		}
		if q.Space.Whole().Count() > space.MaxCombinations {
			return nil, fmt.Errorf("--protected %s: more than %d combinations of protected values, the maximum: name fewer attributes", strings.Join(set, ","), space.MaxCombinations)
		}
		if spec.Where != unrestricted {
			q.Where, err = space.ParsePredicate(q.Space, spec.Where)
		}
		if err == nil {
			q.Region, q.Rest, err = q.Space.Cut(q.Space.Whole(), q.Where)
		}
		if err != nil {
			return nil, fmt.Errorf("--where: %w", err)
		}
		for _, of := range classes {
			one := *q
			one.Study = of
			out = append(out, &one)
		}
	}
	return out, nil
}

// unrestricted is a predicate that replaces the study's and always holds.
const unrestricted = "all"

// Where returns the predicate of a question: the given one, or else the study's.
func Where(st *study.Study, given string) string { return cmp.Or(given, st.Where) }

// Queries reads the study and makes the spec's queries, one per set of protected attributes. note
// receives notes for the user.
func Queries(spec Spec, goal problem.Goal, note func(format string, args ...any)) (*study.Study, []*problem.Query, error) {
	all, out, err := queries(spec, goal, false, note)
	if err != nil {
		return nil, nil, err
	}
	return all[0].Study, out, nil
}

// ByClass is Queries, but also accepts a study about any of several classes. It then asks, for each
// set of attributes, one question per class: whether that class wins. The questions of a set are
// adjacent.
func ByClass(spec Spec, goal problem.Goal, note func(format string, args ...any)) ([]*Question, []*problem.Query, error) {
	return queries(spec, goal, true, note)
}

func queries(spec Spec, goal problem.Goal, anyClass bool, note func(format string, args ...any)) ([]*Question, []*problem.Query, error) {
	all, err := openAll(spec, anyClass)
	if err == nil {
		err = all[0].Study.OneLogit()
	}
	if err != nil {
		return nil, nil, err
	}
	out := make([]*problem.Query, len(all))
	for i, one := range all {
		if out[i], err = one.Query(goal); err != nil {
			return nil, nil, err
		}
		if out[i].Notion.Binned() {
			CountsBins(one.Study.Clustering, note)
		}
		if i == 0 && out[i].Notion == fairness.Score {
			TakesSigmoids(out[i].Model, note)
		}
	}
	return all, out, nil
}

// With returns the question about another network of the same shape, which need not be a file.
func (q *Question) With(n *relu.Network) (*Question, error) {
	sum := sha256.New()
	if err := modelfile.WriteJSON(sum, n); err != nil {
		return nil, err
	}
	st, out := *q.Study, *q
	st.Model, st.ModelSHA256 = n, hex.EncodeToString(sum.Sum(nil))
	out.Study, out.Spec.ModelSHA256 = &st, st.ModelSHA256
	return &out, nil
}

// unchanged compares the files with the spec's checksums, and fills in those that are empty.
func unchanged(st *study.Study, spec *Spec) error {
	for _, f := range []struct {
		path, have string
		want       *string
	}{{st.Path, st.SHA256, &spec.StudySHA256}, {st.ModelPath, st.ModelSHA256, &spec.ModelSHA256}} {
		if *f.want != "" && *f.want != f.have {
			return fmt.Errorf("%s: %w", f.path, ErrChanged)
		}
		*f.want = f.have
	}
	return nil
}

// CountsBins tells the user that k counts bins, if the study has another clustering.
func CountsBins(c fairness.Clustering, note func(format string, args ...any)) {
	if c != fairness.ByBins {
		note("k counts bins; the study's clustering, %s, is not used", c)
	}
}

// TakesSigmoids tells the user that scores are σ of the model's output, in case the model is a
// regression, whose output is not a logit.
func TakesSigmoids(m model.Model, note func(format string, args ...any)) {
	if m.Link() == fairness.LinkLinear && m.Family() != relu.Family {
		note("scores are σ of the sum of the %s; if the model is a regression, use certify and quantify with --notion logit", m.Family())
	}
}

// NeedsMajority tells the user which shares of a class are positive decisions.
func NeedsMajority(st *study.Study, note func(format string, args ...any)) {
	if st.ModelFile.ShareOfMany {
		note("a decision is positive if the share of the class is above ½; the largest share alone is not enough")
	}
}

// EpsilonFor returns the ε of a question in a notion, see study.EpsilonFor.
func (q *Question) EpsilonFor(n fairness.Notion) (*big.Rat, error) {
	eps, err := q.Study.EpsilonFor(n, q.Spec.Epsilon)
	if err != nil && q.Spec.Epsilon != "" {
		err = fmt.Errorf("--epsilon: %w", err)
	}
	return eps, err
}

// Notion returns the spec's notion, or else the study's, adapted to the model's link.
func (q *Question) Notion() (fairness.Notion, error) {
	n := q.Study.Notion
	if q.Spec.Notion != "" {
		var err error
		if n, err = fairness.ParseNotion(q.Spec.Notion); err != nil {
			return 0, fmt.Errorf("--notion: %w", err)
		}
	}
	return q.Study.Model.Link().Notion(n), q.Study.Takes(n)
}

// Query returns the question in the form for solvers.
func (q *Question) Query(goal problem.Goal) (_ *problem.Query, err error) {
	if goal != problem.Quantify { // shares can be sampled
		if err := sdk.Provable(q.Study.Model, "a proof, or a problem for a solver,"); err != nil {
			return nil, err
		}
	}
	out := &problem.Query{Model: q.Study.Model, Space: q.Space, Region: q.Region, K: q.Spec.K, Goal: goal}
	if len(q.Rest) > 0 {
		out.Require = append(out.Require, q.Rest)
	}
	if out.Notion, err = q.Notion(); err != nil {
		return nil, err
	}
	switch bands := q.Study.Bands; {
	case bands != nil && (out.Notion == fairness.Decision || out.Notion.Binned() && out.K > 2):
		if q.Spec.Epsilon != "" {
			return nil, errors.New("--epsilon: with bands there is no ε; --notion score asks about gaps of scores")
		}
		out.Notion, out.Bands = q.scores(), bands
	case !out.Notion.UsesEpsilon():
		if err := q.decides(out); err != nil {
			return nil, err
		}
	}
	if out.K > 2 && goal == problem.Quantify && !out.Notion.Binned() {
		return nil, fmt.Errorf("--k %d: the notion %s has no bins: leave out --k, or use --notion score", out.K, out.Notion)
	}
	if out.Epsilon, err = q.width(out); err != nil {
		return nil, err
	}
	for _, text := range q.Spec.Relax {
		r, err := parseRelaxation(q.Space, text)
		if err != nil {
			return nil, fmt.Errorf("--relax %q: %w", text, err)
		}
		out.Relax = append(out.Relax, r)
	}
	if len(out.Relax) > 0 {
		// The copies are two individuals, both of which must lie in the region (docs/reference/semantics.md).
		out.Space = q.Space.Restrict(q.Region)
	}
	if err = q.within(out); err != nil {
		return nil, err
	}
	return out, out.Validate()
}

// width returns ε for a query. With bands ε has no effect, and an invalid one is replaced by the
// default.
func (q *Question) width(of *problem.Query) (*big.Rat, error) {
	if of.Bands != nil && fairness.CheckEpsilon(q.Study.Epsilon, of.Notion) != nil {
		return study.DefaultEpsilon(), nil
	}
	return q.EpsilonFor(of.Notion)
}

// scores is the notion of gaps between scores.
func (q *Question) scores() fairness.Notion { return q.Study.Model.Link().Notion(fairness.Score) }

// Scores returns the question which individuals have gaps of scores above ε, or copies in different bands of the
// study's decision, regardless of the study's notion. Rest becomes constraints, which strategies, solvers and
// evaluation all respect.
func (q *Question) Scores() (*problem.Query, error) {
	out := &problem.Query{
		Model: q.Study.Model, Space: forbid(q.Space, q.Rest), Region: q.Region,
		Notion: q.scores(), Goal: problem.Decide,
	}
	if q.Spec.Notion != fairness.Score.String() {
		out.Bands = q.Study.Bands
	}
	var err error
	if out.Epsilon, err = q.width(out); err == nil {
		err = q.within(out)
	}
	if err != nil {
		return nil, err
	}
	return out, out.Validate()
}

// Decisions returns the question for the notion decision, as Scores does for scores.
func (q *Question) Decisions() (*problem.Query, error) {
	if err := q.Study.Takes(fairness.Decision); err != nil {
		return nil, err
	}
	if q.Study.Bands != nil {
		return q.Scores()
	}
	out := &problem.Query{Space: forbid(q.Space, q.Rest), Region: q.Region, Notion: fairness.Decision, Goal: problem.Decide}
	err := q.decides(out)
	if err == nil {
		err = q.within(out)
	}
	if err != nil {
		return nil, err
	}
	return out, out.Validate()
}

// NotionOf is the notion of a query as a user asks for it: with bands, decision.
func NotionOf(q *problem.Query) fairness.Notion {
	if q.Bands != nil {
		return fairness.Decision
	}
	return q.Notion
}

// decides sets a query's model to one whose decisions follow the study's rule.
func (q *Question) decides(to *problem.Query) (err error) {
	if to.Model, err = q.Study.Decided(); to.Model != q.Study.Model {
		to.Scored, to.Rule = q.Study.Model, q.Study.Rule
	}
	return err
}

// forbid forbids the categories that rest excludes.
func forbid(s *space.Space, rest space.Predicate) *space.Space {
	if len(rest) == 0 {
		return s
	}
	out := *s
	out.Forbidden = slices.Clone(s.Forbidden)
	for i := range rest {
		hole := space.Condition{Feature: rest[i].Feature}
		for v := range s.Features[hole.Feature].Categories {
			if !rest[i].Holds(float64(v)) {
				hole.Set = append(hole.Set, v)
			}
		}
		out.Forbidden = append(out.Forbidden, space.Predicate{hole})
	}
	return &out
}

func parseRelaxation(s *space.Space, text string) (r problem.RelaxedFeature, err error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return r, fmt.Errorf("want FEATURE=TOLERANCE")
	}
	name = strings.TrimSpace(name)
	if r.Feature, ok = s.Index(name); !ok {
		return r, fmt.Errorf("no feature %q; the features are %s", name, strings.Join(s.Names(), ", "))
	}
	f := &s.Features[r.Feature]
	switch {
	case f.IsProtected():
		return r, fmt.Errorf("%s is protected, so copies may differ in it without limit: leave it out", name)
	case f.Kind == space.Categorical:
		return r, fmt.Errorf("%s has categories, between which there is no distance: relax other features", name)
	case f.Missing:
		return r, fmt.Errorf("%s may be missing, and a missing value has no distance to a number: relax other features, or leave out the key missing in the study", name)
	}
	if r.Tolerance, err = strconv.ParseFloat(strings.TrimSpace(value), 64); err != nil || !(r.Tolerance >= 0) {
		return r, fmt.Errorf("got the tolerance %q, want a number of at least 0", value)
	}
	return r, nil
}

// Words of Spec.Protected that are not names of attributes.
const (
	protectedAll     = "all"
	protectedEach    = "each"
	protectedSubsets = "subsets"
)

// maxSubsets is the maximum number of attributes for the word subsets.
const maxSubsets = 10

// protectedSets lists the sets of attributes to vary together, one per question.
func protectedSets(s *space.Space, asked []string) ([][]string, error) {
	all := Protected(s)
	if len(asked) == 0 {
		return [][]string{all}, nil
	}
	if len(asked) > 1 {
		for _, word := range asked {
			if word == protectedAll || word == protectedEach || word == protectedSubsets {
				return nil, fmt.Errorf("--protected %s: %s cannot be combined with others", strings.Join(asked, ","), word)
			}
		}
		return [][]string{asked}, nil
	}
	switch asked[0] {
	case protectedAll:
		return [][]string{all}, nil
	case protectedEach:
		var sets [][]string
		for _, name := range all {
			sets = append(sets, []string{name})
		}
		return sets, nil
	case protectedSubsets:
		return subsets(all)
	}
	return [][]string{asked}, nil
}

func subsets(names []string) ([][]string, error) {
	if len(names) > maxSubsets {
		return nil, fmt.Errorf("--protected subsets: got %d attributes, want %d at most: name those that matter", len(names), maxSubsets)
	}
	var sets [][]string
	for mask := 1; mask < 1<<len(names); mask++ {
		var set []string
		for i, name := range names {
			if mask>>i&1 == 1 {
				set = append(set, name)
			}
		}
		sets = append(sets, set)
	}
	slices.SortStableFunc(sets, func(a, b []string) int { return len(a) - len(b) })
	return sets, nil
}

// Protected names the protected attributes of a space.
func Protected(s *space.Space) []string {
	var names []string
	for _, i := range s.Protected() {
		names = append(names, s.Features[i].Name)
	}
	return names
}
