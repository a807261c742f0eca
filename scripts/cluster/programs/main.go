// Command programs is etcd, kube-apiserver, kube-controller-manager or kubectl,
// by the name of the link through which it is started. One program is built
// faster than four, and the parts that they share are linked once.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

var programs = map[string]func(){
	"etcd":                    func() { etcdmain.Main(os.Args) },
	"kube-apiserver":          func() { os.Exit(cli.Run(apiserver.NewAPIServerCommand())) },
	"kube-controller-manager": func() { os.Exit(cli.Run(manager.NewControllerManagerCommand())) },
	"kubectl":                 func() { os.Exit(cli.Run(kubectl.NewDefaultKubectlCommand())) },
}

func main() {
	run, ok := programs[filepath.Base(os.Args[0])]
	if !ok {
		fmt.Fprintf(os.Stderr, "%s: start one of the links beside this file\n", os.Args[0])
		os.Exit(2)
	}
	run()
}
