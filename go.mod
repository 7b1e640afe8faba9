module github.com/surewake/surewake

go 1.25.0

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/google/gofuzz v1.2.0
	github.com/stretchr/testify v1.12.1
	go.yaml.in/yaml/v3 v3.0.5
	golang.org/x/sys v0.47.0
	golang.org/x/tools v0.48.0
	pgregory.net/rapid v1.3.0
)

require (
	golang.org/x/mod v0.38.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
)
