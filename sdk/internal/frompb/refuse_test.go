package frompb_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hyfair/hyfair/internal/linear"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/frompb"
	"github.com/hyfair/hyfair/sdk/internal/pb/pluginv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
)

// goodMilp, goodQuery and goodScript are accepted; the tests spoil them.
func goodMilp() *problemv1.Milp {
	return &problemv1.Milp{
		Columns:   []*problemv1.Column{{Lo: 0, Hi: 1, Role: problemv1.Role_ROLE_OTHER}},
		Rows:      []*problemv1.Row{{Lo: 0, Hi: 1, Columns: []int32{0}, Coefs: []float64{1}}},
		Objective: &problemv1.Objective{},
	}
}

func goodQuery() *problemv1.Query {
	return &problemv1.Query{
		Model: &problemv1.Query_Network{Network: &problemv1.Network{
			Head: problemv1.Head_HEAD_SIGMOID, Precision: 32,
			Layers: []*problemv1.Layer{{In: 2, Out: 1, Weights: []float64{1, 2}, Bias: []float64{0}}},
		}},
		Space: &problemv1.Space{Inputs: 2, Features: []*problemv1.Feature{
			{Name: "age", Kind: problemv1.Kind_KIND_INTEGER, Hi: 9, Inputs: []*problemv1.Input{{Index: 0, Scale: 1}}},
			{Name: "sex", Kind: problemv1.Kind_KIND_CATEGORICAL, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: []*problemv1.Input{{Index: 1, Scale: 1}}},
		}},
		Region: &problemv1.Region{
			Box:    []*problemv1.Interval{{Hi: 9}, {}},
			Values: []*problemv1.Point{{}, {Values: []float64{0, 1}}},
		},
		Notion:  problemv1.Notion_NOTION_SCORE,
		Epsilon: &problemv1.Number{Value: &problemv1.Number_Fraction{Fraction: "1/20"}},
		Goal:    problemv1.Goal_GOAL_DECIDE,
	}
}

func asMilp(m *problemv1.Milp) *problemv1.Problem {
	return &problemv1.Problem{Form: &problemv1.Problem_Milp{Milp: m}}
}

func asQuery(q *problemv1.Query) *problemv1.Problem {
	return &problemv1.Problem{Form: &problemv1.Problem_Network{Network: q}}
}

func TestGoodIsAccepted(t *testing.T) {
	for _, m := range []*problemv1.Problem{asMilp(goodMilp()), asQuery(goodQuery())} {
		if _, err := frompb.Problem(m); err != nil {
			t.Error(err)
		}
	}
}

func TestMilpRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, spoil := range map[string]func(*problemv1.Milp){
		"role is unspecified":     func(m *problemv1.Milp) { m.Columns[0].Role = 0 },
		"role 99 is unknown":      func(m *problemv1.Milp) { m.Columns[0].Role = 99 },
		"bounds NaN to 1":         func(m *problemv1.Milp) { m.Columns[0].Lo = nan },
		"bounds +Inf to +Inf":     func(m *problemv1.Milp) { m.Columns[0].Lo, m.Columns[0].Hi = inf, inf },
		"column 0: role":          func(m *problemv1.Milp) { m.Columns[0] = nil },
		"no column 7":             func(m *problemv1.Milp) { m.Rows[0].Columns[0] = 7 },
		"no column -1":            func(m *problemv1.Milp) { m.Rows[0].Columns[0] = -1 },
		"1 columns with 0":        func(m *problemv1.Milp) { m.Rows[0].Coefs = nil },
		"coefficient NaN":         func(m *problemv1.Milp) { m.Rows[0].Coefs[0] = nan },
		"sides +Inf to +Inf":      func(m *problemv1.Milp) { m.Rows[0].Lo, m.Rows[0].Hi = inf, inf },
		"no objective":            func(m *problemv1.Milp) { m.Objective = nil },
		"objective offset":        func(m *problemv1.Milp) { m.Objective.Offset = inf },
		"2 start values":          func(m *problemv1.Milp) { m.Start = &problemv1.Start{Values: []float64{1, 2}} },
		"start value 0 is":        func(m *problemv1.Milp) { m.Start = &problemv1.Start{Values: []float64{inf}} },
		"set 0 (): no column 9":   func(m *problemv1.Milp) { m.Sets = []*problemv1.Set{{Columns: []int32{9}}} },
		"set 1 (s): column 0 app": func(m *problemv1.Milp) { m.Sets = []*problemv1.Set{nil, {Name: "s", Columns: []int32{0, 0}}} },
		"appears twice": func(m *problemv1.Milp) {
			m.Objective.Columns, m.Objective.Coefs = []int32{0, 0}, []float64{1, 1}
		},
	} {
		m := goodMilp()
		spoil(m)
		_, err := frompb.Problem(asMilp(m))
		wantRefused(t, err, sdk.ErrInvalidProblem, name)
	}
}

func wantRefused(t *testing.T, err, is error, says string) {
	t.Helper()
	if err == nil || is != nil && !errors.Is(err, is) || !strings.Contains(err.Error(), says) {
		t.Errorf("%v; want %q", err, says)
	}
}

func TestQueryRefused(t *testing.T) {
	nan := math.NaN()
	for name, spoil := range map[string]func(*problemv1.Query){
		"notion is unspecified":  func(q *problemv1.Query) { q.Notion = 0 },
		"goal 17 is unknown":     func(q *problemv1.Query) { q.Goal = 17 },
		"band 1: no least score": func(q *problemv1.Query) { q.Bands = []*problemv1.Number{nil} },
		"band 1 begins at 2":     func(q *problemv1.Query) { q.Bands = []*problemv1.Number{fraction("2")} },
		"list the bands by their": func(q *problemv1.Query) {
			q.Bands = []*problemv1.Number{fraction("3/5"), fraction("2/5")}
		},
		"has no gap to maximise": func(q *problemv1.Query) {
			q.Bands, q.Goal = []*problemv1.Number{fraction("3/5")}, problemv1.Goal_GOAL_MAXIMISE
		},
		"bands of scores in a query under the notion decision": func(q *problemv1.Query) {
			q.Bands, q.Notion = []*problemv1.Number{fraction("3/5")}, problemv1.Notion_NOTION_DECISION
		},
		"head is unspecified":          func(q *problemv1.Query) { q.GetNetwork().Head = 0 },
		"kind is unspecified":          func(q *problemv1.Query) { q.Space.Features[0].Kind = 0 },
		"without a model":              func(q *problemv1.Query) { q.Model = nil },
		"query without a model or a s": func(q *problemv1.Query) { q.Space = nil },
		"layer 0: empty":               func(q *problemv1.Query) { q.GetNetwork().Layers[0] = nil },
		"not a bias and weights": func(q *problemv1.Query) {
			q.Model = &problemv1.Query_Other{Other: &problemv1.EncodedModel{Family: linear.Family, Content: []byte("x")}}
		},
		"3 weights for shape 1×2":        func(q *problemv1.Query) { q.GetNetwork().Layers[0].Weights = []float64{1, 2, 3} },
		"weight of neuron 0":             func(q *problemv1.Query) { q.GetNetwork().Layers[0].Weights[1] = nan },
		"but features feed 2":            func(q *problemv1.Query) { q.Space.Inputs = math.MaxInt32 },
		"network input 7 is outside":     func(q *problemv1.Query) { q.Space.Features[0].Inputs[0].Index = 7 },
		"table has 0 entries":            func(q *problemv1.Query) { q.Space.Features[0].Inputs[0].Table = &problemv1.Table{} },
		"1 intervals and 2 value lists":  func(q *problemv1.Query) { q.Region.Box = q.Region.Box[:1] },
		`region at "age": interval NaN`:  func(q *problemv1.Query) { q.Region.Box[0].Lo = nan },
		`gives "sex" 0 protected values`: func(q *problemv1.Query) { q.Region.Values[1] = nil },
		`gives "age" 1 protected values`: func(q *problemv1.Query) { q.Region.Values[0] = &problemv1.Point{Values: []float64{1}} },
		"epsilon: number without":        func(q *problemv1.Query) { q.Epsilon = &problemv1.Number{} },
		"ε is missing":                   func(q *problemv1.Query) { q.Epsilon = nil },
		"k = 1":                          func(q *problemv1.Query) { q.K = 1 },
		"tolerance NaN":                  func(q *problemv1.Query) { q.Relax = []*problemv1.Relaxation{{Tolerance: nan}} },
		"relaxation of feature 1":        func(q *problemv1.Query) { q.Relax = []*problemv1.Relaxation{{Feature: 1}} },
		"near: entry 0 is NaN":           func(q *problemv1.Query) { q.Near = &problemv1.Point{Values: []float64{nan, 0}} },
		"point has 1 entries":            func(q *problemv1.Query) { q.Exclude = []*problemv1.Point{{Values: []float64{1}}} },
		"neither an interval nor a set": func(q *problemv1.Query) {
			q.Require = []*problemv1.Predicate{{Conditions: []*problemv1.Condition{{}}}}
		},
		"no feature 5": func(q *problemv1.Query) {
			q.Forbid = []*problemv1.Predicate{{Conditions: []*problemv1.Condition{{Feature: 5, Restriction: &problemv1.Condition_Interval{}}}}}
		},
		"no category 9": func(q *problemv1.Query) {
			set := &problemv1.Condition_Set{Set: &problemv1.CategorySet{Indices: []int32{9}}}
			q.Forbid = []*problemv1.Predicate{{Conditions: []*problemv1.Condition{{Feature: 1, Restriction: set}}}}
		},
	} {
		q := goodQuery()
		spoil(q)
		_, err := frompb.Problem(asQuery(q))
		wantRefused(t, err, sdk.ErrInvalidProblem, name)
	}
	_, err := frompb.Problem(&problemv1.Problem{})
	wantRefused(t, err, sdk.ErrInvalidProblem, "problem without a form")
	_, err = frompb.Problem(nil)
	wantRefused(t, err, sdk.ErrInvalidProblem, "problem without a form")
	_, err = frompb.Problem(&problemv1.Problem{Form: &problemv1.Problem_Smt{}})
	wantRefused(t, err, sdk.ErrInvalidProblem, "empty SMT-LIB script")
}

func TestFractionsRefused(t *testing.T) {
	for _, text := range []string{
		"", "-", "/", "1/", "/2", "1/0", "1/00", "1/-2", "--1", "+1", "0x10", "1_000", "1e9", "1E999999999",
		"1.5", " 1", "1 / 2", "1/2/3", "٣", "NaN", "Inf", strings.Repeat("9", 1<<16+1),
	} {
		n, err := frompb.Number(&problemv1.Number{Value: &problemv1.Number_Fraction{Fraction: text}})
		if err == nil {
			t.Errorf("%.20q was read as %v", text, n)
		}
	}
}

func TestDeltaRefused(t *testing.T) {
	for name, m := range map[string]*problemv1.Delta{
		"pop -1":            {Pop: -1},
		"push 2000000":      {Push: 2_000_000},
		"row 0: 1 columns":  {Rows: []*problemv1.Row{{Columns: []int32{1}}}},
		"objective: 1 colu": {Objective: &problemv1.Objective{Columns: []int32{1}}},
	} {
		_, err := frompb.Delta(m)
		wantRefused(t, err, sdk.ErrInvalidProblem, name)
	}
	if _, err := frompb.Delta(nil); err != nil {
		t.Errorf("no delta changes nothing: %v", err)
	}
}

func TestSolveMessagesRefused(t *testing.T) {
	nan := math.NaN()
	for name, m := range map[string]*solverv1.SolveOptions{
		"threads -1": {Threads: -1}, "memory -1": {Memory: -1}, "time limit -1ns": {TimeLimitNanos: -1},
		"work limit -1": {WorkLimit: -1}, "gap NaN": {Gap: nan}, "target is NaN": {Target: &nan},
	} {
		_, err := frompb.SolveOptions(m)
		wantRefused(t, err, sdk.ErrInvalidOption, name)
	}
	for name, spoil := range map[string]func(*solverv1.Result){
		"status is unspecified":   func(r *solverv1.Result) { r.Status = 0 },
		"reason 44 is unknown":    func(r *solverv1.Result) { r.Reason = 44 },
		"bound is NaN":            func(r *solverv1.Result) { r.Bound = &nan },
		"tolerance -1":            func(r *solverv1.Result) { r.Tolerance = -1 },
		"tolerance +Inf":          func(r *solverv1.Result) { r.Tolerance = math.Inf(1) },
		"value 0: number without": func(r *solverv1.Result) { r.Values = &problemv1.Values{Numbers: []*problemv1.Number{nil}} },
		"objective NaN":           func(r *solverv1.Result) { r.Values, r.Objective = &problemv1.Values{}, nan },
		"second copy: entry 0 is +": func(r *solverv1.Result) {
			r.Witness = &solverv1.Witness{Copy2: &problemv1.Point{Values: []float64{math.Inf(1)}}}
		},
	} {
		r := &solverv1.Result{Status: solverv1.Status_STATUS_UNKNOWN, Reason: solverv1.Reason_REASON_NONE}
		spoil(r)
		_, err := frompb.Result(r)
		wantRefused(t, err, nil, name)
	}
	_, err := frompb.Result(nil)
	wantRefused(t, err, nil, "no result")
	_, err = frompb.Progress(&solverv1.Progress{Values: &problemv1.Values{}, Objective: nan})
	wantRefused(t, err, nil, "objective NaN")
	for _, share := range []float64{-0.1, 1.1, nan} {
		_, err = frompb.Progress(&solverv1.Progress{Settled: share})
		wantRefused(t, err, nil, "a settled share of")
	}
}

func fraction(text string) *problemv1.Number {
	return &problemv1.Number{Value: &problemv1.Number_Fraction{Fraction: text}}
}

func TestPiecesRefused(t *testing.T) {
	for name, spoil := range map[string]func(*solverv1.Piece){
		"piececlaim is unspecified":     func(p *solverv1.Piece) { p.Claim = 0 },
		"piececlaim 9 is unknown":       func(p *solverv1.Piece) { p.Claim = 9 },
		"2 lower and 1 upper ends":      func(p *solverv1.Piece) { p.Hi = p.Hi[1:] },
		"feature 0 is from 2 to 1":      func(p *solverv1.Piece) { p.Lo[0], p.Hi[0] = 2, 1 },
		"feature 1 is from NaN":         func(p *solverv1.Piece) { p.Lo[1] = math.NaN() },
		"feature 1 is from 0 to +Inf":   func(p *solverv1.Piece) { p.Hi[1] = math.Inf(1) },
		"fair individuals: the count":   func(p *solverv1.Piece) { p.Fair = fraction("-1") },
		"unfair individuals: the count": func(p *solverv1.Piece) { p.Unfair = fraction("1/2") },
		"unfair individuals: number w":  func(p *solverv1.Piece) { p.Unfair = &problemv1.Number{} },
		"copy 0: logit from 1 to 0":     func(p *solverv1.Piece) { p.Proof.Copies[0].Logit = &problemv1.Interval{Lo: 1} },
		"copy 0: interval NaN":          func(p *solverv1.Piece) { p.Proof.Copies[0].Logit = &problemv1.Interval{Lo: math.NaN()} },
		"copy 0: entry 0 is NaN":        func(p *solverv1.Piece) { p.Proof.Copies[0].Protected = &problemv1.Point{Values: []float64{math.NaN()}} },
		"2 slopes of 1 neurons in 1 la": func(p *solverv1.Piece) { p.Proof.Copies[0].Slopes = []float64{0, 1} },
		"slope 1.5 of neuron 3 of laye": func(p *solverv1.Piece) { p.Proof.Copies[0].Slopes[0] = 1.5 },
		"slope NaN of neuron 3":         func(p *solverv1.Piece) { p.Proof.Copies[0].Slopes[0] = math.NaN() },
		"slope 0.5 of neuron -3":        func(p *solverv1.Piece) { p.Proof.Copies[0].Neurons[0] = -3 },
		"cases 0: bin -1":               func(p *solverv1.Piece) { p.Proof.Cases[0].Bin = -1 },
		"cases 0: copy -2":              func(p *solverv1.Piece) { p.Proof.Cases[0].First.Copies[0] = -2 },
		"cases 0: 1 neurons in 0 layer": func(p *solverv1.Piece) { p.Proof.Cases[0].Second.Layers = nil },
		"cases 0: neuron 2 of layer -1": func(p *solverv1.Piece) { p.Proof.Cases[0].Second.Layers[0] = -1 },
		"step 0: neither a ReLU, nor a": func(p *solverv1.Piece) { p.Proof.Cases[0].Steps[0].Step = nil },
		"step 0: cases of neuron -4":    func(p *solverv1.Piece) { p.Proof.Cases[0].Steps[0].Step = &solverv1.CaseStep_Relu{Relu: -4} },
		"step 0: feature 1 cut at NaN": func(p *solverv1.Piece) {
			p.Proof.Cases[0].Steps[0].Step = &solverv1.CaseStep_Cut{Cut: &solverv1.CaseCut{Feature: 1, At: math.NaN()}}
		},
		"weights -1 and 1 of two logit": func(p *solverv1.Piece) { p.Proof.Cases[0].Steps[0].GetEnd().Up = -1 },
		"of two logits, slopes [+Inf]":  func(p *solverv1.Piece) { p.Proof.Cases[0].Steps[0].GetEnd().Slopes[0] = math.Inf(1) },
		"of two logits, slopes [NaN]":   func(p *solverv1.Piece) { p.Proof.Cases[0].Steps[0].GetEnd().Slopes[0] = math.NaN() },
	} {
		p := &solverv1.Piece{Lo: []float64{0, 0}, Hi: []float64{1, 1}, Claim: 1, Proof: &solverv1.Proof{Copies: []*solverv1.CopyProof{
			{Layers: []int32{0}, Neurons: []int32{3}, Slopes: []float64{0.5}},
		}, Cases: []*solverv1.CaseProof{{
			First: &solverv1.CaseSide{Copies: []int32{0}}, Second: &solverv1.CaseSide{Copies: []int32{0}, Layers: []int32{0}, Neurons: []int32{2}},
			Steps: []*solverv1.CaseStep{{Step: &solverv1.CaseStep_End{End: &solverv1.CaseEnd{Up: 1, Down: 1, Slopes: []float64{0.5}}}}},
		}}}}
		spoil(p)
		_, err := frompb.Pieces(&solverv1.Pieces{Pieces: []*solverv1.Piece{p}})
		wantRefused(t, err, nil, name)
	}
	_, err := frompb.Pieces(&solverv1.Pieces{Pieces: []*solverv1.Piece{nil}})
	wantRefused(t, err, nil, "piece 0: piececlaim is unspecified")
}

func TestSharesRefused(t *testing.T) {
	for name, m := range map[string]*solverv1.Shares{
		"the shares sum to 1.5":        {Fair: fraction("1"), Unfair: fraction("1/2")},
		"fair share: absent":           {Unfair: fraction("0")},
		"fair share: -0.1":             {Fair: fraction("-1/10"), Unfair: fraction("0")},
		"unfair share: 2.0":            {Fair: fraction("0"), Unfair: fraction("2")},
		"individuals: the count is no": {Fair: fraction("0"), Unfair: fraction("0"), Individuals: fraction("-4")},
		"-1 boxes":                     {Fair: fraction("0"), Unfair: fraction("0"), Boxes: -1},
	} {
		_, err := frompb.Shares(m)
		wantRefused(t, err, nil, name)
		_, err = frompb.Progress(&solverv1.Progress{Shares: m})
		wantRefused(t, err, nil, name)
		_, err = frompb.Result(&solverv1.Result{Status: 4, Reason: 2, Shares: m})
		wantRefused(t, err, nil, name)
	}
}

func TestDescriptionRefused(t *testing.T) {
	solver := func(traits *pluginv1.SolverTraits) *pluginv1.Description {
		return &pluginv1.Description{Name: "x", Kind: &pluginv1.Description_Solver{Solver: traits}}
	}
	for name, m := range map[string]*pluginv1.Description{
		"without a name":            nil,
		"without a solver's traits": {Name: "x"},
		"exactness is unspecified":  solver(&pluginv1.SolverTraits{}),
		"service 0: form or goal": solver(&pluginv1.SolverTraits{
			Exactness: 1, Serves: []*pluginv1.Service{{Form: problemv1.Form_FORM_MILP}},
		}),
	} {
		_, err := frompb.SolverDescription(m)
		wantRefused(t, err, nil, name)
	}
	strategy := func(traits *pluginv1.StrategyTraits) *pluginv1.Description {
		return &pluginv1.Description{Name: "x", Kind: &pluginv1.Description_Strategy{Strategy: traits}}
	}
	for name, m := range map[string]*pluginv1.Description{
		"without a strategy's traits": {Name: "x"},
		"lag is -1; want 0 or more":   strategy(&pluginv1.StrategyTraits{Lag: -1}),
		"preset 0: no name":           strategy(&pluginv1.StrategyTraits{Presets: []*pluginv1.Preset{{}}}),
	} {
		_, err := frompb.StrategyDescription(m)
		wantRefused(t, err, nil, name)
	}
}

// What a later version may add to v1 is not garbage.
func TestLaterServicesAreLeftOut(t *testing.T) {
	d, err := frompb.SolverDescription(&pluginv1.Description{Name: "x", Kind: &pluginv1.Description_Solver{Solver: &pluginv1.SolverTraits{
		Exactness: pluginv1.Exactness_EXACTNESS_EXACT,
		Serves:    []*pluginv1.Service{{Form: 9, Goal: 1}, {Form: 2, Goal: 1}, {Form: 2, Goal: 44}},
	}}})
	if err != nil || len(d.Serves) != 1 {
		t.Errorf("%+v, %v", d.Serves, err)
	}
}

// TestOtherFamily: a model of a family that is not known here is no invalid problem,
// but one that others may solve.
func TestOtherFamily(t *testing.T) {
	other := &problemv1.EncodedModel{Family: "trees", Content: []byte{1}}
	q := goodQuery()
	q.Model = &problemv1.Query_Other{Other: other}
	_, err := frompb.Problem(asQuery(q))
	wantRefused(t, err, sdk.ErrUnsupported, `models of the family "trees" are not known here`)
	_, _, again := frompb.Start(&strategyv1.Start{Space: q.Space, Model: &strategyv1.Start_Other{Other: other}})
	wantRefused(t, again, sdk.ErrUnsupported, `models of the family "trees" are not known here`)
	if errors.Is(err, sdk.ErrInvalidProblem) || errors.Is(again, sdk.ErrInvalidProblem) {
		t.Error("an unknown family is called an invalid problem")
	}
}

func TestSessionMessagesRefused(t *testing.T) {
	q := goodQuery()
	for name, spoil := range map[string]func(*strategyv1.Start){
		"start without a space":       func(m *strategyv1.Start) { m.Space = nil },
		"space has no features":       func(m *strategyv1.Start) { m.Space = &problemv1.Space{} },
		"epsilon: number without":     func(m *strategyv1.Start) { m.Epsilon = &problemv1.Number{} },
		"network has no layers":       func(m *strategyv1.Start) { m.GetNetwork().Layers = nil },
		"model takes 2 inputs":        func(m *strategyv1.Start) { m.Space = oneInput() },
		"0 intervals and 0 value lis": func(m *strategyv1.Start) { m.Region = &problemv1.Region{} },
	} {
		m := &strategyv1.Start{Space: q.Space, Model: &strategyv1.Start_Network{Network: proto.Clone(q.GetNetwork()).(*problemv1.Network)}}
		spoil(m)
		_, _, err := frompb.Start(m)
		wantRefused(t, err, sdk.ErrInvalidProblem, name)
	}
	_, _, err := frompb.Start(nil)
	wantRefused(t, err, sdk.ErrInvalidProblem, "start without a space")

	for name, m := range map[string]*strategyv1.RowChunk{
		"rows of 3 for 2 features":     {Width: 3, Values: []float64{1, 2, 3}},
		"3 values in rows of 2":        {Width: 2, Values: []float64{1, 2, 3}},
		"0 values in rows of 0":        nil,
		"rows: entry 1 is NaN":         {Width: 2, Values: []float64{1, math.NaN()}},
		"values in rows of -2 for 2 f": {Width: -2, Values: []float64{1, 2}},
	} {
		_, err := frompb.AppendRows(nil, m, 2)
		wantRefused(t, err, sdk.ErrInvalidProblem, name)
	}

	for name, m := range map[string]*strategyv1.Trial{
		"trial 0: trialstatus is unspecified": nil,
		"gap NaN":                             {Status: 1, Gap: math.NaN()},
		"entry 0 is NaN":                      {Status: 1, Point: []float64{math.NaN()}},
	} {
		_, err := frompb.Trials([]*strategyv1.Trial{m})
		wantRefused(t, err, sdk.ErrInvalidProblem, name)
	}
	_, err = frompb.Moves([]*strategyv1.Move{{Kind: 1, Point: []float64{math.Inf(1)}}})
	wantRefused(t, err, nil, "move 0: entry 0 is +Inf")
}

func oneInput() *problemv1.Space {
	s := proto.Clone(goodQuery().Space).(*problemv1.Space)
	s.Features[1].Inputs, s.Inputs = nil, 1
	return s
}
