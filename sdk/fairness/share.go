package fairness

// shareGap measures the difference of two shares, which equals the logits' difference.
var shareGap = definition{
	name: "share", unit: scoreGap.unit, linear: true, binned: true, slope: logitGap.slope,
	check:   checkScoreEpsilon,
	exceeds: logitGap.exceeds, margin: logitGap.margin,
	between: logitGap.between, most: logitGap.most, sure: logitGap.sure,
}
