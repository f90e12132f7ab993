package trees

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCodesOfLightGBM: whatever lists a data frame had, its own are among those that an input may have, and
// where there is one only, it is that.
func TestCodesOfLightGBM(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const number, ordered, unordered, whole = 0, 1, 2, 3 // whole: categorical_feature of whole numbers
		var infos []string
		var lists [][]string
		own := map[int][]string{}
		kinds := rapid.SliceOfN(rapid.IntRange(number, whole), 1, 6).Draw(t, "kinds")
		for i, kind := range kinds {
			n := rapid.IntRange(1, 4).Draw(t, "categories")
			list := make([]string, n)
			for c := range list {
				list[c] = fmt.Sprintf("%d-%d", i, c)
			}
			codes := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 1, n, rapid.ID[int]).Draw(t, "codes")
			switch kind {
			case number:
				infos = append(infos, fmt.Sprintf("[%d:%d]", rapid.IntRange(-3, 0).Draw(t, "lo"), rapid.IntRange(1, 5).Draw(t, "hi")))
			case ordered:
				infos = append(infos, fmt.Sprintf("[%d:%d]", slices.Min(codes), slices.Max(codes)))
			default:
				infos = append(infos, "-1:"+strings.Trim(strings.ReplaceAll(fmt.Sprint(codes), " ", ":"), "[]"))
			}
			if kind == ordered || kind == unordered {
				lists, own[i] = append(lists, list), list
			}
		}
		got := codesOfLightGBM(infos, lists)
		for i, kind := range kinds {
			c, ok := got[i]
			switch {
			case kind == unordered && (!ok || c.Number), kind == whole && !ok:
				t.Fatalf("%v, %v: input %d has no codes: %+v", infos, lists, i, got)
			case kind == number && ok && !c.Number && slices.Contains(kinds, whole):
				// lists may be of categorical features, or of this
			case kind == number && ok && !c.Number:
				t.Fatalf("%v, %v: input %d is a number: %+v", infos, lists, i, got)
			case own[i] != nil && ok && len(c.Lists) > 0 && !slices.Contains(kinds, whole) &&
				!slices.ContainsFunc(c.Lists, func(list []string) bool { return slices.Equal(list, own[i]) }):
				t.Fatalf("%v, %v: input %d has %v: %+v", infos, lists, i, own[i], got)
			}
		}
	})
}
