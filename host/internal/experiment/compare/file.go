package compare

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
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
	question.Scope
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
func IsFile(path string) bool { return yamlfile.HasKey(path, "arms") }

// ReadFile reads a comparison file. Every mistake is an error that names file,
// line and column; all that can be told apart are reported together.
func ReadFile(path string) (*File, error) {
	text, err := yamlfile.Read(path)
	if err != nil {
		return nil, err
	}
	return parseFile(text, path)
}

func parseFile(text, path string) (*File, error) {
	var raw rawFile
	in, err := yamlfile.Decode(text, path, "a comparison file", &raw)
	if err != nil {
		return nil, err
	}
	r := &fileReader{Reader: in, path: path}
	f := r.file(&raw)
	if err := in.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// fileReader turns the shape into a File.
type fileReader struct {
	*yamlfile.Reader
	path string
}

func (r *fileReader) file(raw *rawFile) *File {
	f := &File{Name: raw.Name, Scope: question.Scope{Epsilon: raw.Epsilon, Protected: raw.Protected, Where: raw.Where, Rules: raw.Rules}}
	if f.Name == "" {
		f.Name = strings.TrimSuffix(filepath.Base(r.path), filepath.Ext(r.path))
	}
	for i, s := range raw.Studies {
		if s.Study == "" {
			r.Fault(fmt.Sprintf("$.studies[%d]", i), "needs study: FILE")
			continue
		}
		study := FileStudy{Path: s.Study, Models: s.Models, Partition: s.Partition}
		if !filepath.IsAbs(study.Path) {
			study.Path = filepath.Join(filepath.Dir(r.path), study.Path)
		}
		if _, err := filepath.Match(s.Models, ""); err != nil {
			r.Fault(fmt.Sprintf("$.studies[%d].models", i), "%q is no pattern: %v", s.Models, err)
		}
		f.Studies = append(f.Studies, study)
	}
	if len(raw.Studies) == 0 {
		r.Fault("$.studies", "lists no study")
	}
	for i := range raw.Arms {
		f.Arms = append(f.Arms, r.arm(fmt.Sprintf("$.arms[%d]", i), &raw.Arms[i]))
	}
	if err := checkArms(f.Arms); err != nil {
		r.Fault("$.arms", "%v", err)
	}
	if raw.Budget != "" {
		budget, err := time.ParseDuration(raw.Budget)
		if err != nil || budget <= 0 {
			r.Fault("$.budget", "%q is no time above 0 such as 100s", raw.Budget)
		}
		f.Budget = Duration(budget)
	}
	f.Runs = int(r.Integer("$.runs", raw.Runs, 1, maxRuns))
	f.Threads = int(r.Integer("$.threads", raw.Threads, 1, 1<<10))
	f.Seed = r.Integer("$.seed", raw.Seed, 1, 1<<53)
	return f
}

func (r *fileReader) arm(place string, raw *rawArm) Arm {
	a := Arm{Name: raw.Name}
	if raw.Solver == "" {
		r.Fault(place, "names no solver")
	}
	for k, value := range raw.values() {
		if value == "" {
			continue
		}
		if err := a.set(armKeys[k], value); err != nil {
			r.Fault(place+"."+armKeys[k], "%v", err)
		}
	}
	return a
}
