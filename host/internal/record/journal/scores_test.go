package journal

import (
	"path/filepath"
	"testing"
)

// Scores come latest first, and none after visit returns false.
func TestScoresUntilEnough(t *testing.T) {
	j := opened(t, filepath.Join(t.TempDir(), "journal.db"))
	model := [16]byte{7}
	for k := range 3 {
		if err := j.KeepScores(model, []Score{{Row: [16]byte{byte(k)}, Score: float64(k)}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, most := range []int{1, 2, 5} {
		var got []Score
		err := j.Scores(model, func(some []Score) bool {
			got = append(got, some...)
			return len(got) < most
		})
		if err != nil || len(got) != min(most, 3) || got[0] != (Score{[16]byte{2}, 2}) {
			t.Errorf("at most %d: got %v, %v", most, got, err)
		}
	}
}
