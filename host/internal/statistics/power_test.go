package statistics

import "testing"

func TestPower(t *testing.T) {
	for want, got := range map[string]string{
		"8 arms, 5 runs: no pair can reach p < 0.05 (least possible 28 × 0.0079); 7 runs would":      Power(8, 5, 28),
		"3 arms, 5 runs: a pair without ties can reach p < 0.05 (least possible 3 × 0.0079)":         Power(3, 5, 3),
		"2 arms, 4 runs: no cell is marked; 5 runs would be enough":                                  Power(2, 4, 1),
		"2 arms, 1 run: no pair can reach p < 0.05 (least possible 1 × 1); 5 runs would":             Power(2, 1, 1),
		"3 arms, 4 networks: no pair can reach p < 0.05 (least possible 3 × 0.12); 7 networks would": PowerOver(3, 4, Pairs(3)),
		// Against a control there are fewer tests.
		"8 arms, 5 runs: no pair can reach p < 0.05 (least possible 7 × 0.0079); 6 runs would": Power(8, 5, Tests(8, true)),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
