package study

// Shapes are the keys the reader knows, for the test of the schema.
var Shapes = shapes
