// Command logistic is a model plugin for tests: a logistic regression over the rows' own values. The
// environment variable LOGISTIC makes it misbehave: hang, die, nan, inf, flood, short or twice. LOGISTIC_LOG
// is a file that gets a line a row, LOGISTIC_WAIT the time that a row takes.
package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/serve"
)

func main() { serve.Model(&logistic{mode: os.Getenv("LOGISTIC")}) }

type logistic struct {
	mode  string
	calls int
}

// Describe implements sdk.Model.
func (l *logistic) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name: "logistic", Version: "1.0.0", Summary: "A logistic regression, for tests", Scale: sdk.ScaleLogit, Identity: "the weights below",
	}, nil
}

// Score implements sdk.Model.
func (l *logistic) Score(ctx context.Context, rows [][]float64) ([]float64, error) {
	l.calls++
	out := make([]float64, len(rows))
	for i, row := range rows {
		for j, v := range row {
			out[i] += v * float64(j%3-1) / 8
		}
		if wait, err := time.ParseDuration(os.Getenv("LOGISTIC_WAIT")); err == nil {
			time.Sleep(wait)
		}
		if file, err := os.OpenFile(os.Getenv("LOGISTIC_LOG"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
			fmt.Fprintln(file, row)
			file.Close()
		}
	}
	if l.calls < 3 {
		return out, nil
	}
	switch l.mode {
	case "hang":
		<-make(chan int)
	case "die":
		os.Exit(7)
	case "nan":
		out[0] = math.NaN()
	case "inf":
		out[0] = math.Inf(1)
	case "twice":
		for i := range out {
			out[i] += float64(l.calls) / 1000
		}
	case "short":
		out = out[1:]
	}
	return out, nil
}
