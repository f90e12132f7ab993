package client_test

import (
	"errors"
	"io"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

func TestSession(t *testing.T) {
	p := launch(t, config(client.Strategy, "walk"))
	d := p.Description()
	if d.Name != "walk" || !d.NeedsRows || d.Lag != 2 || d.Presets[0].Options["moves"] != "10" {
		t.Errorf("description %+v", d)
	}
	s, err := p.Strategy().Start(t.Context(), people(), sdk.StartOptions{Seed: 7, Options: map[string]string{"moves": "10"}})
	if err != nil {
		t.Fatal(err)
	}
	var told []sdk.Trial
	total := 0
	for {
		moves, err := s.Next(t.Context(), told, 4)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		told = nil
		for _, m := range moves {
			if m.Round != int64(total) { // the plugin returns its number of trials as Round
				t.Errorf("move %d was made knowing %d trials; want %d", m.ID, m.Round, total)
			}
			told = append(told, sdk.Trial{ID: m.ID, Status: sdk.TrialEvaluated, Point: m.Point, K: 2, Gap: 0.1})
		}
		total += len(moves)
	}
	if total != 10 {
		t.Errorf("%d moves; want 10", total)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
