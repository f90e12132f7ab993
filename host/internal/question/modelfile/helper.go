package modelfile

import _ "embed"

// ExportSklearn is a Python script that writes scikit-learn's classifiers as JSON. It needs no
// skl2onnx. Their pickles are not read.
//
//go:embed helper/sklearn.py
var ExportSklearn string
