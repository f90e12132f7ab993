package batch

// SetMostTabled has Tables bound no more than the first neurons of each layer, so many.
func (w *Workspace) SetMostTabled(n int32) { w.left.most = n }
