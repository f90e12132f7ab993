package cli

import (
	"context"
	"io"
)

type limeReport struct{}

func (r *limeReport) print(w io.Writer) error { return nil }

// cells are Size, K, Pert.K, Diff and Cov for the table of a file of studies
// (explain_table.go); five texts, also for nil.
func (r *limeReport) cells() []string { return []string{"N/A", "N/A", "N/A", "N/A", "N/A"} }

func (j *explainJob) baseline(ctx context.Context, r *explainReport, x []float64, rows [][]float64, line *statusLine) error {
	return nil
}
