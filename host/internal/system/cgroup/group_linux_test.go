package cgroup

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMounted(t *testing.T) {
	const (
		v2     = "24 1 0:22 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
		hybrid = "30 24 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n31 24 0:27 / /sys/fs/cgroup/unified rw shared:1 - cgroup2 cgroup2 rw\n"
		inside = "24 1 0:22 /docker/a /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
	)
	for name, c := range map[string]struct{ mounts, groups, mount, own string }{
		"version 2":              {v2, "0::/user.slice/a b\n", "/sys/fs/cgroup", "/sys/fs/cgroup/user.slice/a b"},
		"both":                   {hybrid, "4:memory:/x\n0::/\n", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/unified"},
		"a container":            {inside, "0::/docker/a/b\n", "/sys/fs/cgroup", "/sys/fs/cgroup/b"},
		"outside of a container": {inside, "0::/docker\n", "", ""},
		"version 1":              {"30 24 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", "4:memory:/x\n", "", ""},
	} {
		mount, own, err := mounted(c.mounts, c.groups)
		if mount != c.mount || own != c.own || (err == nil) != (c.mount != "") {
			t.Errorf("%s: %q, %q, %v", name, mount, own, err)
		}
	}
}

// Groups are created below a group that may have them, or next to one that may not, unless
// its own limits would not hold there.
func TestOpen(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string // of mount, mount/up, mount/up/own, by their paths
		want  string
	}{
		"below":         {map[string]string{"up/own/cgroup.controllers": "cpu memory\n", "up/own/cgroup.subtree_control": "memory\n"}, "up/own"},
		"beside":        {map[string]string{"up/own/cgroup.controllers": "memory\n", "up/cgroup.subtree_control": "memory pids\n", "up/own/memory.max": "max\n", "up/own/cpu.max": "max 100000\n"}, "up"},
		"limited":       {map[string]string{"up/own/cgroup.controllers": "memory\n", "up/cgroup.subtree_control": "memory\n", "up/own/memory.max": "1048576\n", "up/own/cgroup.procs": "1\n2\n"}, ""},
		"not delegated": {map[string]string{"up/own/cgroup.controllers": "cpu\n"}, ""},
	} {
		mount := t.TempDir()
		if err := os.MkdirAll(filepath.Join(mount, "up", "own"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, folder := range []string{"up", "up/own"} {
			if err := os.WriteFile(filepath.Join(mount, folder, "cgroup.procs"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for path, text := range c.files {
			if err := os.WriteFile(filepath.Join(mount, path), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := open(mount, filepath.Join(mount, "up", "own"))
		if want := filepath.Join(mount, c.want); (err == nil) != (c.want != "") || err == nil && got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// A group that a killed process left is removed, and one of a living process is not.
func TestSweep(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"hyfair-1-1", "hyfair-99999999-1", "hyfair-itself", "other-99999999-1"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sweep(folder)
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(left) != 3 || filepath.Base(left[0]) != "hyfair-1-1" {
		t.Errorf("%v, %v", left, err)
	}
}
