package serve

import (
	"context"
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/modelv1"
	"github.com/hyfair/hyfair/sdk/internal/topb"
	"github.com/hyfair/hyfair/sdk/internal/wire"
)

// served is the gRPC service of one model.
type served struct {
	modelv1.UnimplementedModelServer
	impl        sdk.Model
	description described
}

// Describe implements modelv1.ModelServer.
func (s *served) Describe(ctx context.Context, _ *modelv1.DescribeRequest) (*modelv1.DescribeResponse, error) {
	d, err := s.description.get(ctx)
	if err != nil {
		return nil, err
	}
	return &modelv1.DescribeResponse{Description: topb.ModelDescription(d)}, nil
}

// Score implements modelv1.ModelServer.
func (s *served) Score(ctx context.Context, m *modelv1.ScoreRequest) (*modelv1.ScoreResponse, error) {
	d, err := s.description.get(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := wire.Rows(m)
	if n := len(d.Features); err == nil && n > 0 && n != int(m.Width) {
		err = fmt.Errorf("%w: rows have %d values, but %s takes %d features", sdk.ErrInvalidProblem, m.Width, d.Name, n)
	}
	if err != nil {
		return nil, err
	}
	scores, err := s.impl.Score(ctx, rows)
	if err == nil {
		err = d.Scale.Check(len(rows), scores)
	}
	return &modelv1.ScoreResponse{Scores: scores}, err
}
