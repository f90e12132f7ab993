package modelfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/keras/hdf5"
)

// tried is the result of a function, or its fault.
func tried[T any](do func() T) (out T, err error) {
	err = fault.Try(func() { out = do() })
	return out, err
}

func openRoot(file []byte) (*hdf5.Group, error) {
	return tried(func() *hdf5.Group { return hdf5.Open(file) })
}

func mustRoot(t *testing.T, g *h5Group) *hdf5.Group {
	t.Helper()
	file, _ := h5File(g)
	root, err := openRoot(file)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// Any shape in any chunks under any filters gives back its numbers.
func TestDatasetRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &h5Dataset{
			Bits: rapid.SampledFrom([]int{32, 64}).Draw(t, "bits"),
			Big:  rapid.Bool().Draw(t, "big"),
		}
		rank, elements := rapid.IntRange(1, 2).Draw(t, "rank"), uint64(1)
		chunked := rapid.Bool().Draw(t, "chunked")
		for range rank {
			n := rapid.Uint64Range(1, 9).Draw(t, "extent")
			d.Shape = append(d.Shape, n)
			elements *= n
			if chunked {
				d.Chunk = append(d.Chunk, rapid.Uint64Range(1, 11).Draw(t, "chunk"))
			}
		}
		if chunked {
			d.Filters = rapid.SampledFrom([][]uint16{nil, {1}, {2}, {2, 1}, {1, 2}}).Draw(t, "filters")
		}
		want := make([]float64, elements)
		for i := range want {
			want[i] = float64(rapid.Float32().Draw(t, "value"))
		}
		d.Data = want
		file, _ := h5File(&h5Group{Members: map[string]h5Object{"d": d}})
		root, err := openRoot(file)
		if err != nil {
			t.Fatal(err)
		}
		set, err := tried(func() *hdf5.Dataset { return root.Dataset("d") })
		if err != nil {
			t.Fatal(err)
		}
		got, err := tried(set.Floats)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) || set.Bits() != d.Bits || fmt.Sprint(set.Shape()) != fmt.Sprint(d.Shape) {
			t.Fatalf("shape %v, %d bits, %v; want %v, %d, %v", set.Shape(), set.Bits(), got, d.Shape, d.Bits, want)
		}
	})
}

// Groups of many members make B-trees of several levels.
func TestGroups(t *testing.T) {
	members := map[string]h5Object{}
	var want []string
	for i := range 37 {
		name := fmt.Sprintf("layer_%02d", i)
		members[name] = &h5Group{Members: map[string]h5Object{
			"inner": &h5Group{Members: map[string]h5Object{
				"bias:0": &h5Dataset{Shape: []uint64{1}, Data: []float64{float64(i)}},
			}},
		}}
		want = append(want, name)
	}
	root := mustRoot(t, &h5Group{Members: map[string]h5Object{"weights": &h5Group{Members: members}}})
	weights, err := tried(func() *hdf5.Group { return root.Group("weights") })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, weights.Names()); diff != "" {
		t.Error(diff)
	}
	for i, name := range want {
		set, err := tried(func() *hdf5.Dataset { return weights.Dataset(name + "/inner/bias:0") })
		if err != nil {
			t.Fatal(err)
		}
		got, err := tried(set.Floats)
		if err != nil || got[0] != float64(i) || set.Path() != "/weights/"+name+"/inner/bias:0" {
			t.Errorf("%s holds %v, error %v", set.Path(), got, err)
		}
	}
	for _, path := range []string{"nothing", "layer_00/nothing", "layer_00/inner/bias:0/deeper", ""} {
		if _, err := tried(func() *hdf5.Dataset { return weights.Dataset(path) }); err == nil {
			t.Errorf("Dataset(%q): no error", path)
		}
	}
	if _, err := tried(func() *hdf5.Group { return weights.Group("absent") }); !errors.Is(err, hdf5.ErrNotFound) || !strings.Contains(err.Error(), "/weights") {
		t.Errorf("error %v; want hdf5.ErrNotFound with the group's path", err)
	}
	if _, err := tried(func() *hdf5.Dataset { return weights.Dataset("layer_00") }); err == nil || !strings.Contains(err.Error(), "not a data set") {
		t.Errorf("a group opened as a data set: error %v", err)
	}
}

func TestStrings(t *testing.T) {
	long := strings.Repeat("{\"class_name\": \"Dense\"} ", 9000) // far above the 64 KiB of a message
	for _, continued := range []bool{false, true} {
		root := mustRoot(t, &h5Group{Continued: continued, Attributes: []h5Attribute{
			{Name: "config", Values: []string{long}, Scalar: true},
			{Name: "names", Values: []string{"a", "", "ccc"}},
			{Name: "fixed", Values: []string{"dense", "d", ""}, Fixed: true},
			{Name: "version", Values: []string{"2.3.0-tf"}, Scalar: true, Fixed: true},
			{Name: "none", Values: []string{}, Fixed: true},
		}})
		for name, want := range map[string]string{"config": long, "version": "2.3.0-tf"} {
			if got, ok := root.String(name); got != want || !ok {
				t.Errorf("%s = %.40q, %v", name, got, ok)
			}
		}
		for name, want := range map[string][]string{"names": {"a", "", "ccc"}, "fixed": {"dense", "d", ""}, "none": {}} {
			got, ok := root.Strings(name)
			if diff := cmp.Diff(want, got); diff != "" || !ok {
				t.Errorf("%s: %v, %s", name, ok, diff)
			}
		}
		if _, ok := root.Strings("absent"); ok {
			t.Errorf("an absent attribute is there")
		}
		if err := fault.Try(func() { root.String("names") }); err == nil {
			t.Error("three strings read as one")
		}
	}
}
