// Package hdf5 reads the part of HDF5 that h5py, and so Keras, writes for a
// saved network: groups, string attributes and floating-point data sets. It is
// pure Go and safe for files from untrusted sources.
//
// Supported:
//   - superblock versions 0 to 3, at the start of the file, offsets and lengths of 8 bytes;
//   - object headers version 1 and 2, with continuation blocks;
//   - groups whose members are in a symbol table (version 1 B-tree, local heap)
//     or in link messages of the header;
//   - attributes (versions 1 to 3) holding strings of fixed or variable length,
//     scalar or arrays;
//   - data sets of IEEE float32 and float64, either byte order, stored compact,
//     contiguous, or in chunks under a version 1 B-tree, with the filters
//     deflate, shuffle and fletcher32.
//
// Everything else is refused by name, with the object's path and the offset in
// the file: an Error for which errors.Is(err, ErrUnsupported) holds.
//
// Time and memory are bounded before anything is allocated. A structure is
// never larger than the file; all reading together is limited to a multiple of
// the file's size, so overlapping structures gain nothing; a compressed chunk
// may not claim more than deflate can expand it to; and all data sets together
// hold at most MaxElements numbers. Cycles are errors. Inside the package a
// fault is a panic with an *Error; exported functions panic with a fault of a
// model file, with the object's path (see located).
//
// The layout of every structure follows the "HDF5 File Format Specification
// Version 3.0" by The HDF Group.
package hdf5
