package main

import (
	"os"
	"testing"
)

func TestFileIsUpToDate(t *testing.T) {
	got, err := os.ReadFile("../../lanes_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != generate() {
		t.Error("lanes_amd64.s is not what this program writes: run go generate ./internal/batch")
	}
}
