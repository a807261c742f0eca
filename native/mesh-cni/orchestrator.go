package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	readTimeout = 5 * time.Second
	maxPod      = 4 << 20
)

// An access is the configuration file that the agent writes. It is JSON.
type access struct {
	Clusters []struct {
		Cluster struct {
			Server     string `json:"server"`
			CAFile     string `json:"certificate-authority"`
			CAData     []byte `json:"certificate-authority-data"`
			Skip       bool   `json:"insecure-skip-tls-verify"`
			ServerName string `json:"tls-server-name"`
		} `json:"cluster"`
	} `json:"clusters"`
	Users []struct {
		User struct {
			Token     string `json:"token"`
			TokenFile string `json:"tokenFile"`
		} `json:"user"`
	} `json:"users"`
}

const (
	dataplaneMode = "mesh.io/dataplane-mode"
	// The label of the node proxy's own pods.
	nodeProxyLabel = "app"
	nodeProxyName  = "ztunnel"
)

// An object has the fields of pods and namespaces that tell if a pod is in the mesh.
type object struct {
	Metadata struct {
		UID         string            `json:"uid"`
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		HostNetwork bool `json:"hostNetwork"`
	} `json:"spec"`
}

// memberOf reads a pod and reports if a sidecar was injected into it, and if it is in ambient mode.
func memberOf(file, namespace, name, uid string, ambientEnabled bool) (sidecar, ambient bool, err error) {
	config, err := readAccess(file)
	if err != nil {
		return false, false, err
	}
	path := "/api/v1/namespaces/" + url.PathEscape(namespace)
	var pod object
	if err := config.read(path+"/pods/"+url.PathEscape(name), &pod); err != nil {
		return false, false, err
	}
	// The API server has its own id for a pod that the kubelet starts from a file.
	static := pod.Metadata.Annotations["kubernetes.io/config.hash"]
	if uid != "" && uid != pod.Metadata.UID && uid != static {
		return false, false, errors.New("the API server has another pod of this name")
	}
	if _, injected := pod.Metadata.Annotations[sidecarStatus]; injected {
		return true, false, nil
	}
	if !ambientEnabled || pod.Spec.HostNetwork || pod.Metadata.Labels[nodeProxyLabel] == nodeProxyName {
		return false, false, nil
	}
	if mode, labelled := pod.Metadata.Labels[dataplaneMode]; labelled {
		return false, mode == "ambient", nil
	}
	var space object
	if err := config.read(path, &space); err != nil {
		return false, false, err
	}
	return false, space.Metadata.Labels[dataplaneMode] == "ambient", nil
}

func (a access) read(path string, into *object) error {
	text, err := a.get(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("the API server's answer is not JSON: %w", err)
	}
	return nil
}

func readAccess(file string) (access, error) {
	var read access
	text, err := os.ReadFile(file)
	if err != nil {
		return read, err
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return read, fmt.Errorf("%s is not JSON: %w", file, err)
	}
	if len(read.Clusters) == 0 || len(read.Users) == 0 {
		return read, fmt.Errorf("%s has no cluster or no user", file)
	}
	return read, nil
}

func (a access) get(path string) ([]byte, error) {
	cluster := a.Clusters[0].Cluster
	token, err := a.token()
	if err != nil {
		return nil, err
	}
	roots, err := a.roots()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", strings.TrimSuffix(cluster.Server, "/")+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("authorization", "Bearer "+token)
	client := http.Client{
		// A redirect would send the token to another server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
			RootCAs: roots, ServerName: cluster.ServerName, InsecureSkipVerify: cluster.Skip,
		}},
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the API server answered with status %d", response.StatusCode)
	}
	return io.ReadAll(io.LimitReader(response.Body, maxPod))
}

func (a access) token() (string, error) {
	user := a.Users[0].User
	if user.TokenFile == "" {
		return user.Token, nil
	}
	text, err := os.ReadFile(user.TokenFile)
	return strings.TrimSpace(string(text)), err
}

func (a access) roots() (*x509.CertPool, error) {
	cluster := a.Clusters[0].Cluster
	text := cluster.CAData
	if len(text) == 0 && cluster.CAFile != "" {
		var err error
		if text, err = os.ReadFile(cluster.CAFile); err != nil {
			return nil, err
		}
	}
	if len(text) == 0 {
		return nil, nil
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, errors.New("the certificates of the API server's authority cannot be read")
	}
	return roots, nil
}
