package partition_test

import (
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/sdk/space"
)

// integers is a space of integer features with the domains given, the first of
// them protected.
func integers(domains ...[2]float64) *space.Space {
	s := &space.Space{Inputs: len(domains)}
	for i, d := range domains {
		f := space.Feature{Name: string(rune('a' + i)), Kind: space.Integer, Lo: d[0], Hi: d[1], Inputs: []space.Input{{Index: i, Scale: 1}}}
		if i == 0 {
			f.Protected = []float64{0, 1}
		}
		s.Features = append(s.Features, f)
	}
	return s
}

// TestFairifysPartitions: the published counts (Adult with sex protected and
// chunks of 10, Bank with age protected and chunks of 100).
func TestFairifysPartitions(t *testing.T) {
	adult := integers([2]float64{0, 1}, [2]float64{10, 100}, [2]float64{0, 6}, [2]float64{0, 15}, [2]float64{1, 16}, [2]float64{0, 6}, [2]float64{0, 13},
		[2]float64{0, 5}, [2]float64{0, 4}, [2]float64{0, 19}, [2]float64{0, 19}, [2]float64{1, 100}, [2]float64{0, 40})
	bank := integers([2]float64{0, 1}, [2]float64{0, 10}, [2]float64{0, 2}, [2]float64{0, 6}, [2]float64{0, 1}, [2]float64{0, 1}, [2]float64{0, 1}, [2]float64{0, 1},
		[2]float64{0, 11}, [2]float64{0, 6}, [2]float64{0, 5000}, [2]float64{-3, 1}, [2]float64{1, 50}, [2]float64{0, 999}, [2]float64{0, 7}, [2]float64{0, 2})
	for _, c := range []struct {
		s     *space.Space
		chunk string
		want  int
	}{{adult, "10", 16000}, {bank, "100", 510}} {
		chunks, err := partition.ParseChunks(c.s, c.chunk)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := chunks.Split(c.s, c.s.Whole())
		if err != nil || len(parts) != c.want {
			t.Errorf("chunk %s: %d parts, %v; want %d", c.chunk, len(parts), err, c.want)
		}
	}
}

// The parts cover every individual of the region, each once.
func TestPartsTileTheRegion(t *testing.T) {
	s := integers([2]float64{0, 1}, [2]float64{-3, 7}, [2]float64{0, 4})
	for _, text := range []string{"1", "2", "3", "4", "100", "b=5", "c=2,b=3", "2.7"} {
		chunks, err := partition.ParseChunks(s, text)
		if err != nil {
			t.Fatal(err)
		}
		region := s.Whole()
		region.Box[1] = space.Interval{Lo: -2, Hi: 6}
		parts, err := chunks.Split(s, region)
		if err != nil {
			t.Fatal(err)
		}
		keys := map[string]bool{}
		for _, p := range parts {
			keys[partition.Text(s, region, p)] = true
		}
		if len(keys) != len(parts) {
			t.Errorf("%s: %d parts have %d names", text, len(parts), len(keys))
		}
		for b := -3.0; b <= 7; b++ {
			for c := 0.0; c <= 4; c++ {
				x, inside := []float64{0, b, c}, 0
				for _, p := range parts {
					if s.RegionContains(p, x) {
						inside++
					}
				}
				want := 0
				if s.RegionContains(region, x) {
					want = 1
				}
				if inside != want {
					t.Errorf("%s: %v lies in %d parts, want %d", text, x, inside, want)
				}
			}
		}
	}
}

func TestChunksRefused(t *testing.T) {
	s := integers([2]float64{0, 1}, [2]float64{0, 1e9}, [2]float64{0, 4})
	for text, want := range map[string]string{
		"0": "want a chunk size", "-1": "want a chunk size", "ten": "want a chunk size", "NaN": "want a chunk size", "b=": "want a positive number", "x=2": `no feature "x"`,
		"a=2": "protected", "": "want a chunk size", "b=inf": "want a positive number",
	} {
		if _, err := partition.ParseChunks(s, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want one that says %q", text, err, want)
		}
	}
	chunks, err := partition.ParseChunks(s, "1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chunks.Split(s, s.Whole()); err == nil || !strings.Contains(err.Error(), "larger chunks") {
		t.Errorf("a thousand million parts: %v", err)
	}
}

func FuzzParseChunks(f *testing.F) {
	for _, text := range []string{"10", "b=3,c=2", "adaptive", "a=1", "b=1e300", "=", ",,"} {
		f.Add(text)
	}
	s := integers([2]float64{0, 1}, [2]float64{0, 40}, [2]float64{0, 4})
	f.Fuzz(func(t *testing.T, text string) {
		chunks, err := partition.ParseChunks(s, text)
		if err != nil {
			return
		}
		parts, err := chunks.Split(s, s.Whole())
		if err == nil && (len(parts) == 0 || len(parts) > 41*5) {
			t.Errorf("%q: %d parts", text, len(parts))
		}
	})
}
