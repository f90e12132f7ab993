//go:build unix

// Command testplugin is a plugin for the tests of sdk/client and sdk/serve. The
// variable TESTPLUGIN_MODE chooses how it behaves; most modes misbehave.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hyfair/hyfair/sdk/serve"
)

// mode is how the plugin behaves, with an argument after a colon.
func mode() (name, argument string) {
	name, argument, _ = strings.Cut(os.Getenv("TESTPLUGIN_MODE"), ":")
	return name, argument
}

func main() {
	if file := os.Getenv("TESTPLUGIN_PID"); file != "" {
		if err := os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
			panic(err)
		}
	}
	name, argument := mode()
	switch name {
	case "exit":
		fmt.Fprintln(os.Stderr, "libsolver.so.9 is missing")
		os.Exit(3)
	case "exit-on-restart":
		// argument is a file that tells the first start from the later ones.
		if _, err := os.Stat(argument); err == nil {
			os.Exit(4)
		}
		if err := os.WriteFile(argument, nil, 0o600); err != nil {
			panic(err)
		}
	case "panic":
		panic("no such luck")
	case "hang":
		time.Sleep(time.Hour)
	case "stop":
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		time.Sleep(time.Hour) // it may take a moment to work
	case "print":
		fmt.Println("Welcome to the solver")
		time.Sleep(time.Hour)
	case "version":
		fmt.Println("1|9|unix|/nowhere|grpc|")
		time.Sleep(time.Hour)
	case "dead-socket":
		fmt.Println("1|1|unix|/nowhere/to/be/found|grpc|")
		time.Sleep(time.Hour)
	case "tcp":
		fmt.Println("1|1|tcp|127.0.0.1:9|grpc|")
		time.Sleep(time.Hour)
	case "no-tls":
		// As a plugin in another language: it knows nothing of certificates.
		os.Unsetenv("PLUGIN_CLIENT_CERT")
	case "grandchild":
		// It keeps standard error open, outside the process group.
		child := exec.Command("sleep", argument)
		child.Stderr = os.Stderr
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := child.Start(); err != nil {
			panic(err)
		}
	case "strategy", "walk":
		serve.Strategy(walk{})
		return
	case "incremental":
		serve.Solver(&keeper{})
		return
	case "liar":
		serveLies(argument)
		return
	}
	serve.Solver(tiny{mode: name, argument: argument})
}
