// Package protocheck compiles the wire's .proto files without protoc, and compares
// them with a committed image, so that changes within v1 are additions only.
package protocheck

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// ImageName is the file below the proto root that holds the committed image, a
// binary FileDescriptorSet without source information.
const ImageName = "image.binpb"

// Compile reads every .proto file below root and returns their descriptors in
// dependency order, source information included.
func Compile(ctx context.Context, root string) (*descriptorpb.FileDescriptorSet, error) {
	var names []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".proto" {
			return err
		}
		name, err := filepath.Rel(root, path)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no .proto files below %s", root)
	}
	sort.Strings(names)
	return compile(ctx, &protocompile.SourceResolver{ImportPaths: []string{root}}, names)
}

func compile(ctx context.Context, sources protocompile.Resolver, names []string) (*descriptorpb.FileDescriptorSet, error) {
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(sources),
		// The generated code gets the comments.
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(ctx, names...)
	if err != nil {
		return nil, err
	}
	set := &descriptorpb.FileDescriptorSet{}
	seen := map[string]bool{}
	var add func(*descriptorpb.FileDescriptorProto)
	add = func(f *descriptorpb.FileDescriptorProto) {
		if seen[f.GetName()] {
			return
		}
		seen[f.GetName()] = true
		for _, dep := range f.Dependency {
			if d := files.FindFileByPath(dep); d != nil {
				add(protodesc.ToFileDescriptorProto(d))
			}
		}
		set.File = append(set.File, f)
	}
	for _, f := range files {
		add(protodesc.ToFileDescriptorProto(f))
	}
	return set, nil
}

// Strip returns a copy without source information: what an image holds, and
// what generated code embeds.
func Strip(set *descriptorpb.FileDescriptorSet) *descriptorpb.FileDescriptorSet {
	out := proto.Clone(set).(*descriptorpb.FileDescriptorSet)
	for _, f := range out.File {
		f.SourceCodeInfo = nil
	}
	return out
}

// ReadImage reads the committed image below root.
func ReadImage(root string) (*descriptorpb.FileDescriptorSet, error) {
	data, err := os.ReadFile(filepath.Join(root, ImageName))
	if err != nil {
		return nil, err
	}
	set := &descriptorpb.FileDescriptorSet{}
	return set, proto.Unmarshal(data, set)
}

// WriteImage replaces the image below root.
func WriteImage(root string, set *descriptorpb.FileDescriptorSet) error {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(Strip(set))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, ImageName), data, 0o644)
}
