package cli

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/study"
	"github.com/hyfair/hyfair/sdk/fairness"
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
	fl.StringVar(&f.epsilon, "epsilon", "", "ε, a decimal (default: the study's)")
	fl.StringSliceVar(&f.protected, "protected", nil, "protected attributes to vary together (default: all the study protects)")
	fl.StringVar(&f.where, "where", "", `cut the space: "age=30..39,workclass=Private|State-gov"`)
	fl.StringSliceVar(&f.rules, "rules", nil, "constraints to switch on by name, or all, or none (default: as the study says)")
}

func (f *questionFlags) epsilonFor(st *study.Study, n fairness.Notion) (*big.Rat, error) {
	if f.epsilon == "" {
		return st.Epsilon, fairness.CheckEpsilon(st.Epsilon, n)
	}
	eps, err := fairness.ParseEpsilon(f.epsilon, n)
	if err != nil {
		return nil, fmt.Errorf("--epsilon: %w", err)
	}
	return eps, nil
}

// load reads the study and cuts its space as the flags say. rest are the
// conditions of --where that a box cannot express and the question must add.
func (f *questionFlags) load(app *App, path string) (st *study.Study, s *space.Space, region space.Region, rest space.Predicate, err error) {
	st, err = study.Load(path, study.Options{DataRoot: app.Data, Model: f.model, Rules: f.rules})
	if err != nil {
		return nil, nil, region, nil, err
	}
	s = st.Space
	if len(f.protected) > 0 && !slices.Equal(f.protected, []string{"all"}) {
		for _, name := range f.protected {
			if name == "each" || name == "subsets" {
				return nil, nil, region, nil, fmt.Errorf("--protected %s: name the attributes to vary together, such as %s", name, strings.Join(protectedNames(s), ","))
			}
		}
		if s, err = s.Protect(f.protected...); err != nil {
			return nil, nil, region, nil, fmt.Errorf("--protected: %w", err)
		}
	}
	where, err := space.ParsePredicate(s, f.where)
	if err != nil {
		return nil, nil, region, nil, fmt.Errorf("--where: %w", err)
	}
	region, rest, err = s.Cut(s.Whole(), where)
	if err != nil {
		return nil, nil, region, nil, fmt.Errorf("--where: %w", err)
	}
	return st, s, region, rest, nil
}

func protectedNames(s *space.Space) []string {
	var names []string
	for _, i := range s.Protected() {
		names = append(names, s.Features[i].Name)
	}
	return names
}
