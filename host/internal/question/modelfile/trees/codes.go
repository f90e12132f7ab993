package trees

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
)

// printed returns a category as Python prints it.
func printed(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case json.Number:
		return v.String()
	}
	panic(fault.New("got a category %.40v, want a text, a number or a truth value", v))
}

// pandasLists returns the categories of all category columns of the data frame that LightGBM was
// trained with, in the order of the columns. line is the text after pandas_categorical.
func pandasLists(line string) (out [][]string) {
	var lists [][]any
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&lists); err != nil {
		panic(fault.New("pandas_categorical: %w", err))
	}
	for _, list := range lists {
		texts := make([]string, len(list))
		for i, v := range list {
			texts[i] = printed(v)
		}
		out = append(out, texts)
	}
	return out
}

// codesOfLightGBM determines the inputs that take codes. infos has the observed values of each input:
// numbers as [least:largest], codes of a categorical feature as 0:2:1. lists are the categories of pandas
// columns, in the order of the inputs, but the file does not state which inputs. An ordered pandas column
// has a list, but is not a categorical feature of LightGBM.
func codesOfLightGBM(infos []string, lists [][]string) map[int]reader.Codes {
	n, m := len(infos), len(lists)
	top := make([]float64, n) // the largest observed code
	must := make([]bool, n)
	for i, info := range infos {
		least := 0.0
		switch inner, number := strings.CutPrefix(info, "["); {
		case info == "none":
		case number:
			lo, hi, _ := strings.Cut(strings.TrimSuffix(inner, "]"), ":")
			var err1, err2 error
			least, err1 = strconv.ParseFloat(lo, 64)
			top[i], err2 = strconv.ParseFloat(hi, 64)
			if err1 != nil || err2 != nil || top[i] != math.Trunc(top[i]) || least != math.Trunc(least) || least < -1 {
				top[i] = math.Inf(1)
			}
		default:
			must[i] = true
			for _, word := range strings.Split(info, ":") {
				code, err := strconv.ParseFloat(word, 64)
				if err != nil {
					panic(fault.New("feature_infos: got %.40q, want a code", word))
				}
				top[i] = max(top[i], code)
			}
		}
	}
	// before[i][j]: the first j lists can belong to the first i inputs; behind[i][j]: the other
	// lists can belong to the other inputs.
	fits := func(i, j int) bool { return top[i] < float64(len(lists[j])) }
	table := func() [][]bool {
		out := make([][]bool, n+1)
		for i := range out {
			out[i] = make([]bool, m+1)
		}
		return out
	}
	for _, strict := range []bool{true, false} { // not strict: a categorical feature may lack a list, if it is an integer column
		free := func(i int) bool { return !strict || !must[i] }
		before, behind := table(), table()
		before[0][0], behind[n][m] = true, true
		for i := range n {
			for j := range m + 1 {
				before[i+1][j] = before[i][j] && free(i) || j > 0 && before[i][j-1] && fits(i, j-1)
			}
		}
		for i := n - 1; i >= 0; i-- {
			for j := m; j >= 0; j-- {
				behind[i][j] = behind[i+1][j] && free(i) || j < m && fits(i, j) && behind[i+1][j+1]
			}
		}
		if !before[n][m] {
			continue
		}
		out := map[int]reader.Codes{}
		for i := range n {
			var c reader.Codes
			without := false
			for j := range m + 1 {
				without = without || before[i][j] && free(i) && behind[i+1][j]
				if j < m && before[i][j] && fits(i, j) && behind[i+1][j+1] {
					c.Lists = append(c.Lists, lists[j])
				}
			}
			if c.Number = without && !must[i]; must[i] || c.Lists != nil {
				if must[i] && without {
					c.Lists = nil // codes that may lack a list
				}
				out[i] = c
			}
		}
		return out
	}
	out := map[int]reader.Codes{} // the lists belong to other columns
	for i := range n {
		if must[i] {
			out[i] = reader.Codes{}
		}
	}
	return out
}

// xgboostCats are the categories of an XGBoost model's inputs (3.1 and later).
type xgboostCats struct {
	Enc []struct {
		Offsets []int             `json:"offsets"`
		Values  []json.RawMessage `json:"values"`
	} `json:"enc"`
}

// lists returns the categories by input; nil for an input without categories. The file holds texts
// as concatenated bytes.
func (c *xgboostCats) lists() (out [][]string) {
	for i, enc := range c.Enc {
		var list []string
		switch {
		case len(enc.Offsets) == 0:
			for _, v := range enc.Values {
				list = append(list, string(v))
			}
		default:
			text := make([]byte, len(enc.Values))
			for k, v := range enc.Values {
				b, err := strconv.ParseInt(string(v), 10, 16)
				if err != nil || b < -128 || b > 255 {
					panic(fault.New("cats.enc: input %d: %.20s is not a byte", i, v))
				}
				text[k] = byte(b)
			}
			if slices.ContainsFunc(text, func(b byte) bool { return b > unicode.MaxASCII }) {
				break // XGBoost 3.2 counts characters instead of bytes and truncates the last texts
			}
			for k, from := range enc.Offsets[:len(enc.Offsets)-1] {
				to := enc.Offsets[k+1]
				if from < 0 || to < from || to > len(text) {
					panic(fault.New("cats.enc: input %d: got bytes %d to %d, want them ascending from 0 to %d", i, from, to, len(text)))
				}
				list = append(list, string(text[from:to]))
			}
		}
		out = append(out, list)
	}
	return out
}

// codesOfXGBoost returns the inputs that take codes: those of kind c, and those with a list of categories.
func codesOfXGBoost(kinds []string, lists [][]string) map[int]reader.Codes {
	out := map[int]reader.Codes{}
	for i, kind := range kinds {
		if kind == "c" {
			out[i] = reader.Codes{}
		}
	}
	for i, list := range lists {
		if len(list) > 0 {
			out[i] = reader.Codes{Lists: [][]string{list}}
		}
	}
	return out
}
