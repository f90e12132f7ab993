package evaluate

var variants = []*lanes{&avx512, &avx2, &scalar}

var avx512 = lanes{
	name: "avx512", combine: combineAVX512, columns: columnsAVX512, bounds: boundsAVX512,
	signs: signsAVX512, places: placesAVX512, counts: countsAVX512,
}

var avx2 = lanes{
	name: "avx2", combine: combineAVX2, columns: columnsAVX2, bounds: boundsAVX2,
	signs: signsAVX2, places: placesAVX2, counts: countsAVX2,
}

//go:noescape
func combineAVX512(a *combination)

//go:noescape
func columnsAVX512(a *expansion)

//go:noescape
func boundsAVX512(a *interval)

//go:noescape
func signsAVX512(a *spread)

//go:noescape
func placesAVX512(a *extent)

//go:noescape
func countsAVX512(a *census)

//go:noescape
func combineAVX2(a *combination)

//go:noescape
func columnsAVX2(a *expansion)

//go:noescape
func boundsAVX2(a *interval)

//go:noescape
func signsAVX2(a *spread)

//go:noescape
func placesAVX2(a *extent)

//go:noescape
func countsAVX2(a *census)
