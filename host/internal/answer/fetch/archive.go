package fetch

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/hyfair/hyfair/host/internal/system/files"
)

// archive is a zip file's download and its outcome.
type archive struct {
	path string
	err  error
}

// archiveFolder, below the data root, keeps archives until the run ends, so that an interrupted
// download can be continued.
const archiveFolder = ".fetch"

// member extracts a file from an archive, which is downloaded once per run.
func (r *run) member(ctx context.Context, f File, s Source, target string) error {
	a := r.archive(ctx, s.URL)
	if a.err != nil {
		return a.err
	}
	content, err := extract(a.path, s.Members)
	if err != nil {
		return fmt.Errorf("in the archive: %w", err)
	}
	sum := sha256.Sum256(content)
	if got := hex.EncodeToString(sum[:]); got != f.SHA256 {
		return fmt.Errorf("in the archive: %w: its SHA-256 is %s, not %s", errChecksum, got, f.SHA256)
	}
	return files.Write(target, func(file *os.File) error { _, err := file.Write(content); return err })
}

// archive downloads an archive, or returns the outcome of an earlier call. A continued download
// that cannot be read is started again.
func (r *run) archive(ctx context.Context, url string) archive {
	if a, known := r.archives[url]; known {
		return a
	}
	h := fnv.New32a()
	io.WriteString(h, url)
	a := archive{path: filepath.Join(r.o.Into, archiveFolder, fmt.Sprintf("%08x.zip", h.Sum32()))}
	part := a.path + ".part"
	if z, err := zip.OpenReader(a.path); err == nil { // left by an interrupted run
		z.Close()
		r.archives[url] = a
		return a
	}
	for {
		if a.err = os.MkdirAll(filepath.Dir(part), 0o755); a.err != nil {
			break
		}
		var continued bool
		if continued, a.err = r.download(ctx, path.Base(url), url, part); a.err != nil {
			break
		}
		if z, err := zip.OpenReader(part); err == nil {
			z.Close()
		} else {
			a.err = fmt.Errorf("not a zip archive: %w", err)
			if removed := os.Remove(part); removed == nil && continued {
				continue
			}
			break
		}
		a.err = os.Rename(part, a.path)
		break
	}
	if ctx.Err() == nil {
		r.archives[url] = a
	}
	return a
}

// forget removes the complete archives; an incomplete one stays, for the next run to continue.
func (r *run) forget() {
	for _, a := range r.archives {
		if a.err == nil {
			os.Remove(a.path)
		}
	}
	os.Remove(filepath.Join(r.o.Into, archiveFolder)) // fails if it is not empty
}

// extract reads a member of a zip file, through archives inside archives. No file is written
// under a name from the archive. An archive with a name that leads out of its folder, or that
// contains a backslash, is refused, too.
func extract(file string, members []string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var from io.ReaderAt = f
	size := stat.Size()
	var content []byte
	for _, name := range members {
		if content, err = one(from, size, name); err != nil {
			return nil, err
		}
		from, size = bytes.NewReader(content), int64(len(content))
	}
	return content, nil
}

// one extracts a single member of a zip file, of at most maxFile bytes. It refuses an archive in
// which any member's name leads out of the folder or contains a backslash.
func one(from io.ReaderAt, size int64, name string) ([]byte, error) {
	z, err := zip.NewReader(from, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, err
	}
	var found *zip.File
	for _, m := range z.File {
		if clean := strings.TrimSuffix(m.Name, "/"); !filepath.IsLocal(clean) || strings.Contains(clean, `\`) {
			return nil, fmt.Errorf("the archive is refused: its member %q leads out of its folder or contains a backslash", m.Name)
		}
		if m.Name == name && found == nil {
			found = m
		}
	}
	if found == nil {
		return nil, fmt.Errorf("the archive has no member %s", name)
	}
	r, err := found.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(content) > maxFile {
		return nil, fmt.Errorf("%s has more than %d bytes: not the published file", name, maxFile)
	}
	return content, nil
}
