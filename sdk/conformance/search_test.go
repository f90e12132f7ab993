package conformance_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/conformance"
)

// Search sends the trials that a host would send; Wanderer checks them until it ends.
func TestSearch(t *testing.T) {
	for _, r := range []conformance.Search{{Moves: 100}, {Moves: 100, Seed: 5, Chains: 16, Want: 8}} {
		trials, err := r.Run(t.Context(), reference.Wanderer{})
		bins := map[int]bool{}
		for _, trial := range trials {
			bins[trial.K] = true
		}
		if err != nil || len(trials) < 100 || len(trials) > 107 || trials[4].Status != sdk.TrialNoSolver || len(bins) < 4 {
			t.Errorf("%v, %d trials with k of %v", err, len(trials), bins)
		}
		if again, _ := r.Run(t.Context(), reference.Wanderer{}); !reflect.DeepEqual(trials, again) {
			t.Error("the same search again makes other trials")
		}
	}
	if trials, err := (conformance.Search{Moves: 100, Options: map[string]string{"rounds": "3"}}).Run(t.Context(), reference.Wanderer{}); err != nil || len(trials) != 3 {
		t.Errorf("%v, %d trials of a search of three rounds", err, len(trials))
	}
	if _, err := (conformance.Search{Moves: 1, Options: map[string]string{"few": "3"}}).Run(t.Context(), reference.Wanderer{}); !errors.Is(err, sdk.ErrInvalidOption) {
		t.Errorf("of an unknown option: %v", err)
	}
	if _, err := (conformance.Search{Moves: 20, Answer: func(trial sdk.Trial) sdk.Trial {
		return sdk.Trial{ID: trial.ID, Status: sdk.TrialRefused}
	}}).Run(t.Context(), &astray{receive: scaredOf(sdk.TrialRefused)}); err == nil {
		t.Error("the strategy has not heard of the refusals")
	}
	trials, err := conformance.Search{Moves: 64, Chains: 24, Want: 8}.Run(t.Context(), impatient())
	if err == nil || len(trials) != 8 {
		t.Errorf("trials that were to be two calls late: %v after %d", err, len(trials))
	}
}

// It refuses what the conformance suite refuses.
func TestSearchRefusesMoves(t *testing.T) {
	for _, l := range strategyLiars() {
		if l.Case != "moves" {
			continue
		}
		if _, err := (conformance.Search{Moves: 200}).Run(t.Context(), l.Strategy); err == nil {
			t.Errorf("accepted: %s", l.Lie)
		}
	}
}
