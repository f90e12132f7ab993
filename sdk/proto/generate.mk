# The wire: Go and Python code from sdk/proto, and the checks on it. Included by
# the Makefile.

PROTOC_GEN_GO_VERSION := v1.36.12
PROTOC_GEN_GO_GRPC_VERSION := v1.6.2
PROTO_BIN := $(CURDIR)/.deps/bin

.PHONY: generate

# Rewrites sdk/internal/pb, sdk/python/hyfair/plugin/_pb and sdk/proto/image.binpb;
# refuses what breaks v1. Rewrites the code of ONNX's messages, too.
generate:
	GOBIN=$(PROTO_BIN) go install google.golang.org/protobuf/cmd/protoc-gen-go@$(PROTOC_GEN_GO_VERSION)
	GOBIN=$(PROTO_BIN) go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@$(PROTOC_GEN_GO_GRPC_VERSION)
	go run ./sdk/internal/protogen -root sdk/proto -out . -bin $(PROTO_BIN)
	go run ./sdk/internal/protogen -foreign -root host/internal/question/modelfile/onnx/pb -out . -bin $(PROTO_BIN)
	sdk/python/generate.sh
