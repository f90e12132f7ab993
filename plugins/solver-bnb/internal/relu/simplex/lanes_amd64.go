package simplex

var variants = []*lanes{{"avx512", addAVX512}, {"avx2", addAVX2}, &scalar}

//go:noescape
func addAVX512(u *update)

//go:noescape
func addAVX2(u *update)
