package experiment

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
)

// What a worker says, it says of its task.
func TestAnswerNamesWhoIsSpokenOf(t *testing.T) {
	var told []string
	tell := func(text string) { told = append(told, text) }
	b := &Bench{Session: &session.Session{Tell: tell}, Work: func(_ context.Context, t Errand, _ func(record.Event) error) (workers.Usage, error) {
		t.Say(&workers.Said{Show: "half of it"})
		t.Say(&workers.Said{Note: "without rows"})
		t.Say(&workers.Said{Result: []byte("7")})
		return workers.Usage{}, nil
	}}
	for _, who := range []string{"AC-1", "AC-2"} {
		var result int
		if _, err := b.Answer(t.Context(), Errand{Kind: "explain"}, who, tell, &result); err != nil || result != 7 {
			t.Errorf("%d, %v", result, err)
		}
	}
	if d := cmp.Diff([]string{"AC-1: half of it", "AC-1: without rows", "AC-2: half of it", "AC-2: without rows"}, told); d != "" {
		t.Error(d)
	}
}
