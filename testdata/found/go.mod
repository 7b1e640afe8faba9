module found.test

go 1.25.0

require (
	github.com/Workiva/go-datastructures v1.1.7
	github.com/alphadose/haxmap v1.4.0
	github.com/smallnest/chanx v1.2.0
)

require golang.org/x/exp v0.0.0-20221031165847-c99f073a8326 // indirect
