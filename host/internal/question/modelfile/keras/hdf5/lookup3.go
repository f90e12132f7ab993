package hdf5

import (
	"encoding/binary"
	"math/bits"
)

// lookup3 is the checksum of version 2 structures: Bob Jenkins' hash of that
// name (hashlittle, initial value 0; burtleburtle.net/bob/c/lookup3.c, public domain).
func lookup3(data []byte) uint32 {
	a := 0xdeadbeef + uint32(len(data))
	b, c := a, a
	for len(data) > 12 {
		a += binary.LittleEndian.Uint32(data)
		b += binary.LittleEndian.Uint32(data[4:])
		c += binary.LittleEndian.Uint32(data[8:])
		a, b, c = lookup3Mix(a, b, c)
		data = data[12:]
	}
	if len(data) == 0 {
		return c
	}
	var last [12]byte
	copy(last[:], data)
	a += binary.LittleEndian.Uint32(last[:])
	b += binary.LittleEndian.Uint32(last[4:])
	c += binary.LittleEndian.Uint32(last[8:])
	return lookup3Final(a, b, c)
}

// In both, the roles of the three words rotate with each step.

func lookup3Mix(a, b, c uint32) (uint32, uint32, uint32) {
	for _, by := range [...]int{4, 6, 8, 16, 19, 4} {
		a -= c
		a ^= bits.RotateLeft32(c, by)
		c += b
		a, b, c = b, c, a
	}
	return a, b, c
}

func lookup3Final(a, b, c uint32) uint32 {
	for _, by := range [...]int{14, 11, 25, 16, 4, 14, 24} {
		c ^= b
		c -= bits.RotateLeft32(b, by)
		a, b, c = b, c, a
	}
	return b
}
