package hdf5

// Types of header messages that are looked at ("Disk Format: Level 2A2").
const (
	msgDataspace     = 0x01
	msgLinkInfo      = 0x02
	msgDatatype      = 0x03
	msgLink          = 0x06
	msgExternalFiles = 0x07
	msgLayout        = 0x08
	msgFilters       = 0x0B
	msgAttribute     = 0x0C
	msgContinuation  = 0x10
	msgSymbolTable   = 0x11
	msgAttributeInfo = 0x15
)

const (
	flagShared      = 1 << 1
	flagFailUnknown = 1 << 7

	lastKnownMessage = 0x18
)

// message is one message of an object header; body is a cursor at its start.
type message struct {
	kind  int
	flags uint8
	body  *cursor
}

// header holds the messages of one object.
type header struct {
	address  int64
	messages []message
}

// block is a stretch of messages: what the header begins with, or a continuation.
type block struct {
	address int64
	length  uint64
}

// readHeader reads the messages of the object whose header is at address.
// Each block may occur once, which ends cycles of continuations.
func (f *File) readHeader(address int64) (*header, error) {
	if address == undefined {
		return nil, corrupt(0, "object without a header address")
	}
	if err := f.check(address, 5, "object header"); err != nil {
		return nil, err
	}
	c, err := f.structure(address, 5, "object header")
	if err != nil {
		return nil, err
	}
	h := &header{address: address}
	switch {
	case c.b[0] == 1:
		err = f.readHeader1(h)
	case string(c.b[:4]) == "OHDR" && c.b[4] == 2:
		err = f.readHeader2(h)
	case string(c.b[:4]) == "OHDR":
		err = unsupported(address, "object header version %d is", c.b[4])
	default:
		err = corrupt(address, "no object header here (first byte %#x)", c.b[0])
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (f *File) readHeader1(h *header) error {
	c, err := f.structure(h.address, 16, "object header")
	if err != nil {
		return err
	}
	c.skip(2)
	count := int(c.u16())
	c.skip(4) // reference count
	size := c.u32()
	err = f.eachBlock(block{h.address + 16, uint64(size)}, func(b block) ([]block, error) {
		c, err := f.structure(b.address, b.length, "object header block")
		if err != nil {
			return nil, err
		}
		var more []block
		for c.left() >= 8 {
			m := message{kind: int(c.u16())}
			length := int(c.u16())
			m.flags = c.u8()
			c.skip(3)
			if more, err = h.add(c, m, length, more); err != nil {
				return nil, err
			}
		}
		return more, nil
	})
	if err != nil {
		return err
	}
	if count != len(h.messages) {
		return corrupt(h.address, "object header announces %d messages and has %d", count, len(h.messages))
	}
	return nil
}

func (f *File) readHeader2(h *header) error {
	const prefix = 4 + 1 + 1 + 16 + 4 + 8 // at most
	c, err := f.structure(h.address, min(prefix, uint64(f.limit-h.address)), "object header")
	if err != nil {
		return err
	}
	c.skip(5)
	flags := c.u8()
	if flags&0x20 != 0 {
		c.skip(16) // times
	}
	if flags&0x10 != 0 {
		c.skip(4) // limits of compact attribute storage
	}
	size := c.uint(1 << (flags & 3))
	if err := c.err(); err != nil {
		return err
	}
	start := uint64(c.pos)
	if size > maxStructure {
		return corrupt(h.address, "object header claims %d bytes of messages", size)
	}
	first := block{h.address, start + size + 4}
	return f.eachBlock(first, func(b block) ([]block, error) {
		sign, skip := "OCHK", 4
		if b == first {
			sign, skip = "OHDR", int(start)
		}
		c, err := f.signed(b.address, b.length, sign, "object header block")
		if err != nil {
			return nil, err
		}
		if len(c.b) < skip+4 {
			return nil, corrupt(b.address, "object header block of %d bytes is too small", len(c.b))
		}
		end := len(c.b) - 4
		sum := &cursor{b: c.b, pos: end}
		if stored := sum.u32(); stored != lookup3(c.b[:end]) {
			return nil, corrupt(b.address, "object header checksum %#x does not match its content", stored)
		}
		c.b, c.pos = c.b[:end], skip
		fields := 4
		if flags&0x04 != 0 {
			fields += 2 // creation order
		}
		var more []block
		for c.left() >= fields { // what is left over is a gap
			m := message{kind: int(c.u8())}
			length := int(c.u16())
			m.flags = c.u8()
			c.skip(fields - 4)
			if more, err = h.add(c, m, length, more); err != nil {
				return nil, err
			}
		}
		return more, nil
	})
}

// eachBlock visits a block and the continuations found in it, in order.
func (f *File) eachBlock(first block, visit func(block) ([]block, error)) error {
	seen := map[int64]bool{}
	for queue := []block{first}; len(queue) > 0; queue = queue[1:] {
		b := queue[0]
		if seen[b.address] {
			return corrupt(b.address, "object header continues in a block it already has: a cycle")
		}
		seen[b.address] = true
		more, err := visit(b)
		if err != nil {
			return err
		}
		queue = append(queue, more...)
	}
	return nil
}

// add appends the message whose body of the given length comes next, and
// follows it if it is a continuation.
func (h *header) add(c *cursor, m message, length int, more []block) ([]block, error) {
	m.body = c.sub(length, "header message")
	if err := c.err(); err != nil {
		return nil, err
	}
	if m.kind > lastKnownMessage && m.flags&flagFailUnknown != 0 {
		return nil, unsupported(m.body.at, "header message of type %#x is", m.kind)
	}
	h.messages = append(h.messages, m)
	if m.kind != msgContinuation {
		return more, nil
	}
	next := block{address: m.body.address(), length: m.body.length()}
	return append(more, next), m.body.err()
}

// find gives the only message of a kind, or nil.
func (h *header) find(kind int, what string) (*cursor, error) {
	var found *cursor
	for _, m := range h.messages {
		if m.kind != kind {
			continue
		}
		if found != nil {
			return nil, corrupt(m.body.at, "a second %s message in one object", what)
		}
		if m.flags&flagShared != 0 {
			return nil, unsupported(m.body.at, "a shared %s message is", what)
		}
		body := *m.body
		body.what = what
		found = &body
	}
	return found, nil
}
