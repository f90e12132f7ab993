package batch

import "math"

var variants = []*lanes{&avx512, &avx2, &scalar}

var avx512 = lanes{name: "avx512", product: productAVX512, relax: relaxAVX512, split: splitAVX512, enclose: encloseAVX512, spread: spreadAVX512, strip: stripAVX512, halve: halveAVX512, align: alignAVX512, moment: momentAVX512, hinge: hingeAVX512, lowest: lowestAVX512}

var avx2 = lanes{name: "avx2", product: productAVX2, relax: relaxAVX2, split: splitAVX2, enclose: encloseAVX2, spread: spreadAVX2, strip: stripAVX2, halve: halveAVX2, align: alignAVX2, moment: momentAVX2, hinge: hingeAVX2, lowest: lowestAVX2}

// Constants that the kernels load from memory.
var (
	sign      = [1]float64{math.Copysign(0, -1)}    //nolint:unused // the assembly reads it
	constants = [4]float64{1, tiniest, raised, 0.5} //nolint:unused // the assembly reads it
)

//go:noescape
func productAVX512(a *product)

//go:noescape
func relaxAVX512(a *relaxation)

//go:noescape
func splitAVX512(a *splitting)

//go:noescape
func encloseAVX512(a *enclosure)

//go:noescape
func spreadAVX512(a *spreading)

//go:noescape
func stripAVX512(a *strip)

//go:noescape
func productAVX2(a *product)

//go:noescape
func relaxAVX2(a *relaxation)

//go:noescape
func splitAVX2(a *splitting)

//go:noescape
func encloseAVX2(a *enclosure)

//go:noescape
func spreadAVX2(a *spreading)

//go:noescape
func stripAVX2(a *strip)

//go:noescape
func halveAVX512(a *halving)

//go:noescape
func halveAVX2(a *halving)

//go:noescape
func alignAVX512(a *alignment)

//go:noescape
func alignAVX2(a *alignment)

//go:noescape
func momentAVX512(a *moment)

//go:noescape
func momentAVX2(a *moment)

//go:noescape
func hingeAVX512(a *shifting)

//go:noescape
func hingeAVX2(a *shifting)

//go:noescape
func lowestAVX512(a *shifting)

//go:noescape
func lowestAVX2(a *shifting)
