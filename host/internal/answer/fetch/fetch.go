// Package fetch downloads the public networks and data sets to the data root. Every file is
// pinned by its SHA-256, and a download with another sum is discarded. The next run continues
// interrupted downloads.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/system/files"
)

// Options are the settings of Run.
type Options struct {
	// Into is the data root.
	Into string
	// BaseURL, if not empty, replaces all sources: a mirror with the layout of the data root.
	BaseURL string
	// Client, if not nil, replaces NewClient's.
	Client *http.Client
	// Retries bounds the retries after transient failures. A transfer that makes progress
	// resets the count.
	Retries int
	// Wait returns the pause before a retry, counted from 1; nil: one second, doubled each
	// time, up to 30 seconds.
	Wait func(retry int) time.Duration
	// Idle is the longest time without data in a transfer; 0: 30 seconds.
	Idle time.Duration
	// Progress, if not nil, is called from Run's goroutine.
	Progress func(Progress)
}

// Progress is the state of a download.
type Progress struct {
	// What is a file's path, or an archive's name.
	What string
	// Done and Total count bytes; Total is −1 if the server does not give it.
	Done, Total int64
}

// State is the state of a file after a fetch.
type State string

const (
	// Present means that the file was there already.
	Present State = "present"
	// Fetched means that the file was downloaded.
	Fetched State = "fetched"
	// Replaced means that another file of the name was replaced by the right one.
	Replaced State = "replaced"
	// Failed means that the file could not be downloaded; an existing file of that name stays.
	Failed State = "failed"
	// Skipped means that the run was interrupted before the file, or while it was downloaded.
	Skipped State = "skipped"
)

// Outcome is the outcome of one file.
type Outcome struct {
	File  File
	State State
	// Bytes is the file's size; 0 if it is missing.
	Bytes int64
	// SHA256 is the checksum of the file that is there; empty if there is none.
	SHA256 string
	// Err says why, and what to do, if the state is Failed.
	Err error
}

// Missing reports whether the file is absent or has other contents.
func (o *Outcome) Missing() bool { return o.State == Failed || o.State == Skipped }

// maxFile bounds a download and a member of an archive; the largest public file has 4 MB.
const maxFile = 64 << 20

// run is the state of Run.
type run struct {
	o    Options
	http *http.Client
	// archives are the downloaded archives by URL, or their errors.
	archives map[string]archive
	// dead holds the hosts that could not be reached, so that each further file does not wait
	// for all retries.
	dead map[string]bool
}

// Run downloads the files. The outcomes are in the files' order and include failures. An error
// means that the data root cannot be written to, or that ctx ended.
func Run(ctx context.Context, files []File, o Options) ([]Outcome, error) {
	r := &run{o: o, http: o.Client, archives: map[string]archive{}, dead: map[string]bool{}}
	if r.http == nil {
		r.http = NewClient()
	}
	if r.o.Idle == 0 {
		r.o.Idle = 30 * time.Second
	}
	if r.o.Wait == nil {
		r.o.Wait = func(retry int) time.Duration { return min(time.Second<<min(retry-1, 10), 30*time.Second) }
	}
	if err := os.MkdirAll(o.Into, 0o755); err != nil {
		return nil, fmt.Errorf("the data root: %w; choose another folder", err)
	}
	var out []Outcome
	for _, f := range files {
		out = append(out, r.file(ctx, f))
	}
	if ctx.Err() == nil {
		r.forget()
	}
	return out, ctx.Err()
}

// file downloads a file unless it is there already.
func (r *run) file(ctx context.Context, f File) Outcome {
	out := Outcome{File: f, State: Failed}
	target := r.target(f)
	sum, size, err := files.SHA256(target)
	switch {
	case err == nil:
		out.SHA256, out.Bytes = sum, size
		if sum == f.SHA256 {
			out.State = Present
			return out
		}
	case !errors.Is(err, fs.ErrNotExist):
		out.Err = r.byHand(f, err)
		return out
	}
	there := err == nil
	if err = os.MkdirAll(filepath.Dir(target), 0o755); err == nil {
		err = r.bring(ctx, f, target)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		out.State = Skipped
		return out
	case err != nil:
		out.Err = r.byHand(f, err)
		return out
	}
	out.State = Fetched
	if there {
		out.State = Replaced
	}
	if out.SHA256, out.Bytes, err = files.SHA256(target); err != nil {
		out.State, out.Err = Failed, r.byHand(f, err)
	}
	return out
}

func (r *run) target(f File) string { return filepath.Join(r.o.Into, filepath.FromSlash(f.Path)) }

// bring tries the sources in turn. The error joins those of all sources.
func (r *run) bring(ctx context.Context, f File, target string) error {
	sources := f.Sources
	if r.o.BaseURL != "" {
		sources = []Source{{URL: r.mirrored(f)}}
	}
	var failed error
	for _, s := range sources {
		var err error
		if s.Members == nil {
			err = r.direct(ctx, f, s.URL, target)
		} else {
			err = r.member(ctx, f, s, target)
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		failed = errors.Join(failed, fmt.Errorf("%s: %w", s.URL, err))
	}
	return failed
}

// direct downloads a file from its own URL. A continued download with a wrong checksum is
// started again: its beginning may be from an older version.
func (r *run) direct(ctx context.Context, f File, url, target string) error {
	part := target + ".part"
	for {
		continued, err := r.download(ctx, f.Path, url, part)
		if err != nil {
			return err
		}
		if err = keep(part, target, f.SHA256); !errors.Is(err, errChecksum) {
			return err
		}
		if removed := os.Remove(part); removed != nil || !continued {
			return errors.Join(err, removed)
		}
	}
}

// errChecksum: the download has another checksum.
var errChecksum = errors.New("not the published file")

// keep checks a complete download and moves it into place.
func keep(part, target, want string) error {
	got, _, err := files.SHA256(part)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%w: its SHA-256 is %s, not %s", errChecksum, got, want)
	}
	return os.Rename(part, target)
}

// byHand adds to a failure how to fetch the file by hand.
func (r *run) byHand(f File, err error) error {
	from := f.Sources[len(f.Sources)-1].URL // the last source is the file itself, not an archive
	if r.o.BaseURL != "" {
		from = r.mirrored(f)
	}
	return fmt.Errorf("%s: %w\n  by hand: save %s as %s and run fetch again, which checks it; or name a mirror with --base-url", f.Path, err, from, r.target(f))
}

func (r *run) mirrored(f File) string { return strings.TrimSuffix(r.o.BaseURL, "/") + "/" + f.Path }
