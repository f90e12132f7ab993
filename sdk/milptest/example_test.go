package milptest_test

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk/milptest"
)

// Problems of the suite can be had for tests of one's own.
func Example() {
	m := milptest.MarketSplit(2, 8)
	fmt.Println(len(m.Columns), "columns", len(m.Rows), "rows", m.Validate())
	fmt.Println(milptest.Terms(3, 0, 2))
	// Output:
	// 12 columns 2 rows <nil>
	// [{0 3} {2 2}]
}
