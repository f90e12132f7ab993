package study

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// NotChecked is the message about a study whose inputs were not checked.
const NotChecked = "inputs not checked against the model's own scores"

// InputCheck is the evidence that a study feeds its model the inputs that the model's owner feeds
// it. The zero value: not checked.
type InputCheck struct {
	// Whether a valid check shows that the study feeds the model as its owner does.
	Checked bool `json:"checked"`
	// The kind of check: scores, compared with those of the owner's pipeline; or training, if hyfair
	// trained the model on the study's inputs.
	By string `json:"by,omitempty"`
	// The number of rows compared.
	Rows int `json:"rows,omitempty"`
	// The largest difference between the scores of a row.
	Worst float64 `json:"worst,omitempty"`
	// The reason why an earlier check is not valid.
	Why string `json:"why,omitempty"`
	// Evidence against the study's inputs, checked or not.
	Doubts []string `json:"doubts,omitempty"`
}

// ByScores and ByTraining are the values of InputCheck.By.
const (
	ByScores   = "scores"
	ByTraining = "training"
)

// checkFile is the content of the file next to a study that stores its checks, one per model, since
// a study may have several.
type checkFile struct {
	Format string       `json:"format"`
	Checks []inputCheck `json:"checks"`
}

const (
	checkFormat   = "hyfair-input-check/1"
	maxCheckBytes = 1 << 20
	maxChecks     = 1000
	keptChecks    = 100 // the number of latest checks that are kept
)

// inputCheck is a check with the digests of its subject. It is valid while all digests match.
type inputCheck struct {
	Model       string `json:"model"`
	ModelSHA256 string `json:"model_sha256"`
	// InputsSHA256 is the digest of everything that determines how cells become the model's
	// inputs. ε, rules, protected values and the bounds of domains are not part of it.
	InputsSHA256 string `json:"inputs_sha256"`
	// RowsSHA256 is the digest of the data files; empty without any.
	RowsSHA256 string `json:"rows_sha256,omitempty"`
	InputCheck
}

// CheckPath returns the file with the checks of the study file at path. For the file of a model, it
// returns the file that records that hyfair trained it.
func CheckPath(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".checked.json"
}

// InputCheck returns the valid check of the study's inputs, if any: a check of the same model,
// inputs and rows. If the rows cannot be read, they are not compared.
func (s *Study) InputCheck() *InputCheck {
	if s.inputCheck == nil { // not loaded from a file
		return &InputCheck{}
	}
	return s.inputCheck()
}

func (s *Study) readInputCheck() *InputCheck {
	var all []inputCheck
	for _, path := range s.checkPaths() {
		some, err := readChecks(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &InputCheck{Why: err.Error()}
		}
		all = append(all, some...)
	}
	changed := ""
	for i := range all {
		c := &all[i]
		if c.ModelSHA256 != s.ModelSHA256 {
			if c.Model == filepath.Base(s.ModelPath) && changed == "" {
				changed = "the model was"
			}
			continue
		}
		rows, err := s.rowsSHA256()
		switch {
		case c.InputsSHA256 == "" || c.InputsSHA256 != s.inputsSHA256():
			changed = "the study's inputs were"
		case err == nil && rows != c.RowsSHA256:
			changed = "the rows were"
		default:
			return &c.InputCheck
		}
	}
	if changed == "" {
		return &InputCheck{}
	}
	return &InputCheck{Why: changed + " changed since the check"}
}

// checkPaths lists the files that may hold checks: next to the study, those that it extends, and
// the model.
func (s *Study) checkPaths() (out []string) {
	for _, path := range append(slices.Clone(s.chain), s.ModelPath) {
		out = append(out, CheckPath(path))
	}
	return out
}

// KeepInputCheck stores a check of the study's inputs next to the study. It replaces an earlier
// check of the same model.
func (s *Study) KeepInputCheck(found InputCheck) error { return s.keepIn(CheckPath(s.Path), found) }

func (s *Study) keepIn(path string, found InputCheck) error {
	all, err := readChecks(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	c := inputCheck{Model: filepath.Base(s.ModelPath), ModelSHA256: s.ModelSHA256, InputsSHA256: s.inputsSHA256(), InputCheck: found}
	if c.RowsSHA256, err = s.rowsSHA256(); err != nil {
		return err
	}
	if c.InputsSHA256 == "" {
		return errors.New("the study's inputs have no digest")
	}
	all = slices.DeleteFunc(all, func(old inputCheck) bool { return old.ModelSHA256 == c.ModelSHA256 })
	if all = append(all, c); len(all) > keptChecks {
		all = all[len(all)-keptChecks:]
	}
	return files.Write(path, func(f *os.File) error {
		out := json.NewEncoder(f)
		out.SetIndent("", "  ")
		out.SetEscapeHTML(false)
		return out.Encode(checkFile{checkFormat, all})
	})
}

// KeepTrained records, next to the model that o names, that hyfair trained it on the inputs of the
// study at path.
func KeepTrained(path string, o Options) error {
	s, err := Load(path, o)
	if err != nil {
		return err
	}
	return s.keepIn(CheckPath(s.ModelPath), InputCheck{Checked: true, By: ByTraining})
}

func readChecks(path string) ([]inputCheck, error) {
	f, stat, err := files.Open(path)
	if err != nil {
		return nil, files.Reason(err)
	}
	defer f.Close()
	var out checkFile
	text, err := io.ReadAll(io.LimitReader(f, maxCheckBytes+1))
	switch {
	case err != nil:
	case stat.Size() > maxCheckBytes || len(text) > maxCheckBytes:
		err = fmt.Errorf("more than %d bytes", maxCheckBytes)
	default:
		if err = json.Unmarshal(text, &out); err == nil && out.Format != checkFormat {
			err = fmt.Errorf("got the format %.40q, want %s", out.Format, checkFormat)
		} else if len(out.Checks) > maxChecks {
			err = fmt.Errorf("got %d checks, at most %d are supported", len(out.Checks), maxChecks)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: remove it, and check again with hyfair inspect --scores", path, err)
	}
	return out.Checks, nil
}

// inputsSHA256 is the digest of everything that determines how cells become the model's inputs and
// its output a score; empty if there is none.
func (s *Study) inputsSHA256() string {
	type feature struct {
		Name       string
		Kind       space.Kind
		Lo         float64 // the value of a table's first entry, if an input has a table
		Categories []string
		Inputs     []space.Input
		Missing    float64
	}
	about := struct {
		Features []feature
		Format   people.Format
		Columns  []people.Column
		Skip     []int
		Choice   modelfile.Choice
		Link     fairness.Link
		Number   bool
	}{Choice: s.choice, Link: s.Model.Link(), Number: s.Number}
	for i := range s.Space.Features {
		f := &s.Space.Features[i]
		one := feature{Name: f.Name, Kind: f.Kind, Categories: f.Categories}
		if !slices.Contains(s.Unseen, f.Name) {
			one.Inputs = f.Inputs
		}
		if f.HasTable() {
			one.Lo = f.Lo
		}
		if f.Missing {
			one.Missing = f.Hi
		}
		about.Features = append(about.Features, one)
	}
	if s.spec != nil {
		about.Format, about.Columns = s.spec.Format, s.spec.Features
		for _, f := range s.spec.Files {
			about.Skip = append(about.Skip, f.Skip)
		}
	}
	text, err := json.Marshal(withoutZeros(reflect.ValueOf(about)))
	if err != nil {
		return "" // matches no check
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// withoutZeros converts a value to JSON's types, without struct fields that are zero or empty, so that later
// versions may add fields without changing the digest.
func withoutZeros(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		return withoutZeros(v.Elem())
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = withoutZeros(v.Index(i))
		}
		return out
	case reflect.Struct:
		if _, ok := v.Interface().(json.Marshaler); ok {
			return v.Interface()
		}
		out := map[string]any{}
		for i := range v.NumField() {
			f := v.Field(i)
			if empty := (f.Kind() == reflect.Slice || f.Kind() == reflect.Map) && f.Len() == 0; !empty && !f.IsZero() {
				out[v.Type().Field(i).Name] = withoutZeros(f)
			}
		}
		return out
	}
	return v.Interface()
}

// rowsSHA256 is the digest of the data files, people.Data.SHA256, without reading the rows.
func (s *Study) rowsSHA256() (string, error) {
	if s.spec == nil {
		return "", nil
	}
	if s.dataErr != nil {
		return "", s.dataErr
	}
	sum := sha256.New()
	for i := range s.spec.Files {
		f, _, err := files.Open(s.spec.Files[i].Path)
		if err == nil {
			_, err = io.Copy(sum, f)
			f.Close()
		}
		if err != nil {
			return "", files.Reason(err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
