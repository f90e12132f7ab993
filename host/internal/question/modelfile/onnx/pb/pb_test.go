package pb

import (
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/testing/protocmp"
)

// The generated code is made from onnx.proto as it is.
func TestGeneratedIsUpToDate(t *testing.T) {
	compiler := protocompile.Compiler{Resolver: &protocompile.SourceResolver{ImportPaths: []string{"."}}}
	files, err := compiler.Compile(t.Context(), "onnx.proto")
	if err != nil {
		t.Fatal(err)
	}
	want, have := protodesc.ToFileDescriptorProto(files[0]), protodesc.ToFileDescriptorProto(File_onnx_proto)
	if diff := cmp.Diff(want, have, protocmp.Transform()); diff != "" {
		t.Errorf("onnx.pb.go is out of date, run `make generate`:\n%s", diff)
	}
}
