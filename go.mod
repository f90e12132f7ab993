module github.com/hyfair/hyfair

go 1.26
