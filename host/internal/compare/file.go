package compare

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// File is a comparison file: what to compare on what, under which rules. Flags
// of the command line override it.
type File struct {
	Name    string
	Studies []FileStudy
	Arms    []Arm
	// Budget, Runs, Threads and Seed are 0 where the file says nothing.
	Budget  Duration
	Runs    int
	Threads int
	Seed    int64
	Question
}

// FileStudy is a study of a comparison file.
type FileStudy struct {
	// Path of the study, relative paths taken from the file's folder.
	Path string
	// Models is a pattern of names beside the study's own network; empty: that
	// one.
	Models string
	// Partition is what "partition: study" of an arm stands for.
	Partition string
}

// Bounds on a comparison file.
const (
	maxFileBytes = 64 << 10
	maxDepth     = 16
)

// rawFile is the file's shape. Values are kept as text until something that
// knows the type reads them.
type rawFile struct {
	Name    string `yaml:"name"`
	Summary string `yaml:"summary"`
	Studies []struct {
		Study     string `yaml:"study"`
		Models    string `yaml:"models"`
		Partition string `yaml:"partition"`
	} `yaml:"studies"`
	Arms      []rawArm `yaml:"arms"`
	Budget    string   `yaml:"budget"`
	Runs      string   `yaml:"runs"`
	Threads   string   `yaml:"threads"`
	Seed      string   `yaml:"seed"`
	Epsilon   string   `yaml:"epsilon"`
	Protected []string `yaml:"protected"`
	Where     string   `yaml:"where"`
	Rules     []string `yaml:"rules"`
}

// rawArm has the keys of armKeys.
type rawArm struct {
	Name      string `yaml:"name"`
	About     string `yaml:"about"`
	Solver    string `yaml:"solver"`
	Notion    string `yaml:"notion"`
	Epsilon   string `yaml:"epsilon"`
	Encoding  string `yaml:"encoding"`
	Bounds    string `yaml:"bounds"`
	Partition string `yaml:"partition"`
	Goal      string `yaml:"goal"`
	Gap       string `yaml:"gap"`
	Start     string `yaml:"start"`
	Soft      string `yaml:"soft"`
}

// values are the arm's settings in the order of armKeys.
func (r *rawArm) values() []string {
	return []string{r.Solver, r.Notion, r.Epsilon, r.Encoding, r.Bounds, r.Partition, r.Goal, r.Gap, r.Start, r.Soft}
}

// IsFile reports whether the path is a comparison file: a YAML file with a key
// arms, which no study has. What cannot be read is none.
func IsFile(path string) bool {
	text, err := readBounded(path)
	if err != nil {
		return false
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "arms:") {
			return true
		}
	}
	return false
}

func readBounded(path string) (string, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !stat.Mode().IsRegular() { // opening a pipe would wait for ever
		return "", fmt.Errorf("%s: not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(text) > maxFileBytes {
		err = fmt.Errorf("%s: more than %d KiB", path, maxFileBytes>>10)
	}
	return string(text), err
}

// ReadFile reads a comparison file. Every mistake is an error that names file,
// line and column; all that can be told apart are reported together.
func ReadFile(path string) (*File, error) {
	text, err := readBounded(path)
	if err != nil {
		return nil, err
	}
	return parseFile(text, path)
}

func parseFile(text, path string) (*File, error) {
	tokens := lexer.Tokenize(strings.TrimPrefix(text, "\ufeff"))
	if t, why := unwanted(tokens); t != nil {
		return nil, fmt.Errorf("%s:%d:%d: %s", path, t.Position.Line, t.Position.Column, why)
	}
	syntax, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, located(path, err)
	}
	var raw rawFile
	if err := yaml.NewDecoder(strings.NewReader(text), yaml.Strict()).Decode(&raw); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the file is empty")
		}
		return nil, located(path, err)
	}
	r := &fileReader{path: path, syntax: syntax}
	f := r.file(&raw)
	if err := errors.Join(r.faults...); err != nil {
		return nil, err
	}
	return f, nil
}

// unwanted finds what a comparison file has no use for and the YAML package
// trips over: tags, anchors and aliases, and nesting that takes its recursive
// parser deep.
func unwanted(tokens token.Tokens) (at *token.Token, why string) {
	depth, marks := 0, 0
	for _, t := range tokens {
		if t.Position == nil {
			continue
		}
		switch t.Type {
		case token.TagType, token.AnchorType, token.AliasType, token.MergeKeyType:
			return t, fmt.Sprintf("%s: a comparison file has no tags, anchors and aliases", t.Value)
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType:
			marks++
		case token.StringType, token.IntegerType, token.FloatType:
			marks = 0
		}
		if depth > maxDepth || marks > maxDepth {
			return t, "nested too deep"
		}
	}
	return nil, ""
}

// located gives an error of the YAML package its place in the file.
func located(path string, err error) error {
	var syntax yaml.Error
	if errors.As(err, &syntax) && syntax.GetToken() != nil && syntax.GetToken().Position != nil {
		at := syntax.GetToken().Position
		return fmt.Errorf("%s:%d:%d: %s", path, at.Line, at.Column, syntax.GetMessage())
	}
	return fmt.Errorf("%s:1:1: %w", path, err)
}

// fileReader turns the shape into a File and collects faults.
type fileReader struct {
	path   string
	syntax *ast.File
	faults []error
}

// fault reports what is wrong at a place such as $.arms[1].notion, or at the
// nearest one around it that exists.
func (r *fileReader) fault(place string, format string, args ...any) {
	line, column := 1, 1
	for at := place; at != "$" && at != ""; at = at[:max(0, strings.LastIndexAny(at, ".["))] {
		p, err := yaml.PathString(at)
		if err != nil {
			continue
		}
		if node, err := p.FilterFile(r.syntax); err == nil && node != nil && node.GetToken() != nil && node.GetToken().Position != nil {
			line, column = node.GetToken().Position.Line, node.GetToken().Position.Column
			break
		}
	}
	r.faults = append(r.faults, fmt.Errorf("%s:%d:%d: %s: %s", r.path, line, column, strings.TrimPrefix(place, "$."), fmt.Sprintf(format, args...)))
}

func (r *fileReader) file(raw *rawFile) *File {
	f := &File{Name: raw.Name, Question: Question{Epsilon: raw.Epsilon, Protected: raw.Protected, Where: raw.Where, Rules: raw.Rules}}
	if f.Name == "" {
		f.Name = strings.TrimSuffix(filepath.Base(r.path), filepath.Ext(r.path))
	}
	for i, s := range raw.Studies {
		if s.Study == "" {
			r.fault(fmt.Sprintf("$.studies[%d]", i), "needs study: FILE")
			continue
		}
		study := FileStudy{Path: s.Study, Models: s.Models, Partition: s.Partition}
		if !filepath.IsAbs(study.Path) {
			study.Path = filepath.Join(filepath.Dir(r.path), study.Path)
		}
		if _, err := filepath.Match(s.Models, ""); err != nil {
			r.fault(fmt.Sprintf("$.studies[%d].models", i), "%q is no pattern: %v", s.Models, err)
		}
		f.Studies = append(f.Studies, study)
	}
	if len(raw.Studies) == 0 {
		r.fault("$.studies", "lists no study")
	}
	for i := range raw.Arms {
		f.Arms = append(f.Arms, r.arm(fmt.Sprintf("$.arms[%d]", i), &raw.Arms[i]))
	}
	if err := checkArms(f.Arms); err != nil {
		r.fault("$.arms", "%v", err)
	}
	if raw.Budget != "" {
		budget, err := time.ParseDuration(raw.Budget)
		if err != nil || budget <= 0 {
			r.fault("$.budget", "%q is no time above 0 such as 100s", raw.Budget)
		}
		f.Budget = Duration(budget)
	}
	f.Runs = int(r.integer("$.runs", raw.Runs, 1, maxRuns))
	f.Threads = int(r.integer("$.threads", raw.Threads, 1, 1<<10))
	f.Seed = r.integer("$.seed", raw.Seed, 1, 1<<53)
	return f
}

func (r *fileReader) arm(place string, raw *rawArm) Arm {
	a := Arm{Name: raw.Name}
	if raw.Solver == "" {
		r.fault(place, "names no solver")
	}
	for k, value := range raw.values() {
		if value == "" {
			continue
		}
		if err := a.set(armKeys[k], value); err != nil {
			r.fault(place+"."+armKeys[k], "%v", err)
		}
	}
	return a
}

func (r *fileReader) integer(place, text string, lo, hi int64) int64 {
	if text == "" {
		return 0
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < lo || v > hi {
		r.fault(place, "%q is no whole number from %d to %d", text, lo, hi)
		return 0
	}
	return v
}
