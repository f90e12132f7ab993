package experiment

import "testing"

// model labels networks by their models.
func model(_, model string) string { return model }

// Over seven networks an arm that is ahead on all is significantly better; the others
// are not.
func TestSentence(t *testing.T) {
	var networks [][][]float64
	for n := range 7 {
		networks = append(networks, [][]float64{{1, 2}, {5, 6}, {2, float64(n % 2)}})
	}
	arms := []string{"ga", "climb", "rw"}
	o := overall("#ID", arms, networks, -1)
	ranking := []Rank{{Arm: "climb", MeanRank: new(1.0)}, {Arm: "ga", MeanRank: new(2.2)}, {Arm: "rw", MeanRank: new(2.8)}}
	says := func(o Overall, want string) {
		t.Helper()
		if got := o.sentence("search", ranking, model); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	says(o, "climb is best on #ID: ahead of ga on 7 of 7 networks, A12 1.00, p = 0.047; the other two do not differ significantly")

	// Against a control there are two tests, and each arm has its own words.
	o = overall("#ID", arms, networks, 2)
	o.Control = "rw"
	if len(o.Pairs) != 2 || o.Pairs[1].PHolm != 2*o.Pairs[1].P {
		t.Errorf("%+v", o.Pairs)
	}
	says(o, "compared with rw on #ID: significantly better: climb (ahead on 7 of 7 networks, A12 1.00, p = 0.031); not significantly different: ga (ahead on 4 of 7 networks, A12 0.57, p = 0.12)")

	// Six networks are too few for three pairs: what single networks show takes the test's place.
	o = overall("#ID", arms, networks[:6], -1)
	o.Marked = []Mark{{"s", "A_1", "climb", true}, {"s", "A_2", "climb", true}, {"s", "A_3", "ga", true}}
	says(o, "climb comes first on #ID: ahead of ga on 6 of 6 networks, A12 1.00; 6 networks are too few for a test over them, which needs 7; on single networks significantly better than every other: climb on A_1 and A_2, ga on A_3")
	o.Marked = nil
	says(o, "climb comes first on #ID: ahead of ga on 6 of 6 networks, A12 1.00; 6 networks are too few for a test over them, which needs 7; on no single network a search is significantly better than every other")
	o = overall("#ID", arms, networks[:2], 2)
	o.Control, o.Marked = "rw", []Mark{{"s", "A_1", "climb", true}, {"s", "A_1", "ga", false}}
	says(o, "compared with rw on #ID: climb (ahead on 2 of 2 networks, A12 1.00), ga (ahead on 1 of 2 networks, A12 0.56); 2 networks are too few for a test over them, which needs 7; on single networks significantly better than rw: climb on A_1, and worse: ga on A_1")

	// Two runs are too few for a test on one network.
	o = overall("#ID", arms, networks[:1], -1)
	o.Runs = 2
	says(o, "climb comes first on #ID: ahead of ga on 1 of 1 networks, A12 1.00; 2 runs are too few for a test, which needs 5")

	ranking[0].MeanRank = new(2.2)
	says(overall("#ID", arms, networks, -1), "climb and ga share the first place on #ID")
}
