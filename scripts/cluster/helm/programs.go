//go:build tools

// Package programs names what is built, so that `go mod tidy` keeps its module.
package programs

import _ "helm.sh/helm/v3/cmd/helm"
