package simplex

import (
	"math"
	"unsafe"
)

// update adds a multiple of row r to each of the rows. The multiple is the row's coefficient in a column, which is
// first set to 0. The row's value grows by the same coefficient times the number by. Rows are stride numbers long, a
// multiple of eight.
type update struct {
	rows, r, values       *float64
	count, stride, column int
	by                    float64
}

// lanes is one variant of the loops. All give the same results.
type lanes struct {
	name string
	add  func(*update)
}

// Name returns the variant's name: avx512, avx2 or scalar.
func (l *lanes) Name() string { return l.name }

var scalar = lanes{name: "scalar", add: addScalar}

func addScalar(u *update) {
	rows, r := unsafe.Slice(u.rows, u.count*u.stride), unsafe.Slice(u.r, u.stride)
	values := unsafe.Slice(u.values, u.count)
	for i := range values {
		row := rows[i*u.stride : (i+1)*u.stride]
		f := row[u.column]
		if f == 0 {
			continue
		}
		values[i] = math.FMA(f, u.by, values[i])
		row[u.column] = 0
		for j, c := range r {
			row[j] = math.FMA(f, c, row[j])
		}
	}
}
