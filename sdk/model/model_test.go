package model_test

import (
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/linear"
	"github.com/hyfair/hyfair/sdk/model"
)

// A family has one reader: a second one is a mistake of the program's.
func TestRegisterPanics(t *testing.T) {
	for name, read := range map[string]func([]byte) (model.Model, error){
		linear.Family: func([]byte) (model.Model, error) { return nil, nil }, "unread": nil,
	} {
		func() {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.Contains(text, name) {
					t.Errorf("%s: %v", name, text)
				}
			}()
			model.Register(name, read)
		}()
	}
	content, err := (&linear.Unit{Weights: []float64{1}}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if m, known, err := model.Read(linear.Family, content); err != nil || !known || m.Family() != linear.Family {
		t.Errorf("%v, %v, %v", m, known, err)
	}
	if _, known, _ := model.Read("unread", nil); known {
		t.Error("a family without a function is known")
	}
}
