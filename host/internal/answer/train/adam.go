package train

import "math"

// Adam's constants as its authors give them: Kingma and Ba, "Adam: A Method
// for Stochastic Optimization", ICLR 2015, Algorithm 1. DefaultLearningRate is
// their step size α.
const (
	DefaultLearningRate = 0.001
	beta1               = 0.9
	beta2               = 0.999
	adamEpsilon         = 1e-8
)

// adam is the state of the optimiser for one flat vector of parameters.
type adam struct {
	mean, square   []float64 // running means of the gradient and of its square
	power1, power2 float64   // beta1^t and beta2^t
}

func newAdam(parameters int) *adam {
	return &adam{
		mean: make([]float64, parameters), square: make([]float64, parameters),
		power1: 1, power2: 1,
	}
}

// step moves the parameters against the gradient.
func (a *adam) step(parameters, gradient []float64, rate float64) {
	a.power1 = float64(a.power1 * beta1)
	a.power2 = float64(a.power2 * beta2)
	correct1, correct2 := 1-a.power1, 1-a.power2
	for i, g := range gradient {
		a.mean[i] = float64(beta1*a.mean[i]) + float64((1-beta1)*g)
		a.square[i] = float64(beta2*a.square[i]) + float64(float64((1-beta2)*g)*g)
		mean, square := a.mean[i]/correct1, a.square[i]/correct2
		parameters[i] -= float64(rate*mean) / (math.Sqrt(square) + adamEpsilon)
	}
}
