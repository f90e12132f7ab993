package view

import (
	"strings"
	"testing"
)

// TestCellsThatSpreadsheetsWouldCompute: only with the setting, and only texts that begin like a formula, get an
// apostrophe. Numbers with a sign stay.
func TestCellsThatSpreadsheetsWouldCompute(t *testing.T) {
	defer SafeCSV(false)
	cells := []string{"=1+1", "+A1", "-A1", "@SUM(A1)", "\tx", "-1.5", "+3", "-0", "-1e9", "a=1", "", "'", "-", "=HYPERLINK(\"x\")"}
	for on, want := range map[bool]string{
		false: "=1+1,+A1,-A1,@SUM(A1),\"\tx\",-1.5,+3,-0,-1e9,a=1,,',-,\"=HYPERLINK(\"\"x\"\")\"\n",
		true:  "'=1+1,'+A1,'-A1,'@SUM(A1),'\tx,-1.5,+3,-0,-1e9,a=1,,','-,\"'=HYPERLINK(\"\"x\"\")\"\n",
	} {
		SafeCSV(on)
		var out strings.Builder
		w := NewCSV(&out)
		if err := w.Write(cells); err != nil {
			t.Fatal(err)
		}
		if w.Flush(); out.String() != want {
			t.Errorf("safe %v:\n%q\nwant\n%q", on, out.String(), want)
		}
	}
}
