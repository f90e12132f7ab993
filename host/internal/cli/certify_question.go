package cli

import (
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/sdk/encode"
)

func encodingNames() string {
	names := []string{certify.Direct}
	for _, e := range encode.Encodings {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
}
