package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// NewClient returns an HTTP client that respects the proxy variables of the environment,
// follows redirects but never from https to http, and gives up on servers that do not begin to
// answer.
func NewClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = http.ProxyFromEnvironment
	transport.ResponseHeaderTimeout = 30 * time.Second
	return &http.Client{
		Transport: transport,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			switch {
			case len(via) >= 10:
				return errors.New("more than ten redirects")
			case via[0].URL.Scheme == "https" && req.URL.Scheme != "https":
				return fmt.Errorf("redirected to %s, away from https", req.URL.Redacted())
			}
			return nil
		},
	}
}

// permanent marks a failure that a retry cannot cure.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// later marks a failure after which the server may ask for a pause.
type later struct {
	error
	after time.Duration
}

func (l later) Unwrap() error { return l.error }

// maxTransfers bounds the requests for one file, even if each makes progress.
const maxTransfers = 200

// longestPause bounds what a server's Retry-After can ask for.
const longestPause = time.Minute

// download downloads a URL to the file part, and continues an existing part. continued reports
// whether part existed before.
func (r *run) download(ctx context.Context, what, from, part string) (continued bool, err error) {
	u, err := url.Parse(from)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false, fmt.Errorf("%q is not an http or https URL", from)
	}
	if r.dead[u.Host] {
		return false, fmt.Errorf("%s could not be reached earlier in this run", u.Host)
	}
	continued = size(part) > 0
	for retry, transfers := 1, 1; ; retry, transfers = retry+1, transfers+1 {
		before := size(part)
		err := r.transfer(ctx, what, from, part)
		if err == nil {
			return continued, nil
		}
		if ctx.Err() != nil {
			return continued, ctx.Err()
		}
		var lasting permanent
		if errors.As(err, &lasting) {
			return continued, err
		}
		if size(part) > before {
			retry = 1
		}
		if retry > r.o.Retries || transfers >= maxTransfers {
			r.dead[u.Host] = unreachable(err)
			return continued, fmt.Errorf("%w (tries: %d)", err, transfers)
		}
		pause := r.o.Wait(retry)
		var asked later
		if errors.As(err, &asked) && asked.after > pause {
			pause = min(asked.after, longestPause)
		}
		select {
		case <-ctx.Done():
			return continued, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// unreachable reports whether no connection to the host was possible.
func unreachable(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial"
}

func size(path string) int64 {
	if stat, err := os.Stat(path); err == nil {
		return stat.Size()
	}
	return 0
}

// transfer makes one request. Without an error, part is complete.
func (r *run) transfer(ctx context.Context, what, from, part string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(r.o.Idle, func() { cancel(fmt.Errorf("nothing arrived for %v", r.o.Idle)) })
	defer idle.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return permanent{err}
	}
	have := size(part)
	req.Header.Set("User-Agent", "hyfair")
	req.Header.Set("Accept-Encoding", "identity") // ranges and checksums are those of the uncompressed file
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	resp, err := r.http.Do(req)
	if err != nil {
		return cause(ctx, err)
	}
	defer resp.Body.Close()
	begin, total, err := begins(resp, have)
	if errors.Is(err, errWhole) {
		return nil
	}
	if errors.Is(err, errRange) {
		if err := os.Remove(part); err != nil {
			return permanent{err}
		}
		return err
	}
	if err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE
	if begin == 0 {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(part, flags, 0o644)
	if err != nil {
		return permanent{err}
	}
	_, err = f.Seek(begin, io.SeekStart)
	if err == nil {
		err = r.copy(ctx, f, resp.Body, idle, Progress{What: what, Done: begin, Total: total})
	}
	if closed := f.Close(); err == nil && closed != nil {
		err = permanent{closed}
	}
	return err
}

var (
	// errWhole: the part was complete already.
	errWhole = errors.New("nothing is missing")
	// errRange: the part does not match the file, and the download must start again.
	errRange = errors.New("the server's reply does not continue the partial download")
)

// begins reads at which byte the response's body begins, and the length of the file; −1 if it
// is not given.
func begins(resp *http.Response, have int64) (begin, total int64, err error) {
	status := fmt.Errorf("the server answers %s", resp.Status)
	switch resp.StatusCode {
	case http.StatusOK:
		return 0, resp.ContentLength, nil
	case http.StatusPartialContent:
		first, whole, ok := contentRange(resp.Header.Get("Content-Range"))
		if !ok || first != have {
			return 0, 0, errRange
		}
		return have, whole, nil
	case http.StatusRequestedRangeNotSatisfiable:
		if whole, ok := strings.CutPrefix(resp.Header.Get("Content-Range"), "bytes */"); ok && whole == strconv.FormatInt(have, 10) {
			return 0, 0, errWhole
		}
		if have == 0 {
			return 0, 0, permanent{status}
		}
		return 0, 0, errRange
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return 0, 0, later{status, retryAfter(resp)}
	}
	if resp.StatusCode >= 500 {
		return 0, 0, later{status, retryAfter(resp)}
	}
	return 0, 0, permanent{status}
}

func retryAfter(resp *http.Response) time.Duration {
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 3600)) * time.Second
}

// contentRange reads "bytes first-last/whole"; whole is −1 for *.
func contentRange(text string) (first, whole int64, ok bool) {
	span, end, found := strings.Cut(strings.TrimPrefix(text, "bytes "), "/")
	from, _, dash := strings.Cut(span, "-")
	first, err := strconv.ParseInt(from, 10, 64)
	if !found || !dash || err != nil {
		return 0, 0, false
	}
	if whole, err = strconv.ParseInt(end, 10, 64); err != nil || whole < 0 {
		whole = -1
	}
	return first, whole, true
}

// copy writes the body to the file and compares its length with the announced one. An error of
// the disk is permanent, one of the network is not.
func (r *run) copy(ctx context.Context, f *os.File, body io.Reader, idle *time.Timer, p Progress) error {
	buffer := make([]byte, 64<<10)
	for {
		n, err := body.Read(buffer)
		if n > 0 {
			idle.Reset(r.o.Idle)
			if p.Done+int64(n) > maxFile {
				return permanent{fmt.Errorf("more than %d bytes arrived: not the published file", maxFile)}
			}
			if _, err := f.Write(buffer[:n]); err != nil {
				return permanent{err}
			}
			p.Done += int64(n)
			if r.o.Progress != nil {
				r.o.Progress(p)
			}
		}
		switch {
		case err == io.EOF && p.Total >= 0 && p.Done < p.Total:
			return fmt.Errorf("the connection ended after %d of %d bytes", p.Done, p.Total)
		case err == io.EOF:
			return nil
		case err != nil:
			return cause(ctx, err)
		}
	}
}

// cause returns why a request ended: a timeout, or the error without the URL.
func cause(ctx context.Context, err error) error {
	if why := context.Cause(ctx); why != nil && !errors.Is(why, context.Canceled) {
		return why
	}
	var request *url.Error
	if errors.As(err, &request) {
		return request.Err // callers name the URL
	}
	return err
}
