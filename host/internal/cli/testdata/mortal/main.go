// Command mortal is a strategy plugin whose process exits in the middle of a search. It proposes
// one individual after the other. The search with the seed in the option "seed" exits. The option
// "lives" names a file with the number of exits left.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/serve"
	"github.com/hyfair/hyfair/sdk/space"
)

func main() { serve.Strategy(mortal{}) }

type mortal struct{}

func (mortal) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{Name: "mortal", Version: "0.1.0", Options: []sdk.Option{
		{Name: "lives", Help: "file with the number of exits left"}, {Name: "seed", Default: "2", Help: "seed of the search that exits"},
	}}, nil
}

func (mortal) Start(_ context.Context, s *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	fatal := int64(2)
	if text := o.Options["seed"]; text != "" {
		var err error
		if fatal, err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, fmt.Errorf("option seed: %w: %w", err, sdk.ErrInvalidOption)
		}
	}
	return &session{space: s, lives: o.Options["lives"], dies: o.Seed == fatal}, nil
}

type session struct {
	space *space.Space
	lives string
	dies  bool
	moves int64
}

func (s *session) Next(_ context.Context, _ []sdk.Trial, _ int) ([]sdk.Move, error) {
	s.moves++
	if s.dies && s.moves == 5 {
		s.die()
	}
	x := make([]float64, len(s.space.Features))
	x[0] = float64(s.moves % 10)
	return []sdk.Move{{ID: s.moves, Round: s.moves - 1, Point: x, Kind: sdk.MovePoint}}, nil
}

// die decrements the number in the file and ends the process. It returns if the number is 0 or the
// file cannot be read or written.
func (s *session) die() {
	text, err := os.ReadFile(s.lives)
	left, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || left < 1 {
		return
	}
	if err := os.WriteFile(s.lives, []byte(strconv.Itoa(left-1)), 0o600); err != nil {
		return
	}
	fmt.Fprintln(os.Stderr, "mortal's last words")
	os.Exit(7)
}

func (*session) Close() error { return nil }
