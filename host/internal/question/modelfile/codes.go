package modelfile

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Codes are the categories whose codes an input takes, as far as the file holds them.
type Codes struct {
	// Lists are the candidate lists: categories in the order of their codes, from 0, as Python
	// prints them. One list if the file is unambiguous; empty if it holds no list.
	Lists [][]string
	// Number: the input may also take a plain number; the file does not say.
	Number bool
}

// SameCategory reports whether a category of a file equals a cell of a CSV file: as text, number
// or truth value.
func SameCategory(own, cell string) bool {
	if own == cell {
		return true
	}
	a, err1 := strconv.ParseFloat(own, 64)
	b, err2 := strconv.ParseFloat(cell, 64)
	return err1 == nil && err2 == nil && a == b || (own == "True" || own == "False") && strings.EqualFold(own, cell)
}

// PlainName is a name without the characters that libraries change.
func PlainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127 {
			return r
		}
		return '_'
	}, strings.ToLower(strings.TrimSpace(name)))
}

// printed is a category as Python prints it.
func printed(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case json.Number:
		return v.String()
	}
	panic(faultf("a category that is no text, number or truth value"))
}

// pandasLists are the categories of all category columns of the data frame that LightGBM was
// trained with, in their order. line is the text after pandas_categorical.
func pandasLists(line string) (out [][]string) {
	var lists [][]any
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&lists); err != nil {
		panic(faultf("pandas_categorical: %w", err))
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
// numbers as [least:largest], codes of a categorical feature as 0:2:1. lists are pandas', in the order of
// the inputs, but the file does not say of which ones. An ordered column has a list and is no categorical
// feature.
func codesOfLightGBM(infos []string, lists [][]string) map[int]Codes {
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
					panic(faultf("feature_infos: %.40q is no code", word))
				}
				top[i] = max(top[i], code)
			}
		}
	}
	// before[i][j]: the first i inputs can have the first j lists; behind: the rest can have the
	// rest.
	fits := func(i, j int) bool { return top[i] < float64(len(lists[j])) }
	table := func() [][]bool {
		out := make([][]bool, n+1)
		for i := range out {
			out[i] = make([]bool, m+1)
		}
		return out
	}
	for _, strict := range []bool{true, false} { // other categorical features have integer values
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
		out := map[int]Codes{}
		for i := range n {
			var c Codes
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
	out := map[int]Codes{} // the lists belong to other columns
	for i := range n {
		if must[i] {
			out[i] = Codes{}
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

// lists are the categories by input; nil for an input without categories. Texts are concatenated
// bytes.
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
					panic(faultf("cats.enc: input %d: %.20s is no byte", i, v))
				}
				text[k] = byte(b)
			}
			if slices.ContainsFunc(text, func(b byte) bool { return b > unicode.MaxASCII }) {
				break // XGBoost 3.2 counts characters instead of bytes and truncates the last texts
			}
			for k, from := range enc.Offsets[:len(enc.Offsets)-1] {
				to := enc.Offsets[k+1]
				if from < 0 || to < from || to > len(text) {
					panic(faultf("cats.enc: input %d: bytes %d to %d of %d", i, from, to, len(text)))
				}
				list = append(list, string(text[from:to]))
			}
		}
		out = append(out, list)
	}
	return out
}

// codesOfXGBoost selects the inputs that take codes: those of kind c.
func codesOfXGBoost(kinds []string, lists [][]string) map[int]Codes {
	out := map[int]Codes{}
	for i, kind := range kinds {
		if kind == "c" {
			out[i] = Codes{}
		}
	}
	for i, list := range lists {
		if len(list) > 0 {
			out[i] = Codes{Lists: [][]string{list}}
		}
	}
	return out
}

// Holds says why the codes contradict a study; "" if they do not. at maps category or number v to
// its code, said lists the CSV texts for v, for v below n.
func (c *Codes) Holds(n int, at func(v int) float64, said func(v int) []string) string {
	among := func(list []string, cells []string) bool {
		return slices.ContainsFunc(cells, func(cell string) bool {
			return slices.ContainsFunc(list, func(own string) bool { return SameCategory(own, cell) })
		})
	}
	why := ""
	for _, list := range c.Lists {
		if c.Number { // then the list must hold every category
			all := n > 0
			for v := range n {
				all = all && among(list, said(v))
			}
			if !all {
				return ""
			}
		}
		why = ""
		for v := range n {
			code, cells := at(v), said(v)
			switch {
			case code != math.Trunc(code) || code < 0 || code >= float64(len(list)):
				why = fmt.Sprintf("%s becomes the code %v, and there are %d categories", cells[0], code, len(list))
			case !slices.ContainsFunc(cells, func(cell string) bool { return SameCategory(list[int(code)], cell) }):
				why = fmt.Sprintf("the code %v is %s, and of the study %s", code, list[int(code)], cells[0])
			default:
				continue
			}
			break
		}
		if why == "" {
			return ""
		}
	}
	if why == "" {
		return ""
	}
	return fmt.Sprintf("takes the code of one of %s, in this order: %s", shortList(c.Lists[0]), why)
}

func shortList(list []string) string {
	if len(list) > 20 {
		return strings.Join(list[:20], ", ") + fmt.Sprintf(" and %d more", len(list)-20)
	}
	return strings.Join(list, ", ")
}
