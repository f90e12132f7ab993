package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Group is a control group with a limit of memory.
type Group struct{ path string }

// made counts the groups, whose names contain it and this process's number.
var made atomic.Int64

const ours = "hyfair-"

// New creates a group with a limit in bytes. The error says why none can be created.
func New(limit int64) (*Group, error) {
	under, err := home()
	if err != nil {
		return nil, err
	}
	g := &Group{filepath.Join(under, fmt.Sprintf("%s%d-%d", ours, os.Getpid(), made.Add(1)))}
	if err := os.Mkdir(g.path, 0o755); err != nil {
		return nil, err
	}
	err = g.write("memory.max", strconv.FormatInt(limit, 10))
	if swap := g.write("memory.swap.max", "0"); !errors.Is(swap, os.ErrNotExist) { // a system without swap has no such limit
		err = errors.Join(err, swap)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(g.path))
	}
	return g, nil
}

func (g *Group) write(name, text string) error { return write(g.path, name, text) }

// write writes to an existing file.
func write(folder, name, text string) error {
	f, err := os.OpenFile(filepath.Join(folder, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// Take moves a process into the group; processes that it starts later join it, too.
func (g *Group) Take(pid int) error { return g.write("cgroup.procs", strconv.Itoa(pid)) }

// emptying bounds the time in which killed processes of a group must end.
const emptying = 2 * time.Second

// Close kills the remaining processes of the group, removes it, and returns its usage.
func (g *Group) Close() Use {
	var u Use
	u.Peak, _ = strconv.ParseInt(strings.TrimSpace(read(g.path, "memory.peak")), 10, 64)
	for line := range strings.Lines(read(g.path, "memory.events")) {
		if n, ok := strings.CutPrefix(line, "oom_kill "); ok {
			u.Killed, _ = strconv.Atoi(strings.TrimSpace(n))
		}
	}
	for line := range strings.Lines(read(g.path, "cpu.stat")) {
		if n, ok := strings.CutPrefix(line, "usage_usec "); ok {
			used, _ := strconv.ParseInt(strings.TrimSpace(n), 10, 64)
			u.CPU = time.Duration(used) * time.Microsecond
		}
	}
	_ = g.write("cgroup.kill", "1") // since Linux 5.14; plugins end with their worker anyway
	for end := time.Now().Add(emptying); ; time.Sleep(time.Millisecond) {
		if err := os.Remove(g.path); !errors.Is(err, syscall.EBUSY) || time.Now().After(end) {
			return u // the next process here removes a group that stays, once it is empty
		}
	}
}

func read(folder, name string) string {
	text, _ := os.ReadFile(filepath.Join(folder, name))
	return string(text)
}

// home returns the group under which groups with a limit of memory can be created.
var home = sync.OnceValues(func() (string, error) {
	mount, own, err := mounted(read("/proc/self", "mountinfo"), read("/proc/self", "cgroup"))
	if err != nil {
		return "", err
	}
	path, err := open(mount, own)
	if err == nil {
		sweep(path)
	}
	return path, err
})

// mounted returns the mount point of version 2 and this process's group in it, from the
// texts of files in /proc/self.
func mounted(mounts, groups string) (mount, own string, err error) {
	root := ""
	for line := range strings.Lines(mounts) {
		// number parent device root mount options … - type source options
		fields := strings.Fields(line)
		for i, f := range fields {
			if f == "-" && i >= 5 && i+1 < len(fields) && fields[i+1] == "cgroup2" {
				root, mount = fields[3], fields[4]
			}
		}
	}
	if mount == "" {
		return "", "", errors.New("control groups of version 2 are not mounted")
	}
	for line := range strings.Lines(groups) {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			own = strings.TrimSuffix(path, "\n")
		}
	}
	if root != "/" {
		inside, ok := strings.CutPrefix(own, root)
		if !ok {
			return "", "", errors.New("the control group of this process is not mounted")
		}
		own = inside
	}
	return mount, filepath.Join(mount, own), nil
}

// open returns the group in which to create groups: this process's own, or its parent if
// this process's group has no limits, which groups beside it would escape.
func open(mount, own string) (string, error) {
	if !has(own, "cgroup.controllers", "memory") {
		return "", errors.New("the control group of this process does not control memory")
	}
	if !has(own, "cgroup.subtree_control", "memory") && own != mount {
		if up := filepath.Dir(own); writable(up) && has(up, "cgroup.subtree_control", "memory") && unlimited(own) {
			return up, nil
		}
		// A group with processes cannot have limited subgroups (cgroup v2, "no internal
		// processes"). If this process is its only one, it is moved to a subgroup.
		if text := strings.TrimSpace(read(own, "cgroup.procs")); text != strconv.Itoa(os.Getpid()) {
			return "", errors.New("this process shares its control group with other processes, so no limited group can be created in it")
		}
		if err := retreat(own); err != nil {
			return "", err
		}
	}
	if !writable(own) {
		return "", errors.New("the control group of this process cannot be written")
	}
	return own, nil
}

// retreat moves this process from its group to a subgroup, so that other subgroups can be
// limited.
func retreat(own string) error {
	leaf := filepath.Join(own, ours+"itself")
	if err := os.Mkdir(leaf, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := write(leaf, "cgroup.procs", strconv.Itoa(os.Getpid())); err != nil {
		return errors.Join(err, os.Remove(leaf))
	}
	if err := write(own, "cgroup.subtree_control", "+memory"); err != nil {
		return errors.Join(err, write(own, "cgroup.procs", strconv.Itoa(os.Getpid())), os.Remove(leaf))
	}
	return nil
}

// has reports whether a file lists the word.
func has(folder, name, word string) bool {
	return slices.Contains(strings.Fields(read(folder, name)), word)
}

// writable reports whether subgroups can be created, and processes moved there.
func writable(folder string) bool {
	const write = 2
	return syscall.Access(folder, write) == nil && syscall.Access(filepath.Join(folder, "cgroup.procs"), write) == nil
}

// unlimited reports whether a group has no limit of memory, processor or number of
// processes.
func unlimited(folder string) bool {
	for _, name := range []string{"memory.max", "memory.high", "cpu.max", "pids.max"} {
		if text := read(folder, name); text != "" && !strings.HasPrefix(text, "max") {
			return false
		}
	}
	return true
}

// sweep removes the empty groups that killed processes have left.
func sweep(folder string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), ours)
		number, _, _ := strings.Cut(name, "-")
		pid, err := strconv.Atoi(number)
		if !ok || err != nil || errors.Is(syscall.Kill(pid, 0), nil) {
			continue
		}
		os.Remove(filepath.Join(folder, e.Name())) // fails for a group with processes
	}
}
