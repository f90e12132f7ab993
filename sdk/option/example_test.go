package option_test

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/option"
)

func Example() {
	described := []sdk.Option{{Name: "p", Default: "0.5", Help: "share of steps down"}, {Name: "neighbours", Default: "10", Help: "rows to begin at"}}
	r := option.Read(described, map[string]string{"p": "0.25"})
	fmt.Println(r.Float("p", 0, 1), r.Int("neighbours", 1, 1000), r.Err())

	r = option.Read(described, map[string]string{"p": "2"})
	r.Float("p", 0, 1)
	fmt.Println(r.Err())
	// Output:
	// 0.25 10 <nil>
	// invalid option: p = "2"; allowed is a number from 0 to 1; p: share of steps down
}
