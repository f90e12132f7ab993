package protocheck

import (
	"context"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/descriptorpb"

	_ "github.com/hyfair/hyfair/sdk/internal/pb/modelv1"
	_ "github.com/hyfair/hyfair/sdk/internal/pb/pluginv1"
	_ "github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	_ "github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	_ "github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
)

const root = "../../proto"

func ours(t *testing.T) *descriptorpb.FileDescriptorSet {
	t.Helper()
	set, err := Compile(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestNothingBreaks(t *testing.T) {
	image, err := ReadImage(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range Breaking(image, ours(t)) {
		t.Error(fault)
	}
}

// The generated code and the image are made from the .proto files as they are.
func TestGeneratedIsUpToDate(t *testing.T) {
	set := Strip(ours(t))
	for _, f := range set.File {
		d, err := protoregistry.GlobalFiles.FindFileByPath(f.GetName())
		if err != nil {
			t.Fatalf("%v: run `make generate`", err)
		}
		if diff := cmp.Diff(f, protodesc.ToFileDescriptorProto(d), protocmp.Transform()); diff != "" {
			t.Errorf("%s: the generated code is out of date, run `make generate`:\n%s", f.GetName(), diff)
		}
	}
	image, err := ReadImage(root)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(set, image, protocmp.Transform()); diff != "" {
		t.Errorf("%s is out of date, run `make generate`:\n%s", ImageName, diff)
	}
}

// source compiles one file, x/v1/x.proto.
func source(t *testing.T, text string) *descriptorpb.FileDescriptorSet {
	t.Helper()
	const name = "x/v1/x.proto"
	set, err := compile(context.Background(), &protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(map[string]string{name: text}),
	}, []string{name})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const good = `syntax = "proto3";
package x.v1;
enum Colour {
  COLOUR_UNSPECIFIED = 0;
  COLOUR_RED = 1;
}
message Thing {
  int32 size = 1;
  optional double weight = 2;
  oneof choice {
    string left = 3;
    Colour right = 4;
  }
  Thing first = 5;
  Thing second = 6;
  message Inner {
    repeated Thing list = 1;
  }
}
message AskRequest {}
message AskResponse {}
service Asker {
  rpc Ask(AskRequest) returns (stream AskResponse);
}
`

func TestGoodSource(t *testing.T) {
	set := source(t, good)
	if faults := Breaking(set, set); len(faults) > 0 {
		t.Error(faults)
	}
	if faults := Breaking(nil, set); len(faults) > 0 {
		t.Error(faults)
	}
}

func TestBreakingFinds(t *testing.T) {
	for fault, edit := range map[string][2]string{
		"moved from package x.v1 to x.v2":     {"package x.v1", "package x.v2"},
		"field 1 (size) of x.v1.Thing is gon": {"int32 size = 1;", ""},
		"field 1 of x.v1.Thing changed":       {"int32 size", "int64 size"},
		"LABEL_REPEATED TYPE_INT32 size":      {"int32 size", "repeated int32 size"},
		"TYPE_INT32 length":                   {"int32 size", "int32 length"},
		"field 2 of x.v1.Thing changed":       {"optional double", "double"},
		"in oneof pick":                       {"oneof choice", "oneof pick"},
		"enum x.v1.Colour is gone":            {good, strings.ReplaceAll(good, "Colour", "Color")},
		"value 1 (COLOUR_RED) of x.v1.Colour": {"  COLOUR_RED = 1;", ""},
		"from COLOUR_RED to COLOUR_BLUE":      {"COLOUR_RED", "COLOUR_BLUE"},
		"message x.v1.Thing.Inner is gone":    {"message Inner", "message Inside"},
		"service x.v1.Asker is gone":          {"service Asker", "service Teller"},
		"method x.v1.Asker.Ask is gone":       {"rpc Ask(", "rpc Tell("},
		"method x.v1.Asker.Ask changed":       {"stream AskResponse", "AskResponse"},
		"field 5 of x.v1.Thing changed":       {firstAndSecond, "oneof both {\n" + firstAndSecond + "  }\n"},
		"TYPE_INT32 size in oneof either":     {"int32 size = 1;", "oneof either { int32 size = 1; string name = 9; }"},
		"first in oneof choice":               {"  }\n  Thing first = 5;\n", "    Thing first = 5;\n  }\n"},
	} {
		wantFault(t, Breaking(source(t, good), source(t, strings.Replace(good, edit[0], edit[1], 1))), fault)
	}
	wantFault(t, Breaking(source(t, good), nil), "file x/v1/x.proto is gone")
}

const firstAndSecond = "  Thing first = 5;\n  Thing second = 6;\n"

func TestAdditionsAreFree(t *testing.T) {
	more := strings.NewReplacer(
		"COLOUR_RED = 1;", "COLOUR_RED = 1; COLOUR_BLUE = 2;",
		"int32 size = 1;", "int32 size = 1; string name = 9;",
		"Thing first = 5;", "oneof either { Thing first = 5; string other = 10; }",
		"service Asker", "message More {} service Asker",
		"rpc Ask", "rpc Tell(AskRequest) returns (AskResponse); rpc Ask",
	).Replace(good)
	if faults := Breaking(source(t, good), source(t, more)); len(faults) > 0 {
		t.Error(faults)
	}
}

func wantFault(t *testing.T, faults []string, want string) {
	t.Helper()
	for _, f := range faults {
		if strings.Contains(f, want) {
			return
		}
	}
	t.Errorf("%q was not found; these were: %q", want, faults)
}

func TestImageRoundTrip(t *testing.T) {
	dir := t.TempDir()
	set := source(t, good)
	if err := WriteImage(dir, set); err != nil {
		t.Fatal(err)
	}
	got, err := ReadImage(dir)
	if err != nil || !proto.Equal(got, Strip(set)) {
		t.Errorf("%v", err)
	}
	if _, err := Compile(context.Background(), dir); err == nil {
		t.Error("compiled a folder without .proto files")
	}
}
