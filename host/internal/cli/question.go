package cli

import (
	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/question"
)

const thresholdHelp = "the score that a positive decision exceeds, such as 0.3, or by group, such as sex:man=0.5,woman=0.45 (default: the study's, or else 0.5)"

const bandsHelp = "outcomes of the decision in place of yes and no, each with its least score, the favourable one first: A=0.8,B=0.6,C=0 (default: the study's)"

// sharesOf is what addPopulation is for in commands that show shares.
const sharesOf = "the population that shares describe"

// addPopulation adds --population, a distribution of individuals; what says what it is for.
func addPopulation(cmd *cobra.Command, to *string, what string) {
	cmd.Flags().StringVar(to, "population", "", what+": uniform (each combination of values counts once), independent (each feature with the frequencies of its values in the rows), classes:N (a mixture of N independent ones, fitted to the rows), weights:FILE (a table of cells and weights) or network:FILE (a tree-shaped Bayesian network) (default: the study's, or else uniform)")
}

// addNear adds --near, which restricts a question to individuals like those in the data.
func addNear(cmd *cobra.Command, to *question.Spec, more string) {
	cmd.Flags().StringVar(&to.Near, "near", "", "ask only about individuals within this Gower distance, 0 to 1, of a row of the study's data: the mean, over the features that are not protected, of the difference as a share of the domain for numbers, and of 0 or 1 for categories"+more)
}

// addQuestion adds the flags that all commands with a question have in common.
func addQuestion(cmd *cobra.Command, spec *question.Spec) {
	fl := cmd.Flags()
	fl.StringVar(&spec.Model, "model", "", "use this model instead of the study's: a file, or the name of a model next to the study's own")
	fl.StringVar(&spec.Epsilon, "epsilon", "", "ε, a decimal or a fraction (default: the study's)")
	fl.StringVar(&spec.Threshold, "threshold", "", thresholdHelp)
	fl.StringVar(&spec.Bands, "bands", "", bandsHelp)
	fl.StringSliceVar(&spec.Protected, "protected", nil, "protected attributes to vary together; each (one at a time), subsets (every subset) or all (default: all the study protects)")
	fl.StringVar(&spec.Where, "where", "", `restrict the space: "age=30..39,workclass=Private|State-gov"`)
	fl.StringSliceVar(&spec.Rules, "rules", nil, "constraints to switch on by name, or all, or none (default: as the study says)")
}
