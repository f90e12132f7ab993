//go:build unix

package main

import (
	"time"

	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
)

// handOver sends a piece every 50 ms, regardless of limits and interrupts, and after 30
// pieces the result. name selects a variation.
func handOver(name string, send func(*solverv1.SolveResponse) error) error {
	n := int64(30)
	for i := int64(0); i < n || name == "endless"; i++ {
		time.Sleep(50 * time.Millisecond)
		if name == "stalls" && i == 3 {
			time.Sleep(time.Hour)
		}
		v := float64(i % 4)
		event := &solverv1.SolveResponse{Event: &solverv1.SolveResponse_Pieces{Pieces: &solverv1.Pieces{Pieces: []*solverv1.Piece{
			{Lo: []float64{v, 0}, Hi: []float64{v, 0}, Claim: solverv1.PieceClaim_PIECE_CLAIM_UNDECIDED},
		}}}}
		if name == "talks" {
			event = &solverv1.SolveResponse{Event: &solverv1.SolveResponse_Progress{Progress: &solverv1.Progress{Nodes: i, Shares: halves()}}}
		}
		if err := send(event); err != nil {
			return err
		}
	}
	return send(&solverv1.SolveResponse{Event: &solverv1.SolveResponse_Result{Result: &solverv1.Result{
		Status: solverv1.Status_STATUS_UNKNOWN, Reason: solverv1.Reason_REASON_TIME_LIMIT, Native: "handed over", Shares: halves(), Nodes: n,
	}}})
}
