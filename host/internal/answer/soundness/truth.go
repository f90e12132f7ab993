package soundness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Truth has the right answers about an instance: the file truth.json next to its study.
type Truth struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Name is the name of the instance and of its folder.
	Name string `json:"name"`
	Seed int64  `json:"seed"`
	Rung int    `json:"rung"`
	Kind string `json:"kind"`
	// Study and Model name files in the same folder, which must have these checksums.
	Study       string `json:"study"`
	StudySHA256 string `json:"study_sha256"`
	Model       string `json:"model"`
	ModelSHA256 string `json:"model_sha256"`
	// People is the number of individuals in decimal digits, Copies the number of combinations.
	People  string `json:"people"`
	Copies  int    `json:"copies"`
	Neurons int    `json:"neurons"`
	// Cancelling counts parts of the base that depend on protected features, but are always 0.
	Cancelling int       `json:"cancelling"`
	Disguise   Disguise  `json:"disguise"`
	Planted    []Planted `json:"planted"`
	// Questions are what solvers are asked, with the right answers.
	Questions []Question `json:"questions"`
	Property  *Property  `json:"property,omitempty"`
}

// Planted describes people who were planted in a network, in the space or not.
type Planted struct {
	// X has the least and the largest value of each feature that is not protected.
	X map[string][2]float64 `json:"x"`
	// Logit is the logit of the copies that are not among Copies.
	Logit  float64      `json:"logit"`
	Copies []PlantedHit `json:"copies"`
}

// PlantedHit is a copy that gets another logit.
type PlantedHit struct {
	Z     map[string]float64 `json:"z"`
	Logit float64            `json:"logit"`
}

// Goals of questions.
const (
	// Witness asks for an unfairly treated individual, or for the proof that none exists.
	Witness = "witness"
	// Gap asks for the largest score gap, MaxK for the largest k, Share for the number of
	// people who are treated unfairly.
	Gap   = "gap"
	MaxK  = "max-k"
	Share = "share"
)

// Question is a question to solvers, with the right answer.
type Question struct {
	// Goal is one of Goals.
	Goal   string `json:"goal"`
	Notion string `json:"notion"`
	// Epsilon is in the notion's unit; empty for the decision notions.
	Epsilon string `json:"epsilon,omitempty"`
	// Unfair: an individual is treated unfairly.
	Unfair bool `json:"unfair"`
	// Margin encloses the largest margin: the gap of scores or logits, even below ε, or for
	// decisions the margin of the worst individual that is treated unfairly.
	Margin [2]float64 `json:"margin"`
	// K is the largest k, and People the number of people treated unfairly.
	K      int    `json:"k,omitempty"`
	People string `json:"people,omitempty"`
}

// Goals lists the goals of questions.
func Goals() []string { return []string{Witness, Gap, MaxK, Share} }

// Called names a question in tables: by its goal, and if that is Witness, by its notion as
// well.
func (q *Question) Called() string {
	if q.Goal == Witness {
		return q.Goal + " (" + q.Notion + ")"
	}
	return q.Goal
}

// Property is the question for a witness by logits, in files for other verifiers. These files
// express neither that features are integer nor the rules of the study.
type Property struct {
	File    string `json:"file"`
	Network string `json:"network"`
	Epsilon string `json:"epsilon"`
	// Answer is the right answer to the files: sat or unsat.
	Answer string `json:"answer"`
	// Margin is the largest margin that the files allow.
	Margin float64 `json:"margin"`
}

const (
	truthFormat  = "hyfair-soundness"
	truthVersion = 1
	// TruthFile is the name of an instance's truth.
	TruthFile = "truth.json"
	// maxTruth is the largest size of that file, maxQuestions the largest number of its questions.
	maxTruth     = 1 << 20
	maxQuestions = 100
)

// group is people whose copies get the same logits.
type group struct {
	count  *big.Int
	logits []*big.Rat
}

// groups returns the people whose copies have different logits. They are the points of the lattice
// that the rules allow or, with real set, all real points of the domain, allowed or not.
func (in *instance) groups(real bool) (out []group) {
	if in.kind == outside || !real && (in.kind == between || in.kind == forbidden || in.kind == guarded) {
		return nil
	}
	for k := range in.sites {
		s := &in.sites[k]
		g := group{count: big.NewInt(1), logits: []*big.Rat{exactly(s.base)}}
		for k := range s.lo {
			g.count.Mul(g.count, big.NewInt(int64(s.hi[k]-s.lo[k])+1))
		}
		for _, h := range s.hits {
			g.logits = append(g.logits, exactly(s.base+h.height))
		}
		out = append(out, g)
	}
	return out
}

// people returns the number of individuals in the space.
func (in *instance) people() *big.Int {
	n := big.NewInt(1)
	for _, i := range in.free {
		n.Mul(n, big.NewInt(int64(in.features[i].size())))
	}
	if in.kind == guarded {
		n.Sub(n, big.NewInt(1))
	}
	return n
}

// answer returns the right answer to a question of some goal.
func (in *instance) answer(goal string, n fairness.Notion, epsilon string) Question {
	q := Question{Goal: goal, Notion: n.String(), Epsilon: epsilon, K: 1}
	var eps, lo, hi *big.Rat
	if epsilon != "" {
		eps = rational(epsilon)
	}
	people := new(big.Int)
	for _, g := range in.groups(false) {
		unfair := n.Violates(g.logits, eps)
		if unfair {
			q.Unfair = true
			people.Add(people, g.count)
		}
		if first, second, ok := n.Pair(g.logits); ok && (unfair || n.UsesEpsilon()) {
			if l, h := n.Margin(g.logits[first], g.logits[second]); hi == nil || h.Cmp(hi) > 0 {
				lo, hi = l, h
			}
		}
		if n.Binned() {
			q.K = max(q.K, fairness.LinkSigmoid.KBins(g.logits, eps))
		}
	}
	if hi != nil {
		q.Margin[0], _ = fairness.Enclosure(lo)
		_, q.Margin[1] = fairness.Enclosure(hi)
	}
	if goal != MaxK {
		q.K = 0
	}
	if goal == Share {
		q.People = people.String()
	}
	return q
}

// widest returns the largest difference of two logits of one person.
func (in *instance) widest(real bool) (most float64) {
	for _, g := range in.groups(real) {
		first, second, _ := fairness.Logit.Pair(g.logits)
		margin, _ := new(big.Rat).Sub(g.logits[first], g.logits[second]).Float64()
		most = max(most, margin)
	}
	return most
}

// logitEpsilon is the ε of the question about logits. It is below the widest difference over real
// points, except for outside and justBelow: there it is above, so that the property is unsat.
func (in *instance) logitEpsilon() string {
	most := in.widest(true)
	switch in.kind {
	case outside:
		most = 0.25
	case justBelow:
		most += grid
	case tenPeople, aRegion:
		most = math.Max(grid, math.Floor(most/2/grid)*grid)
	default:
		most -= grid
	}
	return fairness.FormatRat(exactly(most))
}

// truth returns the truth without the files' checksums.
func (in *instance) truth(d *disguise) *Truth {
	t := &Truth{
		Format: truthFormat, Version: truthVersion, Name: in.name(), Seed: in.seed, Rung: in.rung, Kind: in.kind,
		People: in.people().String(), Copies: len(in.combinations()), Neurons: d.neurons(), Cancelling: len(in.cancelling), Disguise: d.Disguise,
	}
	for k := range in.sites {
		s := &in.sites[k]
		p := Planted{X: map[string][2]float64{}, Logit: s.base}
		for k, i := range in.free {
			p.X[in.features[i].name] = [2]float64{s.lo[k], s.hi[k]}
		}
		for _, h := range s.hits {
			c := PlantedHit{Z: map[string]float64{}, Logit: s.base + h.height}
			for k, i := range in.prot {
				c.Z[in.features[i].name] = h.z[k]
			}
			p.Copies = append(p.Copies, c)
		}
		t.Planted = append(t.Planted, p)
	}
	logits := in.logitEpsilon()
	t.Questions = []Question{
		in.answer(Witness, fairness.Score, epsilon), in.answer(Witness, fairness.Logit, logits), in.answer(Witness, fairness.Decision, ""),
		in.answer(Gap, fairness.Score, epsilon), in.answer(MaxK, fairness.Score, epsilon), in.answer(Share, fairness.Score, epsilon),
	}
	t.Property = &Property{File: propertyStem + ".vnnlib", Network: propertyStem + ".onnx", Epsilon: logits, Answer: "unsat", Margin: in.widest(true)}
	if exactly(t.Property.Margin).Cmp(rational(logits)) >= 0 {
		t.Property.Answer = "sat"
	}
	return t
}

// name is the name of the instance and of its folder.
func (in *instance) name() string { return fmt.Sprintf("%02d-%s", in.rung, in.kind) }

// Read reads the truths of all instances in a folder, in the order of their names.
func Read(folder string) ([]*Truth, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var out []*Truth
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		t, err := readTruth(folder, e.Name())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(folder, e.Name(), TruthFile), err)
		}
		if t != nil {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no folder in it has a %s; hyfair soundness new writes such a folder", folder, TruthFile)
	}
	return out, nil
}

// readTruth reads one truth; nil if the folder lacks it.
func readTruth(folder, name string) (*Truth, error) {
	file, info, err := files.Within(folder, filepath.Join(name, TruthFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case file == nil:
		return nil, errors.New("it is not a regular file")
	}
	defer file.Close()
	if info.Size() > maxTruth {
		return nil, fmt.Errorf("it has %d bytes: want at most %d", info.Size(), maxTruth)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxTruth))
	if err != nil {
		return nil, err
	}
	t := &Truth{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(t); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("data follows its object, at byte %d: want one object", d.InputOffset())
	}
	if t.Name != name {
		return nil, fmt.Errorf("it describes the instance %q, but its folder is %q", t.Name, name)
	}
	return t, t.Validate()
}

// Validate checks that the truth is well-formed.
func (t *Truth) Validate() error {
	if t.Format != truthFormat || t.Version != truthVersion {
		return fmt.Errorf("format %q, version %d; want %q, version %d", t.Format, t.Version, truthFormat, truthVersion)
	}
	if p, ok := whole(t.People); !ok || p.Sign() <= 0 {
		return fmt.Errorf("people %q: want a whole number above 0 of at most %d digits", t.People, mostDigits)
	}
	if n := len(t.Questions); n == 0 || n > maxQuestions {
		return fmt.Errorf("%d questions: want 1 to %d", n, maxQuestions)
	}
	for i := range t.Questions {
		q := &t.Questions[i]
		if err := q.validate(t); err != nil {
			return fmt.Errorf("question %d (%s): %w", i+1, q.Called(), err)
		}
		if slices.ContainsFunc(t.Questions[:i], func(o Question) bool { return o.Called() == q.Called() }) {
			return fmt.Errorf("question %d (%s) is repeated", i+1, q.Called())
		}
	}
	for _, f := range []string{t.Study, t.Model} {
		if f == "" || f != filepath.Base(f) || !filepath.IsLocal(f) {
			return fmt.Errorf("%q is not the name of a file in its folder", f)
		}
	}
	if len(t.StudySHA256) != 64 || len(t.ModelSHA256) != 64 {
		return fmt.Errorf("study_sha256 %q, model_sha256 %q: want 64 hexadecimal digits each", t.StudySHA256, t.ModelSHA256)
	}
	return nil
}

// threshold returns ε; nil for a notion without ε.
func (q *Question) threshold() (*big.Rat, error) {
	n, err := fairness.ParseNotion(q.Notion)
	switch {
	case err != nil:
		return nil, err
	case n.UsesEpsilon():
		return fairness.ParseEpsilon(q.Epsilon, n)
	case q.Epsilon != "":
		return nil, fmt.Errorf("epsilon %q: the notion %s does not use ε: leave it out", q.Epsilon, n)
	}
	return nil, nil
}

func (q *Question) validate(t *Truth) error {
	n, err := fairness.ParseNotion(q.Notion)
	if err != nil {
		return err
	}
	if _, err := q.threshold(); err != nil {
		return err
	}
	switch {
	case !slices.Contains(Goals(), q.Goal):
		return fmt.Errorf("goal %q: want one of %v", q.Goal, Goals())
	case (q.Goal == MaxK || q.Goal == Gap) && n != fairness.Score:
		return fmt.Errorf("the goal %s needs the notion score, not %s", q.Goal, n)
	case !(q.Margin[0] <= q.Margin[1]) || q.Margin[0] < 0:
		return fmt.Errorf("margin %v: want two ascending numbers, 0 or more", q.Margin)
	case q.Goal == MaxK && q.K < 1:
		return fmt.Errorf("k %d: want 1 or more", q.K)
	case q.Goal == Share:
		p, ok := whole(q.People)
		if all, _ := whole(t.People); !ok || p.Cmp(all) > 0 {
			return fmt.Errorf("people %q: want a whole number from 0 to %s", q.People, t.People)
		}
	}
	return nil
}

// mostDigits bounds the digits of a number in a truth file.
const mostDigits = 1000

// whole parses decimal digits.
func whole(text string) (*big.Int, bool) {
	if len(text) > mostDigits || len(text) > 0 && text[0] == '-' {
		return nil, false
	}
	return new(big.Int).SetString(text, 10)
}

// Spec converts a question about an instance in a folder for the rest of the program.
func (t *Truth) Spec(folder string, q *Question) question.Spec {
	return question.Spec{
		Study: filepath.Join(folder, t.Name, t.Study), StudySHA256: t.StudySHA256, ModelSHA256: t.ModelSHA256,
		Notion: q.Notion, Scope: question.Scope{Epsilon: q.Epsilon},
	}
}
