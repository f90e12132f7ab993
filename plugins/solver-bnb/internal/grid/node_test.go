package grid

import (
	"encoding/json"
	"reflect"
	"testing"
)

// A node is read as it was written, including its path and its copies.
func TestNodesAreWritten(t *testing.T) {
	root := &Branching{Dim: 2, Last: 7}
	for _, n := range []Node{
		{Box: Box{0, 3, 5, 5}, Branch: 1, Bucket: 9},
		{Box: Box{0, 1 << 40}, Fair: 3, Unfair: 4, Copies: Copies{5, 1 << 63}, Path: &Branching{Parent: root, Dim: 0, Last: 1 << 60, Upper: true}},
	} {
		data, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		var got Node
		if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, n) {
			t.Errorf("%+v became %+v: %v", n, got, err)
		}
	}
}
