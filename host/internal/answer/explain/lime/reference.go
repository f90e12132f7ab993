package lime

import (
	"context"
	_ "embed"
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

//go:embed reference.py
var referenceScript string

// The script's input and output.
type (
	referenceJob struct {
		Training [][]float64        `json:"training"`
		Points   [][]float64        `json:"points"`
		Samples  int                `json:"samples"`
		Seed     uint32             `json:"seed"`
		Inputs   int                `json:"inputs"`
		Features []referenceFeature `json:"features"`
		Layers   []referenceLayer   `json:"layers"`
	}
	referenceFeature struct {
		Index       int              `json:"index"`
		Categorical bool             `json:"categorical"`
		Integer     bool             `json:"integer"`
		Lo          float64          `json:"lo"`
		To          []referenceInput `json:"to"`
	}
	referenceInput struct {
		Index  int       `json:"index"`
		Scale  float64   `json:"scale"`
		Offset float64   `json:"offset"`
		Table  []float64 `json:"table"`
	}
	referenceLayer struct {
		In      int       `json:"in"`
		Out     int       `json:"out"`
		Weights []float64 `json:"weights"`
		Bias    []float64 `json:"bias"`
		ReLU    bool      `json:"relu"`
	}
	// referenceAnswer has one entry for each point; weights have one for each feature.
	referenceAnswer struct {
		Version string      `json:"version"`
		Weights [][]float64 `json:"weights"`
		R2      []float64   `json:"r2"`
		Scores  []float64   `json:"scores"`
	}
)

// sameScore is the tolerance between the script's scores and hyfair's: it adds in another
// order.
const sameScore = 1e-6

// runReference explains the points by the Python package.
func runReference(ctx context.Context, python string, m model.Model, s *space.Space, rows, points [][]float64, samples int, seed int64) (*referenceAnswer, error) {
	n, err := relu.Of(m, "the package lime")
	if err != nil {
		return nil, err
	}
	job := referenceJob{Training: rows, Points: points, Samples: samples, Seed: uint32(seed), Inputs: s.Inputs}
	for i := range s.Features {
		f := &s.Features[i]
		feature := referenceFeature{Index: i, Categorical: f.Kind == space.Categorical, Integer: f.Kind == space.Integer, Lo: f.Lo}
		for _, in := range f.Inputs {
			feature.To = append(feature.To, referenceInput(in))
		}
		job.Features = append(job.Features, feature)
	}
	for i := range n.Layers {
		l := &n.Layers[i]
		job.Layers = append(job.Layers, referenceLayer{l.In, l.Out, l.Weights, l.Bias, l.ReLU})
	}
	var out referenceAnswer
	if err := runPython(ctx, python, referenceScript, job, &out); err != nil {
		return nil, err
	}
	if len(out.Weights) != len(points) || len(out.R2) != len(points) || len(out.Scores) != len(points) {
		return nil, fmt.Errorf("%s: the package lime explained %d points of %d", python, len(out.Weights), len(points))
	}
	score := Score(n, s)
	for i, point := range points {
		if len(out.Weights[i]) != len(s.Features) {
			return nil, fmt.Errorf("%s: the package lime weighed %d features of %d", python, len(out.Weights[i]), len(s.Features))
		}
		if ours := score(point); !(math.Abs(ours-out.Scores[i]) <= sameScore) {
			return nil, fmt.Errorf("%s: the package lime explained a score of %v, but the model's is %v", python, out.Scores[i], ours)
		}
	}
	return &out, nil
}
