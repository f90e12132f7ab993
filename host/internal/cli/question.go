package cli

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// questionFlags are the flags that say what is asked, shared by the commands
// that ask.
type questionFlags struct {
	model     string
	epsilon   string
	protected []string
	where     string
	rules     []string
}

func (f *questionFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.model, "model", "", "use this network in place of the study's: a file, or a name beside the study's own")
	fl.StringVar(&f.epsilon, "epsilon", "", "ε, a decimal or a fraction (default: the study's)")
	fl.StringSliceVar(&f.protected, "protected", nil, "protected attributes to vary together; each (one at a time), subsets (every subset) or all (default: all the study protects)")
	fl.StringVar(&f.where, "where", "", `cut the space: "age=30..39,workclass=Private|State-gov"`)
	fl.StringSliceVar(&f.rules, "rules", nil, "constraints to switch on by name, or all, or none (default: as the study says)")
}

// epsilonFor is ε for questions in a notion, see study.EpsilonFor. Bins and
// gaps are of scores, whatever notion the study certifies.
func (f *questionFlags) epsilonFor(st *study.Study, n fairness.Notion) (*big.Rat, error) {
	eps, err := st.EpsilonFor(n, f.epsilon)
	if err != nil && f.epsilon != "" {
		err = fmt.Errorf("--epsilon: %w", err)
	}
	return eps, err
}

// countsBins says once a run that k counts bins, where a study wants another
// clustering.
func (a *App) countsBins(c fairness.Clustering) {
	if c == fairness.ByBins || a.toldOfBins == nil || *a.toldOfBins {
		return
	}
	*a.toldOfBins = true
	fmt.Fprintf(a.Stderr, "hyfair: k counts bins; the study's clustering, %s, is not used\n", c)
}

// study reads the study that the flags name.
func (f *questionFlags) study(app *App, path string) (*study.Study, error) {
	return study.Load(path, study.Options{DataRoot: app.Data, Model: f.model, Rules: f.rules})
}

// queries reads the study and puts a question for each set of protected
// attributes.
func (f *questionFlags) queries(app *App, path string, put func(st *study.Study, protected []string) (*problem.Query, error)) (*study.Study, []*problem.Query, error) {
	st, err := f.study(app, path)
	if err != nil {
		return nil, nil, err
	}
	sets, err := f.protectedSets(st.Space)
	if err != nil {
		return nil, nil, err
	}
	var queries []*problem.Query
	for _, set := range sets {
		q, err := put(st, set)
		if err != nil {
			return nil, nil, err
		}
		queries = append(queries, q)
	}
	return st, queries, nil
}

// query is the question about one set of protected attributes that the flags, a
// notion (empty: the study's) and a number of bins make, to decide.
func (f *questionFlags) query(app *App, st *study.Study, protected []string, notion string, k int) (*problem.Query, error) {
	s, region, rest, err := f.cut(st.Space, protected)
	if err != nil {
		return nil, err
	}
	q := &problem.Query{Network: st.Network, Space: s, Region: region, Notion: st.Notion, K: k, Goal: problem.Decide, Seed: app.Seed}
	if len(rest) > 0 {
		q.Require = append(q.Require, rest)
	}
	if notion != "" {
		if q.Notion, err = fairness.ParseNotion(notion); err != nil {
			return nil, fmt.Errorf("--notion: %w", err)
		}
	}
	if q.Epsilon, err = f.epsilonFor(st, q.Notion); err == nil && q.Notion == fairness.Score {
		app.countsBins(st.Clustering)
	}
	return q, err
}

// load reads the study and cuts its space as the flags say, for commands that
// ask one question. rest are the conditions of --where that a box cannot
// express and the question must add.
func (f *questionFlags) load(app *App, path string) (st *study.Study, s *space.Space, region space.Region, rest space.Predicate, err error) {
	if st, err = f.study(app, path); err != nil {
		return nil, nil, region, nil, err
	}
	sets, err := f.protectedSets(st.Space)
	if err != nil {
		return nil, nil, region, nil, err
	}
	if len(sets) > 1 {
		return nil, nil, region, nil, fmt.Errorf("--protected %s asks several questions; name the attributes to vary together, such as %s",
			strings.Join(f.protected, ","), strings.Join(protectedNames(st.Space), ","))
	}
	app.countsBins(st.Clustering)
	s, region, rest, err = f.cut(st.Space, sets[0])
	return st, s, region, rest, err
}

// The words that --protected knows beside names.
const (
	protectedAll     = "all"
	protectedEach    = "each"
	protectedSubsets = "subsets"
)

// maxSubsets bounds --protected subsets.
const maxSubsets = 10

// protectedSets lists the sets of attributes to vary together, one a question:
// every subset with smaller ones first, each alone, or the one that is named.
func (f *questionFlags) protectedSets(s *space.Space) ([][]string, error) {
	all := protectedNames(s)
	if len(f.protected) == 0 {
		return [][]string{all}, nil
	}
	if len(f.protected) > 1 {
		for _, word := range f.protected {
			if word == protectedAll || word == protectedEach || word == protectedSubsets {
				return nil, fmt.Errorf("--protected %s: %s stands alone", strings.Join(f.protected, ","), word)
			}
		}
		return [][]string{f.protected}, nil
	}
	switch f.protected[0] {
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
	return [][]string{f.protected}, nil
}

func subsets(names []string) ([][]string, error) {
	if len(names) > maxSubsets {
		return nil, fmt.Errorf("--protected subsets: %d attributes have %d subsets; name those that matter", len(names), 1<<len(names)-1)
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

// cut is the study's space with the attributes protected, and the region that
// --where leaves of it.
func (f *questionFlags) cut(s *space.Space, protected []string) (_ *space.Space, region space.Region, rest space.Predicate, err error) {
	if !slices.Equal(protected, protectedNames(s)) {
		if s, err = s.Protect(protected...); err != nil {
			return nil, region, nil, fmt.Errorf("--protected: %w", err)
		}
	}
	where, err := space.ParsePredicate(s, f.where)
	if err != nil {
		return nil, region, nil, fmt.Errorf("--where: %w", err)
	}
	region, rest, err = s.Cut(s.Whole(), where)
	if err != nil {
		return nil, region, nil, fmt.Errorf("--where: %w", err)
	}
	return s, region, rest, nil
}

func protectedNames(s *space.Space) []string {
	var names []string
	for _, i := range s.Protected() {
		names = append(names, s.Features[i].Name)
	}
	return names
}
