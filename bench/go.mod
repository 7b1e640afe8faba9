module github.com/surewake/surewake/bench

go 1.25.0

replace github.com/surewake/surewake => ../
