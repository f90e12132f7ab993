// Package fetch brings the public networks and data sets from their homes into
// the data root. Every file is pinned by its SHA-256; what arrives is kept only
// if it is that file. Interrupted downloads are continued by the next run.
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

// Options steer a Run.
type Options struct {
	// Into is the data root.
	Into string
	// BaseURL, where not empty, replaces every home: a mirror laid out like the
	// data root.
	BaseURL string
	// Client, where not nil, replaces NewClient's.
	Client *http.Client
	// Retries after a failure that may pass, each later than the one before.
	// Progress starts the count again.
	Retries int
	// Wait is the pause before a retry, counted from 1; nil: a second, doubling,
	// up to half a minute.
	Wait func(retry int) time.Duration
	// Idle is how long a transfer may stand still; 0: 30 seconds.
	Idle time.Duration
	// Progress, where not nil, is called from the running goroutine.
	Progress func(Progress)
}

// Progress is a glimpse of a download.
type Progress struct {
	// What is downloaded: a file's path, or an archive's name.
	What string
	// Done and Total bytes; Total is −1 where the server does not say.
	Done, Total int64
}

// State is the state of a file after a fetch.
type State string

const (
	// Present means that the file was there already.
	Present State = "present"
	// Fetched means that the file was downloaded.
	Fetched State = "fetched"
	// Replaced means that another file of the name was there, and gave way to the right one.
	Replaced State = "replaced"
	// Failed means that the file could not be downloaded; one of that name that was there still is.
	Failed State = "failed"
	// Skipped means that the run was interrupted before the file, or while it was downloaded.
	Skipped State = "skipped"
)

// Outcome is the outcome of one file.
type Outcome struct {
	File  File
	State State
	// Bytes is its size; 0 where it is missing.
	Bytes int64
	// SHA256 of what is there; empty where nothing is.
	SHA256 string
	// Err says why, and what to do, where the state is Failed.
	Err error
}

// Missing reports that the file is absent or has other content.
func (o *Outcome) Missing() bool { return o.State == Failed || o.State == Skipped }

// maxFile bounds a download and a member of an archive; the largest file here
// has 4 MB.
const maxFile = 64 << 20

// run is one fetch under way.
type run struct {
	o    Options
	http *http.Client
	// archives by URL: fetched, or why not.
	archives map[string]archive
	// dead are the hosts that could not be reached: asking them for every file
	// would take its retries each time.
	dead map[string]bool
}

// Run brings the files. The outcomes are in the files' order; what failed is in
// them. The error is of the whole: the data root cannot be written to, or ctx
// ended.
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

// file brings one file where it is not there yet.
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

// bring tries the sources in turn. The error is of all of them.
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

// direct downloads a file by a URL of its own. A continued download that has
// come out wrong is begun once more: its beginning may have been of another
// time.
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

// errChecksum: what arrived is not the file.
var errChecksum = errors.New("not the published file")

// keep checks a whole download and puts it in its place at once.
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

// byHand adds to a failure what a person can do about it.
func (r *run) byHand(f File, err error) error {
	from := f.Sources[len(f.Sources)-1].URL // a file of its own
	if r.o.BaseURL != "" {
		from = r.mirrored(f)
	}
	return fmt.Errorf("%s: %w\n  by hand: save %s as %s and run fetch again, which checks it; or name a mirror with --base-url", f.Path, err, from, r.target(f))
}

func (r *run) mirrored(f File) string { return strings.TrimSuffix(r.o.BaseURL, "/") + "/" + f.Path }
