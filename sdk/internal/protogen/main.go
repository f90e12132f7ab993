// Command protogen turns the .proto files of the wire into Go code, after checking that
// they stay compatible with the committed image. With -foreign it only turns the messages
// of another project into Go code. `make generate` runs it.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/hyfair/hyfair/sdk/internal/protocheck"
)

func main() {
	root := flag.String("root", "sdk/proto", "folder of the .proto files and the image")
	out := flag.String("out", ".", "folder of the Go module that gets the code")
	bin := flag.String("bin", ".deps/bin", "folder of protoc-gen-go and protoc-gen-go-grpc")
	foreign := flag.Bool("foreign", false, "messages of another project: no checks, no image, no services")
	flag.Parse()
	if err := run(*root, *out, *bin, *foreign); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

func run(root, out, bin string, foreign bool) error {
	set, err := protocheck.Compile(context.Background(), root)
	if err != nil {
		return err
	}
	if foreign {
		return generate(set, filepath.Join(bin, "protoc-gen-go"), out)
	}
	image, err := protocheck.ReadImage(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	faults := protocheck.Breaking(image, set)
	for _, f := range faults {
		fmt.Fprintln(os.Stderr, f)
	}
	if len(faults) > 0 {
		return fmt.Errorf("%d changes break compatibility with %s: see above", len(faults), protocheck.ImageName)
	}
	for _, plugin := range []string{"protoc-gen-go", "protoc-gen-go-grpc"} {
		if err := generate(set, filepath.Join(bin, plugin), out); err != nil {
			return err
		}
	}
	return protocheck.WriteImage(root, set)
}

// module is cut from the front of generated paths, so that code lands in its
// package's folder.
const module = "github.com/hyfair/hyfair"

// generate runs one protoc plugin over the whole set, as protoc would.
func generate(set *descriptorpb.FileDescriptorSet, plugin, out string) error {
	request := &pluginpb.CodeGeneratorRequest{Parameter: proto.String("module=" + module), ProtoFile: set.File}
	for _, f := range set.File {
		request.FileToGenerate = append(request.FileToGenerate, f.GetName())
	}
	input, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	var stdout bytes.Buffer
	cmd := exec.Command(plugin)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", plugin, err)
	}
	response := &pluginpb.CodeGeneratorResponse{}
	if err := proto.Unmarshal(stdout.Bytes(), response); err != nil {
		return err
	}
	if response.Error != nil {
		return errors.New(response.GetError())
	}
	for _, f := range response.File {
		path := filepath.Join(out, filepath.FromSlash(f.GetName()))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(f.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
