package modelfile

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/onnx"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
)

// Messages for files that are not supported: what they are, and what to do.

// folderOf describes a folder in which a library saves a model; "" for others.
func folderOf(path string) string {
	for _, kind := range []struct{ file, what string }{
		{"saved_model.pb", savedModel},
		{"MLmodel", "an MLflow folder: name the model's file in it, saved in a supported format (docs/reference/formats.md)"},
	} {
		if stat, err := os.Stat(filepath.Join(path, kind.file)); err == nil && stat.Mode().IsRegular() {
			return kind.what
		}
	}
	return ""
}

// stranger describes a file in none of the formats, and what to do about it.
func stranger(head []byte) string {
	starts := func(with ...string) bool {
		return slices.ContainsFunc(with, func(w string) bool { return strings.HasPrefix(string(head), w) })
	}
	switch {
	case len(head) == 0:
		return "the file is empty"
	case onnx.IsSavedModel(head):
		return savedModel
	case starts("\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19"):
		return reader.PyTorchFile
	case starts("\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05", "ccopy_reg\n", "csklearn.", "clightgbm.", "cxgboost."):
		return "a pickle (of joblib or pickle), which runs code when it is opened and so is not supported: run the script that hyfair export-helper sklearn prints, or export with skl2onnx.to_onnx"
	case starts("x\x9c", "x\x01", "x\x5e", "x\xda", "\x1f\x8b", "BZh", "\xfd7zXZ"):
		return "a compressed file: unpack it; if joblib wrote it, it is a pickle, which is not supported: run the script that hyfair export-helper sklearn prints"
	case starts("CBM1"):
		return "a CatBoost model in CatBoost's own binary format, which is not supported: save it as JSON, model.save_model(\"model.json\", format=\"json\", pool=pool), where pool is the training data, for the names of categories"
	case starts("booster[0]:", "0:["):
		return xgboostDump
	case starts("binf"):
		return "an XGBoost file of an unsupported kind: save the model with model.save_model(\"model.json\")"
	case starts("<?xml", "<PMML"):
		return "an XML file, such as PMML, which is not supported: export the model as ONNX"
	case len(head) > 9 && head[8] == '{' && head[7] == 0 && head[6] == 0:
		return "a safetensors file, which holds weights without the layers between them: " + reader.PyTorchFile[strings.Index(reader.PyTorchFile, "export"):]
	case len(head) >= 8 && string(head[4:8]) == "TFL3":
		return "a TensorFlow Lite model, which is not supported: save the Keras model that it was made from, with model.save(\"model.keras\")"
	}
	return "neither HDF5 nor JSON nor ONNX; hyfair reads ONNX (PyTorch, scikit-learn and others), XGBoost .json and .ubj, LightGBM .txt, CatBoost .json, Keras .keras and .h5 files, .nnet, and its own .json formats (docs/reference/formats.md)"
}

// savedModel is the error for a TensorFlow folder, which contains saved_model.pb.
const savedModel = "a TensorFlow SavedModel, which is not supported: save the Keras model that it was made from, with model.save(\"model.keras\")"

const xgboostDump = "a dump of an XGBoost model, which lacks its objective, base_score and number of inputs, so that its scores are unknown: save the model itself, model.save_model(\"model.json\")"

// foreignJSON describes a JSON file of another library, and what to do about it; "" for others.
func foreignJSON(text []byte) string {
	has := func(keys ...string) bool {
		return !slices.ContainsFunc(keys, func(key string) bool { return !bytes.Contains(text, []byte(`"`+key+`"`)) })
	}
	switch {
	case has(jsonName):
		return ""
	case has("tree_info", "tree_structure"):
		return "a dump of a LightGBM model, which is supported as a text file only: booster.save_model(\"model.txt\")"
	case has("nodeid", "leaf") || has("nodeid", "split_condition"):
		return xgboostDump
	case has("modelTopology"):
		return "a TensorFlow.js model, which is not supported: save the Keras model that it was made from, with model.save(\"model.keras\")"
	case has("class_name", "config") && has("layers"):
		return "the architecture of a Keras model without its weights: save both, with model.save(\"model.keras\")"
	}
	return ""
}
