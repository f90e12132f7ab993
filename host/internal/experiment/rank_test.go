package experiment

import "testing"

// Over seven networks an arm that is ahead on all is significantly better; the others
// are not.
func TestSentence(t *testing.T) {
	var networks [][][]float64
	for n := range 7 {
		networks = append(networks, [][]float64{{1, 2}, {5, 6}, {2, float64(n % 2)}})
	}
	o := overall("#ID", []string{"ga", "climb", "rw"}, networks)
	ranking := []Rank{{Arm: "climb", MeanRank: new(1.0)}, {Arm: "ga", MeanRank: new(2.2)}, {Arm: "rw", MeanRank: new(2.8)}}
	if got, want := o.sentence("search", ranking), "climb is best on #ID: ahead of ga on 7 of 7 networks, A12 1.00, p = 0.047; the other two do not differ significantly"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	ranking[0].MeanRank = new(2.2)
	if got, want := o.sentence("search", ranking), "climb and ga share the first place on #ID"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
