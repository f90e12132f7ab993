package view

import "testing"

// TestLogTicksLeaveRoom checks that the labels of a logarithmic axis are some, and a tenth of the axis apart.
func TestLogTicksLeaveRoom(t *testing.T) {
	for width := 0.31; width < 2.5; width += 0.01 {
		for lo := -3.0; lo < -2; lo += 0.01 {
			last, labels := lo-width, 0
			for _, tick := range logTicks(lo, lo+width) {
				if tick.Label == "" {
					continue
				}
				if (tick.Value-last)/width < 0.1 {
					t.Fatalf("from %.2f to %.2f the label %s is %.3f of the axis after the one before", lo, lo+width, tick.Label, (tick.Value-last)/width)
				}
				last, labels = tick.Value, labels+1
			}
			if labels == 0 {
				t.Fatalf("from %.2f to %.2f: no label", lo, lo+width)
			}
		}
	}
}
