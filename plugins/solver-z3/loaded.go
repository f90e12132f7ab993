package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-z3/internal/z3"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// loaded keeps a script and applies deltas to it. The levels define its content; Z3's
// state is built from them, and rebuilt if an interruption has spoilt it.
type loaded struct {
	lib    *z3.Lib
	script *problem.Script
	levels [][]*chunk
	// held is Z3's state, made with settings; nil if there is none.
	held     *instance
	settings settings
}

func load(lib *z3.Lib, p *problem.Problem) (sdk.Loaded, error) {
	s := p.SMT
	base, err := readChunk(s.Text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
	}
	for _, y := range s.Symbols {
		if sort, ok := base.constants[y.Name]; !ok || sort != y.Sort {
			return nil, fmt.Errorf("%w: the script declares no constant %q of sort %s", sdk.ErrInvalidProblem, y.Name, y.Sort)
		}
	}
	if s.Objective != "" && !slices.ContainsFunc(s.Symbols, func(y problem.Symbol) bool { return y.Name == s.Objective && y.Sort != "Bool" }) {
		return nil, fmt.Errorf("%w: the objective %q is not among the script's Int and Real symbols", sdk.ErrInvalidProblem, s.Objective)
	}
	defaults, err := parseOptions(nil)
	if err != nil {
		return nil, err
	}
	l := &loaded{lib: lib, script: s, levels: [][]*chunk{{base}}}
	return l, l.hold(l.levels, defaults)
}

// Close frees what Z3 holds.
func (l *loaded) Close() error {
	l.drop()
	return nil
}

func (l *loaded) drop() {
	if l.held != nil {
		l.held.close()
		l.held = nil
	}
}

// Solve applies the delta and answers the resulting script. An invalid delta is not applied;
// if Z3 fails after a valid one, the delta stays applied.
func (l *loaded) Solve(ctx context.Context, d problem.Delta, o sdk.SolveOptions) (*sdk.Result, error) {
	begin := time.Now()
	s, err := parseOptions(o.Options)
	if err != nil {
		return nil, err
	}
	if err := l.apply(d, s); err != nil {
		return nil, err
	}
	q := &question{lib: l.lib, script: l.script, held: l.held, options: o, begin: begin,
		limits: limits{ctx: ctx, memory: o.Memory}}
	if o.TimeLimit > 0 {
		q.limits.deadline = begin.Add(o.TimeLimit)
	}
	r, err := q.answer()
	if err != nil || q.spoilt {
		l.drop()
	}
	if err != nil {
		return nil, err
	}
	r.Elapsed = time.Since(begin)
	return r, nil
}

// apply changes levels and Z3's state as the delta says.
func (l *loaded) apply(d problem.Delta, s settings) error {
	if d.ColumnBounds != nil || d.Rows != nil || d.Objective != nil || d.Start != nil {
		return fmt.Errorf("%w: the delta sets column bounds, rows, an objective or a start; a problem in the %s form takes only pops, pushes and assertions", sdk.ErrInvalidProblem, problem.FormSMT)
	}
	if d.Pop < 0 || d.Push < 0 || d.Pop >= len(l.levels) {
		return fmt.Errorf("%w: cannot pop %d and push %d levels at depth %d; want 0 or more of each, and no more pops than the depth", sdk.ErrInvalidProblem, d.Pop, d.Push, len(l.levels)-1)
	}
	next := slices.Clone(l.levels[:len(l.levels)-d.Pop])
	for range d.Push {
		next = append(next, nil)
	}
	var added *chunk
	if strings.TrimSpace(d.Assert) != "" {
		var err error
		if added, err = readChunk(d.Assert); err != nil {
			return fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
		}
	}
	if l.held != nil && s == l.settings {
		err := l.held.step(slices.Concat(next...), d.Pop, d.Push, added)
		if err == nil {
			l.levels = grown(next, added)
			return nil
		}
		if errors.Is(err, sdk.ErrInvalidProblem) {
			return err
		}
		l.drop() // its state is unknown: rebuild it
	}
	next = grown(next, added)
	if err := l.hold(next, s); err != nil {
		return err
	}
	l.levels = next
	return nil
}

// grown adds the chunk to the last level. It does not change the levels' earlier slices.
func grown(levels [][]*chunk, added *chunk) [][]*chunk {
	if added != nil {
		last := len(levels) - 1
		levels[last] = append(slices.Clone(levels[last]), added)
	}
	return levels
}

// hold builds Z3's state from the levels.
func (l *loaded) hold(levels [][]*chunk, s settings) error {
	l.drop()
	held, err := newInstance(l.lib, l.script, levels[0][0].logic, s)
	if err != nil {
		return err
	}
	var below []*chunk
	for depth, level := range levels {
		push := min(depth, 1)
		for _, k := range level {
			if err := held.step(below, 0, push, k); err != nil {
				held.close()
				return err
			}
			below, push = append(below, k), 0
		}
		if err := held.step(below, 0, push, nil); err != nil {
			held.close()
			return err
		}
	}
	l.held, l.settings = held, s
	return nil
}
