package serve

import (
	"google.golang.org/protobuf/proto"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/internal/topb"
)

// maxPieces bounds a message with pieces, in bytes; only a single piece with a large
// proof may exceed it.
const maxPieces = 1 << 20

// pieces sends lists of any length as messages of bounded size. It blocks while the
// host is behind, so that pieces do not pile up.
func pieces(send func(*solverv1.SolveResponse) error) func([]sdk.Piece) {
	return func(list []sdk.Piece) {
		m, size := &solverv1.Pieces{}, 0
		flush := func() {
			if len(m.Pieces) > 0 {
				_ = send(&solverv1.SolveResponse{Event: &solverv1.SolveResponse_Pieces{Pieces: m}})
			}
			m, size = &solverv1.Pieces{}, 0
		}
		for i := range list {
			p := topb.Piece(&list[i])
			n := proto.Size(p) + 8 // its tag and length
			if size+n > maxPieces {
				flush()
			}
			m.Pieces = append(m.Pieces, p)
			size += n
		}
		flush()
	}
}
