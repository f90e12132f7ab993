package modelfile

import _ "embed"

// ExportSklearn is a script in Python that writes scikit-learn's classifiers as JSON,
// for those who have no skl2onnx: their own files are pickles, which are not read.
//
//go:embed helper/sklearn.py
var ExportSklearn string
