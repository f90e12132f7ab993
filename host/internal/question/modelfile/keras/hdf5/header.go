package hdf5

// Types of the header messages that are read ("Disk Format: Level 2A2").
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
	body  cursor
}

// block is a block of messages: the first of the header, or a continuation.
type block struct {
	address int64
	length  uint64
}

// header holds the messages of one object, and the blocks that contain them.
type header struct {
	address  int64
	messages []message
	blocks   []block
}

// readHeader reads the messages of the object whose header is at address.
func (f *file) readHeader(address int64) *header {
	if address == undefined {
		panic(corrupt(0, "object without a header address"))
	}
	h := &header{address: address}
	c := f.structure(address, 5, "object header")
	switch {
	case c.b[0] == 1:
		f.readHeader1(h)
	case string(c.b[:4]) == "OHDR" && c.b[4] == 2:
		f.readHeader2(h)
	case string(c.b[:4]) == "OHDR":
		panic(unsupported(address, "object header version %d is", c.b[4]))
	default:
		panic(corrupt(address, "no object header here (first byte %#x)", c.b[0]))
	}
	return h
}

func (f *file) readHeader1(h *header) {
	c := f.structure(h.address, 16, "object header")
	c.skip(2)
	count := int(c.u16())
	c.skip(4) // reference count
	h.eachBlock(block{h.address + 16, uint64(c.u32())}, func(b block) {
		c := f.structure(b.address, b.length, "object header block")
		for c.left() >= 8 {
			kind, length, flags := int(c.u16()), int(c.u16()), c.u8()
			c.skip(3)
			h.add(kind, flags, c.sub(length, "header message"))
		}
	})
	if count != len(h.messages) {
		panic(corrupt(h.address, "object header announces %d messages, but has %d", count, len(h.messages)))
	}
}

func (f *file) readHeader2(h *header) {
	const prefix = 4 + 1 + 1 + 16 + 4 + 8 // at most
	c := f.structure(h.address, min(prefix, uint64(f.limit-h.address)), "object header")
	c.skip(5)
	flags := c.u8()
	if flags&0x20 != 0 {
		c.skip(16) // times
	}
	if flags&0x10 != 0 {
		c.skip(4) // limits of compact attribute storage
	}
	size := c.uint(1 << (flags & 3))
	if size > maxStructure {
		panic(corrupt(h.address, "object header claims %d bytes of messages, at most %d are supported", size, maxStructure))
	}
	first := block{h.address, uint64(c.pos) + size + 4}
	start := c.pos
	h.eachBlock(first, func(b block) {
		sign, skip := "OCHK", 4
		if b == first {
			sign, skip = "OHDR", start
		}
		c := f.signed(b.address, b.length, sign, "object header block")
		end := len(c.b) - 4
		if end < skip {
			panic(corrupt(b.address, "object header block of %d bytes, want at least %d", len(c.b), skip+4))
		}
		sum := cursor{b: c.b, pos: end}
		if stored := sum.u32(); stored != lookup3(c.b[:end]) {
			panic(corrupt(b.address, "object header checksum %#x does not match its content", stored))
		}
		c.b, c.pos = c.b[:end], skip
		fields := 4
		if flags&0x04 != 0 {
			fields += 2 // creation order
		}
		for c.left() >= fields { // a shorter rest is a gap
			kind, length, flags := int(c.u8()), int(c.u16()), c.u8()
			c.skip(fields - 4)
			h.add(kind, flags, c.sub(length, "header message"))
		}
	})
}

// eachBlock visits a block and its continuations, in order. A block that occurs twice, as in a
// cycle, is a fault.
func (h *header) eachBlock(first block, visit func(block)) {
	seen := map[int64]bool{}
	h.blocks = []block{first}
	for i := 0; i < len(h.blocks); i++ {
		b := h.blocks[i]
		if seen[b.address] {
			panic(corrupt(b.address, "object header reaches this block twice: a cycle, or two equal continuations"))
		}
		seen[b.address] = true
		visit(b)
	}
}

// add appends a message, and the block it names if it is a continuation.
func (h *header) add(kind int, flags uint8, body *cursor) {
	if kind > lastKnownMessage && flags&flagFailUnknown != 0 {
		panic(unsupported(body.at, "header message of type %#x is", kind))
	}
	h.messages = append(h.messages, message{kind, flags, *body})
	if kind == msgContinuation {
		h.blocks = append(h.blocks, block{body.address(), body.length()})
	}
}

// find returns the only message of a kind, or nil.
func (h *header) find(kind int, what string) (found *cursor) {
	for _, m := range h.messages {
		if m.kind != kind {
			continue
		}
		if found != nil {
			panic(corrupt(m.body.at, "a second %s message in one object", what))
		}
		if m.flags&flagShared != 0 {
			panic(unsupported(m.body.at, "a shared %s message is", what))
		}
		found = &m.body
		found.what = what
	}
	return found
}
