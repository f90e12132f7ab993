//go:build darwin || freebsd || linux || netbsd

package native

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// systemDirs are the folders in which distributions install libraries; lp_solve's is in
// no loader's cache.
var systemDirs = []string{
	"/usr/lib/x86_64-linux-gnu",
	"/usr/lib/aarch64-linux-gnu",
	"/usr/lib",
	"/usr/local/lib",
	"/usr/lib/lp_solve",
}

// dlopen loads a library. It resolves all symbols at once, so that a broken library
// fails here, and keeps them local, so that two C++ libraries do not mix.
func dlopen(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func dlsym(handle uintptr, name string) (uintptr, error) {
	return purego.Dlsym(handle, name)
}

// fileOf asks the loader which file an address of a library belongs to; it returns otherwise if the
// loader does not know.
func fileOf(_, address uintptr, otherwise string) string {
	symbol, err := purego.Dlsym(purego.RTLD_DEFAULT, "dladdr")
	if err != nil {
		return otherwise
	}
	// struct Dl_info of dlfcn.h; the loader owns the strings and does not free them.
	var info struct {
		file    *byte
		base    uintptr
		symbol  *byte
		address uintptr
	}
	var dladdr func(address uintptr, info unsafe.Pointer) int32
	purego.RegisterFunc(&dladdr, symbol)
	if dladdr(address, unsafe.Pointer(&info)) == 0 || info.file == nil {
		return otherwise
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(info.file), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(info.file, n))
}
