package mitigate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/train"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// The policies for the training label of an individual's copies; all copies get the same.
const (
	// LabelMajority is the original network's decision for most of the copies; LabelMean
	// decides a tie.
	LabelMajority = "majority"
	// LabelMean is 1 if the mean score of the copies exceeds the threshold, or the mean of their
	// groups' thresholds; else 0.
	LabelMean = "mean"
)

// Labels lists the policies.
func Labels() []string { return []string{LabelMajority, LabelMean} }

// Retraining holds the parameters of further training; see DefaultRetraining. The zero
// value is invalid.
type Retraining struct {
	// Epochs, Rate and Patience are train.Config's; Patience 0 trains all epochs. HeldBack
	// is the share of the training rows that choose the epoch; added individuals are never
	// held back.
	Epochs   int     `json:"epochs"`
	Rate     float64 `json:"rate"`
	Patience int     `json:"patience"`
	HeldBack float64 `json:"hold_back"`
	// Augment is the number of individuals found, those with the largest k first, that are
	// added to the rows with all their copies. Label is the policy.
	Augment int    `json:"augment"`
	Label   string `json:"label"`
	// Weight is the penalty's factor on the spread of logits, Copies the number of
	// counterfactuals in each penalty term.
	Weight float64 `json:"weight"`
	Copies int     `json:"copies"`
	// Rounds bounds the rounds of Iterated, MaxLoss the accuracy, as a share, that they may
	// lose on the held-back rows.
	Rounds  int     `json:"rounds"`
	MaxLoss float64 `json:"max_loss"`
	Seed    int64   `json:"-"`
}

// DefaultRetraining holds the defaults of hyfair mitigate.
func DefaultRetraining() Retraining {
	return Retraining{
		Epochs: 20, Rate: 0.0005, Patience: 5, HeldBack: 0.1, Augment: 200, Label: LabelMajority,
		Weight: 10, Copies: 8, Rounds: 3, MaxLoss: DearLoss, Seed: 1,
	}
}

// DearLoss is the loss of accuracy, as a share, above which a remark mentions it: two points, the
// most that the paper's retrained networks lose.
const DearLoss = 0.02

// Validate checks the ranges of the parameters.
func (r *Retraining) Validate() error {
	switch {
	case r.Epochs < 1:
		return fmt.Errorf("%d epochs; want 1 or more", r.Epochs)
	case !(r.Rate > 0):
		return fmt.Errorf("learning rate %v; want more than 0", r.Rate)
	case !(r.HeldBack > 0 && r.HeldBack < 1):
		return fmt.Errorf("share %v held back; want more than 0, below 1", r.HeldBack)
	case r.Augment < 1:
		return fmt.Errorf("%d individuals to add; want 1 or more", r.Augment)
	case !slices.Contains(Labels(), r.Label):
		return fmt.Errorf("label policy %q; the policies are %s", r.Label, strings.Join(Labels(), " and "))
	case !(r.Weight > 0) || math.IsInf(r.Weight, 0):
		return fmt.Errorf("weight %v of the penalty; want a finite number above 0", r.Weight)
	case r.Copies < 2:
		return fmt.Errorf("a spread over %d copies; want 2 or more", r.Copies)
	case r.Rounds < 1:
		return fmt.Errorf("%d rounds; want 1 or more", r.Rounds)
	case !(r.MaxLoss >= 0 && r.MaxLoss <= 1):
		return fmt.Errorf("an accuracy loss of %v; want a share from 0 to 1", r.MaxLoss)
	}
	return r.config(nil).Validate()
}

// config is the configuration of a training without penalty.
func (r *Retraining) config(start *relu.Network) train.Config {
	return train.Config{Start: start, Epochs: r.Epochs, LearningRate: r.Rate, Patience: r.Patience, HeldBack: r.HeldBack, Seed: r.Seed}
}

// checkData rejects rows that cannot be trained on, before any search begins.
func checkData(rows [][]float64, labels []int) error {
	if len(rows) < 2 {
		return fmt.Errorf("%d rows to train on; at least 2 are needed, one of them to be held back", len(rows))
	}
	if len(rows) != len(labels) {
		return fmt.Errorf("%d rows but %d labels", len(rows), len(labels))
	}
	count := map[int]int{}
	for i, label := range labels {
		if label != 0 && label != 1 {
			return fmt.Errorf("row %d has the label %d; want 0 or 1", i, label)
		}
		count[label]++
	}
	for label := range 2 {
		if count[label] == 0 {
			return errors.Join(train.ErrOneClass, fmt.Errorf("none of the %d rows to train on has the outcome %d: there is nothing to learn", len(rows), label))
		}
	}
	return nil
}
