package people

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

const (
	// The memory for the messages of an Arrow file is at most arrowBase + arrowTimes × its size in bytes.
	arrowBase  = 64 << 20
	arrowTimes = 16
)

// arrowMemory allocates for arrow-go. Beyond its limit it panics with the error exceeded.
type arrowMemory struct{ left, limit int64 }

func newArrowMemory(size int64) *arrowMemory {
	limit := arrowBase + arrowTimes*size
	return &arrowMemory{limit, limit}
}

// exceeded is the error of a file that needs more memory than its size allows.
func (m *arrowMemory) exceeded() error {
	return fmt.Errorf("a batch of its rows needs more than %d bytes, the maximum for a file of this size: it is damaged, or write smaller batches", m.limit)
}

// Allocate returns size bytes.
func (m *arrowMemory) Allocate(size int) []byte {
	if size < 0 || int64(size) > m.left {
		panic(m.exceeded())
	}
	m.left -= int64(size)
	return memory.DefaultAllocator.Allocate(size)
}

// Reallocate returns size bytes that begin as b.
func (m *arrowMemory) Reallocate(size int, b []byte) []byte {
	out := m.Allocate(size)
	copy(out, b)
	m.Free(b)
	return out
}

// Free counts b as free. The garbage collector frees it.
func (m *arrowMemory) Free(b []byte) { m.left += int64(len(b)) }

// arrowMessages reads the messages of an Arrow stream for arrow-go, which trusts what they claim: it allocates by
// the lengths in their descriptions, and its zstd decoder by the window of a frame. Each message is decompressed
// and checked here before arrow-go sees it.
type arrowMessages struct {
	file   io.ReaderAt
	src    io.Reader
	left   int64  // the bytes of src not yet read
	schema []byte // in a file, the message of its columns, until it is read
	// blocks are the messages of a file that are not yet read; nil in a stream.
	blocks []arrowBlock
	mem    *arrowMemory
	last   *ipc.Message
	zstd   *zstd.Decoder
	// err is what was wrong with a message, refused what hyfair does not read in an intact file.
	err, refused error
	columns      int            // the number of columns, after the schema
	views        int            // the columns of texts as views
	dictionaries map[int64]bool // by number, whether the texts of a dictionary are views
	seen         map[int64]bool // in a file, the dictionaries that were read
}

// Retain does nothing; the messages are used by one reader.
func (m *arrowMessages) Retain() {}

// Release does nothing.
func (m *arrowMessages) Release() {}

// Message returns the next message, valid until the next call, or io.EOF.
func (m *arrowMessages) Message() (out *ipc.Message, err error) {
	defer func() {
		if p := asError(recover()); p != nil {
			err = p
		}
		if err != nil && err != io.EOF { //nolint:errorlint // only the end itself is the end
			m.err = err
		}
	}()
	if m.last != nil {
		m.last.Release()
		m.last = nil
	}
	meta, body, err := m.read()
	if err != nil {
		return nil, err
	}
	defer func() { body.Release() }()
	if data, ok := flatBatch(flatRoot(meta)); ok {
		if compression, ok := data.table(3); ok {
			inflated, err := m.inflate(data, compression, body.Bytes())
			if err != nil {
				return nil, err
			}
			body.Release()
			body = inflated
		}
	}
	// The checks come last: in a damaged message, the lengths that inflate writes may overlap anything.
	if err := m.check(flatRoot(meta), body.Bytes()); err != nil {
		return nil, err
	}
	m.last = ipc.NewMessage(memory.NewBufferBytes(meta), body)
	return m.last, nil
}

// arrowBlock is the place of a message in a file.
type arrowBlock struct {
	kind       byte
	from, size int64
}

// readFooter reads the places of a file's messages. Only its footer counts: polars writes no message of the columns.
func (m *arrowMessages) readFooter(size int64) error {
	var end [4 + len(arrowMagic)]byte // the length of the footer, and the magic bytes
	if _, err := m.file.ReadAt(end[:], max(0, size-int64(len(end)))); err != nil || string(end[4:]) != arrowMagic {
		return errors.New("it does not end as an Arrow file: it is cut off")
	}
	n := int64(binary.LittleEndian.Uint32(end[:]))
	if n > maxFooterBytes {
		return fmt.Errorf("its description has %d bytes, at most %d are supported", n, maxFooterBytes)
	}
	const first = 8 // the magic bytes are padded
	to := size - int64(len(end)) - n
	if to < first {
		return errArrowCut
	}
	footer := make([]byte, n)
	if _, err := m.file.ReadAt(footer, to); err != nil {
		return err
	}
	root := flatRoot(footer)
	schema, ok := root.table(1)
	if !ok {
		return errors.New("it does not describe its columns")
	}
	m.blocks = []arrowBlock{}
	left := to - first                                         // the messages do not overlap
	for _, kind := range []byte{arrowDictionary, arrowBatch} { // in the footer, fields 2 and 3
		n, start := root.vector(int(kind), 24)
		for i := range n {
			at := start + flatbuffers.UOffsetT(24*i)
			from, meta, body := root.GetInt64(at), int64(root.GetInt32(at+8)), root.GetInt64(at+16)
			if from < first || from > to || meta < 0 || body < 0 || body > to || meta+body > to-from {
				return fmt.Errorf("a message claims %d and %d bytes from byte %d on, in a file of %d", meta, body, from, size)
			}
			if left -= meta + body; left < 0 {
				return errors.New("its messages overlap")
			}
			m.blocks = append(m.blocks, arrowBlock{kind, from, meta + body})
		}
	}
	// A message whose header is the footer's description of the columns: a flatbuffer of the offset of its table,
	// the table's layout, and the table, before the footer.
	message := [32]byte{0: 16, 4: 10, 6: 12, 10: 4, 12: 8, 16: 12, 20: arrowSchema}
	binary.LittleEndian.PutUint32(message[24:], uint32(len(message)-24)+uint32(schema.Pos))
	m.schema = append(message[:], footer...)
	return nil
}

// begin reads messages from a place of the file on.
func (m *arrowMessages) begin(from, size int64) {
	m.src, m.left = bufio.NewReader(io.NewSectionReader(m.file, from, size)), size
}

// read returns the description of the next message, and the values after it.
func (m *arrowMessages) read() (meta []byte, body *memory.Buffer, err error) {
	body = memory.NewResizableBuffer(m.mem)
	var want byte // the kind of the message; 0: any
	if m.blocks != nil {
		if m.schema != nil {
			meta, m.schema = m.schema, nil
			return meta, body, nil
		}
		if len(m.blocks) == 0 {
			return nil, nil, io.EOF
		}
		m.begin(m.blocks[0].from, m.blocks[0].size)
		want, m.blocks = m.blocks[0].kind, m.blocks[1:]
	}
	if m.blocks == nil && m.left == 0 {
		return nil, nil, errors.New("it ends without the mark of a stream's end: it is cut off, or its writer was not closed")
	}
	var head [8]byte
	if err := m.fill(head[:]); err != nil {
		return nil, nil, err
	}
	if string(head[:4]) != arrowMessage {
		return nil, nil, fmt.Errorf("a message begins with %x, want %x: it is damaged, or older than Arrow 0.15", head[:4], arrowMessage)
	}
	length := int64(binary.LittleEndian.Uint32(head[4:]))
	switch {
	case length == 0 && m.blocks != nil:
		return nil, nil, errors.New("it ends before its last rows")
	case length == 0 && m.left > 0:
		return nil, nil, fmt.Errorf("%d bytes follow its end", m.left)
	case length == 0:
		return nil, nil, io.EOF
	case length > m.left:
		return nil, nil, errArrowCut
	case length > maxFooterBytes:
		return nil, nil, fmt.Errorf("the description of a message has %d bytes, at most %d are supported", length, maxFooterBytes)
	}
	meta = make([]byte, length)
	if err := m.fill(meta); err != nil {
		return nil, nil, err
	}
	n := flatRoot(meta).int64(3)
	if n < 0 || n > m.left {
		return nil, nil, fmt.Errorf("a message claims %d bytes of values, where %d are left: it is damaged or cut off", n, m.left)
	}
	if kind := flatRoot(meta).byte(1); want != 0 && kind != want {
		return nil, nil, fmt.Errorf("a message is of kind %d, want %d", kind, want)
	}
	body.Resize(int(n))
	return meta, body, m.fill(body.Bytes())
}

// fill reads all of p.
func (m *arrowMessages) fill(p []byte) error {
	if int64(len(p)) > m.left {
		return errArrowCut
	}
	m.left -= int64(len(p))
	if _, err := io.ReadFull(m.src, p); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errArrowCut
	} else if err != nil {
		return err
	}
	return nil
}

// stored marks the values of a compressed message that are not compressed.
const stored = ^uint64(0)

// inflate returns the values of a compressed message as stored ones, and adapts their places in its description.
func (m *arrowMessages) inflate(data, compression flat, body []byte) (*memory.Buffer, error) {
	n, start := data.vector(2, 16)
	total := int64(0)
	size := make([]int64, n)
	for i := range size {
		in, err := data.buffer(start, i, body)
		if err != nil {
			return nil, err
		}
		if len(in) == 0 {
			continue
		}
		if len(in) < 8 {
			return nil, errArrowCut
		}
		if size[i] = int64(binary.LittleEndian.Uint64(in)); size[i] == -1 {
			size[i] = int64(len(in)) - 8
		}
		if size[i] < 0 || size[i] > m.mem.left-total {
			return nil, m.mem.exceeded()
		}
		total += 8 + (size[i]+7)/8*8
	}
	out := memory.NewResizableBuffer(m.mem)
	out.Resize(int(total))
	at := int64(0)
	for i := range size {
		in, err := data.buffer(start, i, body)
		if err != nil {
			return nil, err
		}
		place := data.Bytes[int(start)+16*i:]
		binary.LittleEndian.PutUint64(place, uint64(at))
		if len(in) == 0 {
			continue
		}
		claimed := binary.LittleEndian.Uint64(in)
		binary.LittleEndian.PutUint64(out.Bytes()[at:], stored)
		to := out.Bytes()[at+8 : at+8+size[i] : at+8+size[i]]
		if claimed == stored {
			copy(to, in[8:])
		} else if err := m.decompress(to, in[8:], compression.byte(0)); err != nil {
			return nil, err
		}
		binary.LittleEndian.PutUint64(place[8:], uint64(8+size[i]))
		at += 8 + (size[i]+7)/8*8
	}
	return out, nil
}

// decompress fills out with what a buffer holds.
func (m *arrowMessages) decompress(out, in []byte, codec byte) (err error) {
	switch codec {
	case 0: // an LZ4 frame, whose blocks have at most 8 MiB
		r := lz4.NewReader(bytes.NewReader(in))
		if _, err := io.ReadFull(r, out); err != nil {
			return fmt.Errorf("LZ4: %w", err)
		}
		if n, err := r.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) { // the end checks the frame's checksum
			return fmt.Errorf("LZ4: more than %d bytes: %w", len(out), errors.Join(err, errArrowCut))
		}
	case 1:
		if m.zstd == nil {
			if m.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true)); err != nil {
				return err
			}
		}
		if got, err := m.zstd.DecodeAll(in, out[:0]); err != nil || len(got) != len(out) {
			return fmt.Errorf("a Zstandard buffer: got %d bytes, want %d: %w", len(got), len(out), errors.Join(err, errArrowCut))
		}
	default:
		return fmt.Errorf("it is compressed with codec %d, want LZ4, Zstandard or no compression", codec)
	}
	return nil
}

// The kinds of messages.
const (
	arrowSchema = 1 + iota
	arrowDictionary
	arrowBatch
)

// flatBatch returns the description of the values of a message that has some.
func flatBatch(message flat) (data flat, ok bool) {
	header, ok := message.table(2)
	switch message.byte(1) {
	case arrowBatch:
		return header, ok
	case arrowDictionary:
		return header.table(1)
	}
	return flat{}, false
}

// check returns an error for a message that claims what it cannot hold.
func (m *arrowMessages) check(message flat, body []byte) error {
	budget := len(message.Bytes)
	if err := message.checkNotes(4, &budget); err != nil {
		return err
	}
	header, ok := message.table(2)
	kind := message.byte(1)
	switch {
	case !ok:
		return errors.New("a message is empty")
	case kind == arrowSchema && m.dictionaries == nil:
		m.refused = m.checkSchema(header, &budget)
		return m.refused
	case kind != arrowDictionary && kind != arrowBatch || m.dictionaries == nil:
		return fmt.Errorf("a message of kind %d is out of place", kind)
	}
	data, ok := flatBatch(message)
	if !ok {
		return errors.New("a message has no values")
	}
	columns, views := m.columns, m.views
	if kind == arrowDictionary {
		view, ok := m.dictionaries[header.int64(0)]
		if !ok || header.byte(2) != 0 {
			return errors.New("categories of no column, or categories that grow from batch to batch: write it without dictionary deltas")
		}
		if id := header.int64(0); m.blocks != nil {
			if m.seen[id] { // all are read before the first rows, so that the last would hold for all rows
				return errors.New("a column has several lists of categories, which are read in streams only: write it with one")
			}
			if m.seen == nil {
				m.seen = map[int64]bool{}
			}
			m.seen[id] = true
		}
		if columns, views = 1, 0; view {
			views = 1
		}
	}
	return data.checkValues(columns, views, body)
}

// arrowOther names the types without a cell, by their number in the format.
var arrowOther = map[byte]string{
	4: "binary", 9: "time", 11: "interval", 12: "list", 13: "struct", 14: "union", 15: "fixed-size binary",
	16: "fixed-size list", 17: "map", 18: "duration", 19: "large binary", 21: "large list", 22: "run-end encoded",
	23: "binary view", 25: "list view", 26: "large list view",
}

// checkSchema reads the description of the columns. budget is the number of bytes that its texts may have: in an
// intact file no two overlap.
func (m *arrowMessages) checkSchema(schema flat, budget *int) error {
	if schema.byte(0) != 0 {
		return errors.New("its numbers are big-endian, want little-endian")
	}
	n, start := schema.vector(1, 4)
	if n > MaxColumns {
		return fmt.Errorf("the file has %d columns, at most %d are supported", n, MaxColumns)
	}
	if err := schema.checkNotes(2, budget); err != nil {
		return err
	}
	m.columns, m.dictionaries = n, map[int64]bool{}
	for i := range n {
		field := schema.element(start, i)
		name, err := field.text(0, budget)
		if err != nil {
			return err
		}
		kind := field.byte(2)
		described, ok := field.table(3)
		if !ok {
			return fmt.Errorf("column %s has no type", quote(name))
		}
		other := arrowOther[kind]
		if children, _ := field.vector(5, 4); other == "" && children > 0 {
			other = "nested"
		}
		if kind == 3 && described.byte(0) == 0 {
			other = "float16"
		}
		if other != "" {
			return unreadable(name, other)
		}
		if kind == 10 {
			if _, err := described.text(1, budget); err != nil { // the time zone
				return err
			}
		}
		if err := field.checkNotes(6, budget); err != nil {
			return err
		}
		const view = 24
		if dictionary, ok := field.table(4); ok {
			m.dictionaries[dictionary.int64(0)] = kind == view
		} else if kind == view {
			m.views++
		}
	}
	return nil
}

// checkNotes checks a list of pairs of texts.
func (t flat) checkNotes(field int, budget *int) error {
	n, start := t.vector(field, 4)
	*budget -= 4 * n
	for i := range n {
		pair := t.element(start, i)
		for half := range 2 {
			if _, err := pair.text(half, budget); err != nil {
				return err
			}
		}
	}
	return nil
}

// buffer returns the values at a place that a message describes.
func (t flat) buffer(start flatbuffers.UOffsetT, i int, body []byte) ([]byte, error) {
	at := start + flatbuffers.UOffsetT(16*i)
	from, n := t.GetInt64(at), t.GetInt64(at+8)
	if from < 0 || from%8 != 0 || n < 0 || from > int64(len(body)) || n > int64(len(body))-from {
		return nil, fmt.Errorf("a column claims %d bytes from byte %d on, in a message of %d", n, from, len(body))
	}
	return body[from : from+n], nil
}

// checkValues checks the description of the rows in body, or of the categories.
func (t flat) checkValues(columns, views int, body []byte) error {
	rows := t.int64(0)
	if rows < 0 || rows > 8*int64(len(body)) { // of a boolean column, a byte holds 8 rows
		return fmt.Errorf("a message claims %d rows in %d bytes", rows, len(body))
	}
	nodes, start := t.vector(1, 16)
	if nodes != columns {
		return fmt.Errorf("a message has %d columns, want %d", nodes, columns)
	}
	for i := range nodes {
		at := start + flatbuffers.UOffsetT(16*i)
		if n, nulls := t.GetInt64(at), t.GetInt64(at+8); n != rows || nulls < 0 || nulls > n {
			return fmt.Errorf("column %d of a message claims %d rows and %d nulls, want %d rows", i+1, n, nulls, rows)
		}
	}
	_, compressed := t.table(3)
	buffers, start := t.vector(2, 16)
	for i := range buffers {
		values, err := t.buffer(start, i, body)
		if err != nil {
			return err
		}
		if compressed && len(values) > 0 && (len(values) < 8 || binary.LittleEndian.Uint64(values) != stored) {
			return errors.New("compressed values overlap")
		}
	}
	counts, start := t.vector(4, 8)
	if counts != views {
		return fmt.Errorf("a message has %d columns of views, want %d", counts, views)
	}
	for i := range counts {
		if n := t.GetInt64(start + flatbuffers.UOffsetT(8*i)); n < 0 || n > int64(buffers) {
			return fmt.Errorf("a column claims %d buffers, the message has %d", n, buffers)
		}
	}
	return nil
}
