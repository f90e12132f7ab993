package batch

// SetMostTabled limits Tables to the first n neurons of each layer.
func (w *Workspace) SetMostTabled(n int32) { w.left.most = n }
