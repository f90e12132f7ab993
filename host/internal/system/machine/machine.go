// Package machine describes this machine, as far as the system reports it.
package machine

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"
)

// Model returns the processor's name; empty if the system does not report it.
func Model() string {
	if all, err := cpu.Info(); err == nil && len(all) > 0 {
		return strings.TrimSpace(all[0].ModelName)
	}
	return ""
}

// Memory returns the machine's memory in bytes; 0 if the system does not report it.
func Memory() int64 {
	if m, err := mem.VirtualMemory(); err == nil {
		return int64(m.Total)
	}
	return 0
}

// Governor returns Linux's frequency governor of the first processor; empty on other
// systems and in most virtual machines.
func Governor() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	text, _ := os.ReadFile("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	return strings.TrimSpace(string(text))
}

// Caches returns the sizes of the first processor's caches as Linux reports them, such as
// L1d 48K, L1i 32K, L2 2048K; empty on other systems.
func Caches() string {
	const folder = "/sys/devices/system/cpu/cpu0/cache"
	entries, _ := os.ReadDir(folder) // in order of their levels
	var caches []string
	for _, e := range entries {
		of := func(what string) string {
			text, _ := os.ReadFile(filepath.Join(folder, e.Name(), what))
			return strings.TrimSpace(string(text))
		}
		if size := of("size"); size != "" {
			kind := map[string]string{"Data": "d", "Instruction": "i"}[of("type")]
			caches = append(caches, "L"+of("level")+kind+" "+size)
		}
	}
	return strings.Join(caches, ", ")
}

// Kernel returns the kernel's version; empty if the system does not report it.
func Kernel() string {
	version, _ := host.KernelVersion()
	return version
}

// Load returns the mean number of runnable processes in the last minute; ok is false if
// the system does not report it.
func Load() (mean float64, ok bool) {
	l, err := load.Avg()
	if err != nil {
		return 0, false
	}
	return l.Load1, true
}
