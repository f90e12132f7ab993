package search

import (
	"context"
	"encoding/csv"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

// The shipped strategies run as processes, found in a folder by their names.
func TestSearchWithPlugins(t *testing.T) {
	tier.NeedUsual(t)
	catalogue, err := discover.New(plugintest.Folder(t, map[string]string{"hyfair-search-rw": "plugins/search-rw", "hyfair-search-sa": "plugins/search-sa"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	open := func(t *testing.T, name string) (*Searcher, *discover.Plugin) {
		p, err := catalogue.Open(t.Context(), client.Strategy, name, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		j, _ := searcher(t, p.Strategy())
		j.strategyName, j.start.Options = name, p.Options
		for years := range 10 {
			j.start.Rows = append(j.start.Rows, []float64{float64(years), 0, float64(years % 2)})
		}
		return j, p
	}
	for _, name := range []string{"rw", "sa", "sa+knn"} {
		t.Run("same seed, same finds: "+name, func(t *testing.T) {
			found := func() [][]string {
				j, _ := open(t, name)
				j.request.Runs, j.budget = 2, Budget{Iter: 60}
				report, err := answer(t.Context(), j)
				if err != nil || *report.Iter != 60 || *report.MaxK != 2 || report.Runs[0].Outside != 0 {
					t.Fatalf("error %v, report %+v", err, report)
				}
				file, err := os.Open(j.request.Out)
				if err != nil {
					t.Fatal(err)
				}
				defer file.Close()
				rows, err := csv.NewReader(file).ReadAll()
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range rows {
					row[3] = "" // seconds
				}
				return rows
			}
			if d := cmp.Diff(found(), found()); d != "" {
				t.Errorf("two processes with the same seed found different individuals:\n%s", d)
			}
		})
	}
	t.Run("a killed plugin costs its run", func(t *testing.T) {
		j, p := open(t, "sa")
		j.request.Runs, j.budget = 2, Budget{Iter: 300}
		killed := false
		j.newSeeder = func() Seeder {
			return seeding(func() {
				if !killed {
					killed = true
					if process, err := os.FindProcess(p.Pid()); err != nil || process.Kill() != nil {
						t.Error("the plugin was not there to be killed")
					}
				}
			})
		}
		report, err := answer(t.Context(), j)
		if !errors.Is(err, sdk.ErrPluginExited) || !strings.Contains(err.Error(), "run 1 of 2: strategy sa exited while proposing moves") {
			t.Errorf("error %v", err)
		}
		if one, two := report.Runs[0], report.Runs[1]; one.Error == "" || *one.Measures.ID != 1 || two.Error != "" || *two.Iter != 300 {
			t.Errorf("runs %+v and %+v; want the find before the kill, then a whole run", one, two)
		}
	})
}

// seeding is a solver that always finds the same individual, and does
// something on the way.
type seeding func()

func (s seeding) Seed(context.Context, []float64, int64) ([]float64, bool, error) {
	s()
	return []float64{9, 0, 0}, true, nil
}
