package fetch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/system/shell"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Request asks for public files. It is plain data.
type Request struct {
	// Models lists some of Sets, or is just "all".
	Models []string `json:"models"`
	// Into is the folder to download to; empty: Data, the data root in force, or the default
	// data root of the user.
	Into string `json:"into,omitempty"`
	Data string `json:"data,omitempty"`
	// BaseURL is a mirror. Retries bounds the retries after a transient failure.
	BaseURL string `json:"base_url,omitempty"`
	Retries int    `json:"retries"`
}

// Result is the answer to a Request and the JSON object of hyfair fetch.
type Result struct {
	// The data root.
	Into string `json:"into"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
	// All requested files.
	Files []FileResult `json:"files"`
	// The value that --data needs for studies to find the files; absent if --data has it
	// already.
	Data string `json:"data,omitempty"`
}

// FileResult is the outcome for a file.
type FileResult struct {
	// The path below the data root.
	Path string `json:"path"`
	// The state: present, fetched, replaced (another file had the name), failed, or skipped by
	// an interrupt.
	State State `json:"state"`
	// The size of the file that is there now; 0 if there is none.
	Bytes int64 `json:"bytes"`
	// The checksum of the file that is there now.
	SHA256 string `json:"sha256,omitempty"`
	// The licence: MIT (networks) or CC BY 4.0 (data).
	Licence string `json:"licence"`
	// The reason of a failure, and how to fetch the file by hand.
	Error string `json:"error,omitempty"`
}

// Answer downloads the files. If some are missing in the end, the result comes with an error.
func Answer(ctx context.Context, s *session.Session, r Request) (*Result, error) {
	list, err := r.files()
	if err != nil {
		return nil, session.Mistake(err)
	}
	into, err := r.folder()
	if err != nil {
		return nil, session.Mistake(err)
	}
	s.Work()
	outcomes, err := Run(ctx, list, Options{Into: into, BaseURL: r.BaseURL, Retries: r.Retries, Progress: func(p Progress) {
		total := ""
		if p.Total >= 0 {
			total = "of " + view.Count(p.Total) + " "
		}
		s.Show(fmt.Sprintf("%s · %s %sbytes", p.What, view.Count(p.Done), total))
	}})
	if outcomes == nil {
		return nil, err
	}
	out := &Result{Into: into, Seconds: time.Since(s.Begun).Seconds()}
	if into != r.Data {
		out.Data = into
		if abs, err := filepath.Abs(into); err == nil {
			out.Data = abs
		}
	}
	missing := 0
	for i := range outcomes {
		o := &outcomes[i]
		file := FileResult{Path: o.File.Path, State: o.State, Bytes: o.Bytes, SHA256: o.SHA256, Licence: o.File.Licence}
		if o.Missing() {
			missing++
		}
		if o.Err != nil {
			file.Error = o.Err.Error()
			s.Note("%s", file.Error)
		}
		out.Files = append(out.Files, file)
	}
	switch {
	case ctx.Err() != nil:
		return out, errors.New("interrupted; run the same command again to continue")
	case missing > 0:
		return out, fmt.Errorf("%d of %d files are missing; run the same command again to retry", missing, len(out.Files))
	}
	return out, nil
}

// files returns the files that Models names.
func (r *Request) files() ([]File, error) {
	switch {
	case r.Retries < 0:
		return nil, fmt.Errorf("--retries %d is negative: want 0 or more", r.Retries)
	case slices.Equal(r.Models, []string{"all"}):
		return Files(), nil
	case len(r.Models) == 0:
		return nil, fmt.Errorf("--models is empty: want %s or all", strings.Join(Sets, ", "))
	}
	for _, name := range r.Models {
		if !slices.Contains(Sets, name) {
			return nil, fmt.Errorf("--models %q: want %s or all", name, strings.Join(Sets, ", "))
		}
	}
	return Files(r.Models...), nil
}

// folder returns the folder to download to.
func (r *Request) folder() (string, error) {
	if r.Into != "" {
		return r.Into, nil
	}
	if r.Data != "" {
		return r.Data, nil
	}
	dir, err := files.UserData("data")
	if err != nil {
		err = fmt.Errorf("there is no home folder to download to (%w); name a folder with --into", err)
	}
	return dir, err
}

// Document shows the outcome of each file, and how studies find them.
func (r *Result) Document() *view.Document {
	t := &view.Table{Plain: true, Columns: []view.Column{{Title: "FILE"}, {Title: "STATE"}, {Title: "BYTES"}, {Title: "LICENCE"}}}
	for _, f := range r.Files {
		t.Add(f.Path, string(f.State), view.Count(f.Bytes), f.Licence)
	}
	where := view.Paragraph{"in " + r.Into}
	if r.Data != "" {
		path := shell.Word(r.Data)
		where = append(where, fmt.Sprintf("studies find it with --data %s, or permanently with", path), "  export HYFAIR_DATA="+path)
	}
	return view.Of(t, where)
}
