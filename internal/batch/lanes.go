package batch

import (
	"math"
	"unsafe"
)

// A few loops over float64 vectors do the work. Each is in plain Go and in vector
// instructions (lanes_amd64.s, written by internal/asm), with the same results to the
// last bit: the same operations in the same order, fused multiply-adds included. Vectors
// consist of octets, eight numbers each.

//go:generate go run ./internal/asm lanes_amd64.s

// product: outs[q][v] = Σ coefs[q·coefStride + i]·rows[i·stride + v], i in list; if
// start is not nil, start[v] is added for q = 0. Strides are in bytes. The loop sets
// start to nil.
type product struct {
	start      *float64
	out        *float64 // outputs rows of outStride bytes
	outStride  int
	coefs      *float64
	coefStride int
	outputs    int
	octets     int
	rows       *float64
	stride     int
	list       *int32
	n          int
}

// relaxation: with c the row of unit i at form j, and λ and h those of unit i,
//
//	base[j] += c·h,  slack[j] += |c|·h,  c *= λ   for all i in list.
//
// If weights is not nil, c is not read: it is weights[j·weightStride + i] in every lane.
// A row of rows holds forms × octets.
type relaxation struct {
	rows         *float64
	stride       int // bytes from one unit's row to the next
	weights      *float64
	weightStride int // bytes from one form's weights to the next
	list         *int32
	n            int
	slope        *float64 // λ, a row of octets per unit
	half         *float64 // h
	base         *float64 // a row of octets a form
	slack        *float64
	forms        int
	octets       int
}

// splitting: with c, λ and h as before, and λ' = 1 if λ > ½, else 0, for all i in list
//
//	base[j] += c·2h,  c *= λ    where c < 0,
//	c *= λ'                     elsewhere.
//
// It reads and writes what relaxation does, except slack.
type splitting relaxation

// enclosure: with c the row of input i at form j,
//
//	mid[j] = base[j] + Σ c·centre[i],  rad[j] = slack[j] + Σ |c|·radius[i],  i in list.
type enclosure struct {
	rows   *float64
	stride int
	list   *int32
	n      int
	centre *float64 // a row of octets an input
	radius *float64
	base   *float64
	slack  *float64
	mid    *float64 // a row of octets a form
	rad    *float64
	forms  int
	octets int
}

// spreading: with c the row of input i at form j,
//
//	spread[j] += Σ c²·variance[i],  rest[j] += Σ |c|·offset[i],  i in list.
type spreading struct {
	rows     *float64
	stride   int
	list     *int32
	n        int
	variance *float64 // a row of octets an input
	offset   *float64
	spread   *float64 // a row of octets a form
	rest     *float64
	forms    int
	octets   int
}

// strip: λ and h of the units' ReLUs on mid ± (rad + err). flags has a byte per unit: bit
// 0 is set if some lane's upper bound is positive, bit 1 if some lane's λ is not 1 or its
// h not 0.
type strip struct {
	mid, rad    *float64 // a row of octets per unit
	err         *float64 // a number per unit
	slope, half *float64
	flags       *uint8
	units       int
	octets      int
}

// halving: with m, r, t, c and p the rows of unit i in mid, rad, cut, slack and
// carried,
//
//	out = Σ c·½·(max(r−t−|m+t|, 0) + max(r−t−|m−t|, 0))
//	        + p·(max(min(r−t+m+t, r−t), 0) + max(min(r−t+m−t, r−t), 0)),  i in list.
type halving struct {
	out, mid, rad, cut, slack, carried *float64 // rows of octets
	list                               *int32
	n                                  int
	octets                             int
}

// alignment: with s and a the rows of input i in rows and common,
//
//	mid = base + Σ (s − a)·centre[i],  rad = slack + Σ |s − a|·radius[i],  i below n.
type alignment struct {
	rows                   *float64
	rowStride              int // bytes from one row to the next
	common, centre, radius *float64
	stride                 int
	n                      int
	base, slack, mid, rad  *float64
	octets                 int
}

// moment: sum[v%8] = Σ src[v], squares[v%8] = Σ src[v]².
type moment struct {
	src          *float64
	octets       int
	sum, squares [8]float64
}

// shifting is the argument of two loops: hinge sets dst[v] = max(−(src[v] + shift), 0), lowest sets dst[v] =
// min(dst[v], src[v] + shift).
type shifting struct {
	dst, src *float64
	shift    float64
	octets   int
}

// lanes is one variant of the loops.
type lanes struct {
	name    string
	product func(*product)
	relax   func(*relaxation)
	split   func(*splitting)
	enclose func(*enclosure)
	spread  func(*spreading)
	strip   func(*strip)
	halve   func(*halving)
	align   func(*alignment)
	moment  func(*moment)
	hinge   func(*shifting)
	lowest  func(*shifting)
}

// Name returns the variant's name: avx512, avx2 or scalar.
func (l *lanes) Name() string { return l.name }

var scalar = lanes{name: "scalar", product: productScalar, relax: relaxScalar, split: splitScalar, enclose: encloseScalar, spread: spreadScalar, strip: stripScalar, halve: halveScalar, align: alignScalar, moment: momentScalar, hinge: hingeScalar, lowest: lowestScalar}

func vector(p *float64, octets int) []float64 { return unsafe.Slice(p, 8*octets) }

// at returns p advanced by a number of bytes.
func at(p *float64, bytes int) *float64 { return (*float64)(unsafe.Add(unsafe.Pointer(p), bytes)) }

func productScalar(a *product) {
	for q := range a.outputs {
		out := vector(at(a.out, q*a.outStride), a.octets)
		if clear(out); q == 0 && a.start != nil {
			copy(out, vector(a.start, a.octets))
		}
		coefs := at(a.coefs, q*a.coefStride)
		for _, i := range unsafe.Slice(a.list, a.n) {
			c := *at(coefs, int(i)*8)
			for v, r := range vector(at(a.rows, int(i)*a.stride), a.octets) {
				out[v] = math.FMA(c, r, out[v])
			}
		}
	}
	a.start = nil
}

func relaxScalar(a *relaxation) {
	wide := 64 * a.octets
	for j := range a.forms {
		base, slack := vector(at(a.base, j*wide), a.octets), vector(at(a.slack, j*wide), a.octets)
		for _, i := range unsafe.Slice(a.list, a.n) {
			c := vector(at(a.rows, int(i)*a.stride+j*wide), a.octets)
			if a.weights != nil {
				fill(c, *at(a.weights, j*a.weightStride+int(i)*8))
			}
			slope, half := vector(at(a.slope, int(i)*wide), a.octets), vector(at(a.half, int(i)*wide), a.octets)
			for v := range c {
				base[v] = math.FMA(c[v], half[v], base[v])
				slack[v] = math.FMA(math.Abs(c[v]), half[v], slack[v])
				c[v] *= slope[v]
			}
		}
	}
}

func splitScalar(a *splitting) {
	wide := 64 * a.octets
	for j := range a.forms {
		base := vector(at(a.base, j*wide), a.octets)
		for _, i := range unsafe.Slice(a.list, a.n) {
			c := vector(at(a.rows, int(i)*a.stride+j*wide), a.octets)
			if a.weights != nil {
				fill(c, *at(a.weights, j*a.weightStride+int(i)*8))
			}
			slope, half := vector(at(a.slope, int(i)*wide), a.octets), vector(at(a.half, int(i)*wide), a.octets)
			for v := range c {
				low, factor := min(c[v], 0), slope[v]
				base[v] = math.FMA(low+low, half[v], base[v])
				if !(c[v] < 0) {
					if factor = 0; slope[v] > 0.5 {
						factor = 1
					}
				}
				c[v] *= factor
			}
		}
	}
}

func encloseScalar(a *enclosure) {
	wide := 64 * a.octets
	for j := range a.forms {
		mid, rad := vector(at(a.mid, j*wide), a.octets), vector(at(a.rad, j*wide), a.octets)
		copy(mid, vector(at(a.base, j*wide), a.octets))
		copy(rad, vector(at(a.slack, j*wide), a.octets))
		for _, i := range unsafe.Slice(a.list, a.n) {
			c := vector(at(a.rows, int(i)*a.stride+j*wide), a.octets)
			centre, radius := vector(at(a.centre, int(i)*wide), a.octets), vector(at(a.radius, int(i)*wide), a.octets)
			for v := range c {
				mid[v] = math.FMA(c[v], centre[v], mid[v])
				rad[v] = math.FMA(math.Abs(c[v]), radius[v], rad[v])
			}
		}
	}
}

func spreadScalar(a *spreading) {
	wide := 64 * a.octets
	for j := range a.forms {
		spread, rest := vector(at(a.spread, j*wide), a.octets), vector(at(a.rest, j*wide), a.octets)
		for _, i := range unsafe.Slice(a.list, a.n) {
			c := vector(at(a.rows, int(i)*a.stride+j*wide), a.octets)
			variance, offset := vector(at(a.variance, int(i)*wide), a.octets), vector(at(a.offset, int(i)*wide), a.octets)
			for v := range c {
				spread[v] = math.FMA(float64(c[v]*c[v]), variance[v], spread[v])
				rest[v] = math.FMA(math.Abs(c[v]), offset[v], rest[v])
			}
		}
	}
}

// raised is ½, for h = μ/2, raised to cover the rounding of μ.
const raised = 0.5 * (1 + 0x1p-50)

// tiniest keeps a zero out of a denominator.
const tiniest = 0x1p-1000

func stripScalar(a *strip) {
	wide := 64 * a.octets
	flags := unsafe.Slice(a.flags, a.units)
	for i := range flags {
		mid, rad := vector(at(a.mid, i*wide), a.octets), vector(at(a.rad, i*wide), a.octets)
		slope, half := vector(at(a.slope, i*wide), a.octets), vector(at(a.half, i*wide), a.octets)
		err := *at(a.err, i*8)
		flags[i] = 0
		for v := range mid {
			r := rad[v] + err
			l, u := min(mid[v]-r, 0), max(mid[v]+r, 0)
			s := u / max(u-l, tiniest)
			slope[v] = s
			half[v] = max(float64(s*-l), float64((1-s)*u)) * raised
			if u > 0 {
				flags[i] |= 1
			}
			if s != 1 || half[v] != 0 { // λ may have been rounded to 1
				flags[i] |= 2
			}
		}
	}
}

func halveScalar(a *halving) {
	wide := 64 * a.octets
	out := vector(a.out, a.octets)
	clear(out)
	for _, i := range unsafe.Slice(a.list, a.n) {
		row := func(p *float64) []float64 { return vector(at(p, int(i)*wide), a.octets) }
		mid, rad, cut, slack, carried := row(a.mid), row(a.rad), row(a.cut), row(a.slack), row(a.carried)
		for v, t := range cut {
			r, up, down := rad[v]-t, mid[v]+t, mid[v]-t
			open := max(r-math.Abs(up), 0) + max(r-math.Abs(down), 0)
			out[v] = math.FMA(slack[v], float64(open*0.5), out[v])
			out[v] = math.FMA(carried[v], max(min(r+up, r), 0)+max(min(r+down, r), 0), out[v])
		}
	}
}

func alignScalar(a *alignment) {
	mid, rad := vector(a.mid, a.octets), vector(a.rad, a.octets)
	copy(mid, vector(a.base, a.octets))
	copy(rad, vector(a.slack, a.octets))
	for i := range a.n {
		row, common := vector(at(a.rows, i*a.rowStride), a.octets), vector(at(a.common, i*a.stride), a.octets)
		centre, radius := vector(at(a.centre, i*a.stride), a.octets), vector(at(a.radius, i*a.stride), a.octets)
		for v := range mid {
			d := row[v] - common[v]
			mid[v] = math.FMA(d, centre[v], mid[v])
			rad[v] = math.FMA(math.Abs(d), radius[v], rad[v])
		}
	}
}

func momentScalar(a *moment) {
	a.sum, a.squares = [8]float64{}, [8]float64{}
	for i, x := range vector(a.src, a.octets) {
		a.sum[i%8] += x
		a.squares[i%8] = math.FMA(x, x, a.squares[i%8])
	}
}

func hingeScalar(a *shifting) {
	dst := vector(a.dst, a.octets)
	for i, x := range vector(a.src, a.octets) {
		dst[i] = max(0-(x+a.shift), 0)
	}
}

func lowestScalar(a *shifting) {
	dst := vector(a.dst, a.octets)
	for i, x := range vector(a.src, a.octets) {
		dst[i] = min(dst[i], x+a.shift)
	}
}

func fill(row []float64, v float64) {
	for c := range row {
		row[c] = v
	}
}
