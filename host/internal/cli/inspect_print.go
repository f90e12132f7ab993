package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/view"
)

// printInspection writes out for people. st is nil for a network alone.
func printInspection(w io.Writer, out *inspection, st *study.Study) {
	if st != nil {
		fmt.Fprintf(w, "%s\n\n", strings.TrimSuffix(out.Study+": "+out.Summary, ": "))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "network\t%s (%s, %d-bit weights)\n", out.Path, out.Format, out.Precision)
	fmt.Fprintf(t, "size\t%s inputs, %s ReLU neurons, %s parameters\n", view.Count(out.Inputs), view.Count(out.Neurons), view.Count(out.Parameters))
	t.Flush()

	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "LAYER\tINPUTS\tUNITS\tACTIVATION\tPARAMETERS")
	for _, l := range out.Layers {
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%d\n", l.Name, l.Inputs, l.Units, l.Activation, l.Parameters)
	}
	t.Flush()
	if st == nil {
		return
	}

	printFeatures(w, st)
	printRules(w, out)
	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	bound := ""
	if !*out.KExact {
		bound = " at most (too many cases for the rules to be counted)"
	}
	fmt.Fprintf(t, "K\t%s counterfactuals%s\n", view.Count(out.K), bound)
	fmt.Fprintf(t, "question\tε = %s, notion %s, clustering %s\n", out.Epsilon, out.Notion, out.Clustering)
	printRows(t, out)
	t.Flush()
}

func printFeatures(w io.Writer, st *study.Study) {
	fmt.Fprintln(w)
	var table bytes.Buffer
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "FEATURE\tKIND\tDOMAIN\tINPUTS\tPROTECTED")
	for i := range st.Space.Features {
		f := &st.Space.Features[i]
		inputs := "none"
		if n := len(f.Inputs); n > 0 {
			inputs = strconv.Itoa(f.Inputs[0].Index)
			if n > 1 {
				inputs += "–" + strconv.Itoa(f.Inputs[n-1].Index)
			}
		}
		protected := protectedOf(f)
		if slices.Contains(st.Extrapolated, f.Name) {
			protected += " (an extrapolation: outside the domain)"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", f.Name, f.Kind, domainOf(f), inputs, protected)
	}
	t.Flush()
	for line := range strings.Lines(table.String()) { // without the blanks that end most of them
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
}

func printRules(w io.Writer, out *inspection) {
	if len(out.Rules) == 0 {
		return
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RULE\tON\tFORBIDS")
	for _, r := range out.Rules {
		on := map[bool]string{true: "on", false: "off"}[r.On]
		for i, p := range r.Forbid {
			if i == 0 {
				fmt.Fprintf(t, "%s\t%s\t%s\n", r.Name, on, p)
			} else {
				fmt.Fprintf(t, "\t\t%s\n", p)
			}
		}
	}
	t.Flush()
}

func printRows(w io.Writer, out *inspection) {
	r := out.rowsJSON
	if r == nil {
		return
	}
	fmt.Fprintf(w, "rows\t%s, %s of them held back", view.Count(r.Rows), view.Count(r.RowsTest))
	if r.RowsDropped > 0 {
		fmt.Fprintf(w, "; %s left out for missing values", view.Count(r.RowsDropped))
	}
	fmt.Fprintln(w)
	if r.RowsOutside > 0 {
		var parts []string
		for _, f := range out.Features {
			if n := r.Outside[f.Name]; n > 0 {
				parts = append(parts, fmt.Sprintf("%s %s", f.Name, view.Count(n)))
			}
		}
		fmt.Fprintf(w, "\t%s outside the domain: %s\n", view.Count(r.RowsOutside), strings.Join(parts, ", "))
	}
	if r.RowsForbidden > 0 {
		fmt.Fprintf(w, "\t%s forbidden by a rule\n", view.Count(r.RowsForbidden))
	}
	if r.Accuracy != nil {
		fmt.Fprintf(w, "accuracy\t%.2f %% of all rows", *r.Accuracy)
		if r.AccuracyTest != nil {
			fmt.Fprintf(w, ", %.2f %% of those held back", *r.AccuracyTest)
		}
		fmt.Fprintln(w)
	}
}
