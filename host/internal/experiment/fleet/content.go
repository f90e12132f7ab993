package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/hyfair/hyfair/host/internal/system/files"
)

// summed wraps a reader, and returns a function that gives the SHA-256 of the bytes read so far.
func summed(in io.Reader) (_ io.Reader, sum func() string) {
	hash := sha256.New()
	return io.TeeReader(in, hash), func() string { return hex.EncodeToString(hash.Sum(nil)) }
}

// cache keeps files in a folder, named by their SHA-256.
type cache struct {
	dir string
	js  jetstream.JetStream
}

// unused is the time after its last use at which prune removes a file.
const unused = 30 * 24 * time.Hour

// prune removes files that were last used more than unused ago.
func (c *cache) prune() error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && isSum(e.Name()) && info.Mode().IsRegular() && time.Since(info.ModTime()) > unused {
			os.Remove(filepath.Join(c.dir, e.Name())) // another worker may have removed it
		}
	}
	return nil
}

// get returns the path of a file's copy, downloading it if absent. The sum is verified on
// each call.
func (c *cache) get(ctx context.Context, f file) (string, error) {
	path := filepath.Join(c.dir, f.SHA256)
	if sum, size, err := files.SHA256(path); err == nil && sum == f.SHA256 && size == f.Size {
		now := time.Now()
		os.Chtimes(path, now, now) // prune reads it
		return path, nil
	}
	store, err := c.js.ObjectStore(ctx, contentBucket)
	if err != nil {
		return "", err
	}
	info, err := store.GetInfo(ctx, f.SHA256)
	if err != nil {
		return "", err
	}
	if info.Size != uint64(f.Size) {
		return "", fmt.Errorf("file %s in the fleet's queue has %d bytes, want %d", f.SHA256, info.Size, f.Size)
	}
	stream, err := c.js.Stream(ctx, "OBJ_"+contentBucket)
	if err != nil {
		return "", err
	}
	return path, files.Write(path, func(to *os.File) error {
		in, sum := summed(&chunks{ctx: ctx, stream: stream, subject: "$O." + contentBucket + ".C." + info.NUID, left: f.Size})
		if _, err := io.Copy(to, in); err != nil {
			return err
		}
		if sum() != f.SHA256 {
			return fmt.Errorf("file %s in the fleet's queue is damaged: its SHA-256 is %s", f.SHA256, sum())
		}
		return nil
	})
}

// chunks reads an object's messages directly. The library's reader creates a consumer, which
// a worker may not: a consumer could have the server publish to any subject.
type chunks struct {
	ctx     context.Context
	stream  jetstream.Stream
	subject string
	next    uint64
	have    []byte
	left    int64
}

// Read implements io.Reader.
func (c *chunks) Read(to []byte) (int, error) {
	for len(c.have) == 0 {
		if c.left == 0 {
			return 0, io.EOF
		}
		m, err := c.stream.GetMsg(c.ctx, max(1, c.next), jetstream.WithGetMsgSubject(c.subject))
		if err != nil {
			return 0, err
		}
		if int64(len(m.Data)) > c.left {
			return 0, errors.New("the file in the fleet's queue is longer than its task says")
		}
		c.have, c.next, c.left = m.Data, m.Sequence+1, c.left-int64(len(m.Data))
	}
	n := copy(to, c.have)
	c.have = c.have[n:]
	return n, nil
}
