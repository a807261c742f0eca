package main

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A call is what a test gives to the program.
type call struct {
	command string
	pod     string
	config  map[string]any
}

// run calls the program and returns its exit status and its output as JSON.
func run(t *testing.T, dir string, c call) (int, map[string]any) {
	t.Helper()
	config := map[string]any{"cniVersion": "1.0.0", "name": "net", "type": "mesh-cni", "cni_agent_run_dir": dir}
	for key, value := range c.config {
		config[key] = value
	}
	stdin, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"CNI_COMMAND": c.command}
	if namespace, name, found := strings.Cut(c.pod, "/"); found {
		env["CNI_ARGS"] = fmt.Sprintf("IgnoreUnknown=1;K8S_POD_NAMESPACE=%s;K8S_POD_NAME=%s;K8S_POD_UID=u1", namespace, name)
	}
	return runText(t, env, string(stdin))
}

func runText(t *testing.T, env map[string]string, stdin string) (int, map[string]any) {
	t.Helper()
	var out, err bytes.Buffer
	status := program{env, strings.NewReader(stdin), &out, &err}.run()
	printed := map[string]any{}
	if out.Len() > 0 {
		if fault := json.Unmarshal(out.Bytes(), &printed); fault != nil {
			t.Fatalf("%v: %s", fault, out.String())
		}
	}
	return status, printed
}

// orchestrator serves pods by name, and writes the configuration file that the program reads.
func orchestrator(t *testing.T, dir string, pods map[string]string) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pod, found := pods[r.URL.Path]
		if r.Header.Get("authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
		} else if !found {
			w.WriteHeader(http.StatusNotFound)
		} else {
			fmt.Fprint(w, pod)
		}
	}))
	t.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	token := filepath.Join(dir, "token")
	write(t, token, "secret\n")
	text, _ := json.Marshal(map[string]any{
		"clusters": []any{map[string]any{"cluster": map[string]any{
			"server": server.URL, "certificate-authority-data": authority,
		}}},
		"users": []any{map[string]any{"user": map[string]any{"tokenFile": token}}},
	})
	write(t, filepath.Join(dir, "mesh-cni-orchconfig"), string(text))
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestWithoutAgentWhatNeedsNoRulesPasses(t *testing.T) {
	dir := t.TempDir()
	previous := map[string]any{"prevResult": map[string]any{"cniVersion": "0.4.0", "ips": []any{}}}
	excluded := map[string]any{"exclude_namespaces": []string{"kube-system"}}
	elsewhere := map[string]any{"pod_namespace": "plugins"}
	for _, c := range []call{
		{"DEL", "shop/a", nil}, {"GC", "", nil}, {"STATUS", "", nil},
		{"ADD", "", previous},
		{"ADD", "kube-system/dns", excluded},
		{"ADD", "mesh-system/mesh-cni-node-x", nil},
		{"ADD", "plugins/mesh-cni-node-x", elsewhere},
	} {
		status, printed := run(t, dir, c)
		if status != 0 {
			t.Errorf("%v: status %d, %v", c, status, printed)
		}
		if c.command == "ADD" && printed["cniVersion"] != "1.0.0" {
			t.Errorf("%v: %v", c, printed)
		}
	}
	if _, printed := run(t, dir, call{"ADD", "", previous}); printed["ips"] == nil {
		t.Errorf("the previous result is not passed on: %v", printed)
	}
}

func TestWithoutAgentOnlyPodsWithoutSidecarPass(t *testing.T) {
	dir := t.TempDir()
	pod := func(uid, annotations string) string {
		return fmt.Sprintf(`{"metadata":{"uid":%q,"annotations":{%s}}}`, uid, annotations)
	}
	path := "/api/v1/namespaces/shop/pods/"
	orchestrator(t, dir, map[string]string{
		path + "plain":   pod("u1", ""),
		path + "static":  pod("u2", `"kubernetes.io/config.hash":"u1"`),
		path + "sidecar": pod("u1", `"sidecar.mesh.io/status":"{}"`),
		path + "other":   pod("u2", ""),
		path + "broken":  "{",
	})
	for name, code := range map[string]float64{
		"plain": 0, "static": 0, "sidecar": codeAgain, "other": codeAgain, "broken": codeAgain, "gone": codeAgain,
	} {
		status, printed := run(t, dir, call{"ADD", "shop/" + name, nil})
		got, _ := printed["code"].(float64)
		if got != code || (status == 0) != (code == 0) {
			t.Errorf("%s: status %d, %v", name, status, printed)
		}
	}
}

func TestWithoutAgentPodsInAmbientModeWait(t *testing.T) {
	dir := t.TempDir()
	object := func(labels, more string) string {
		return fmt.Sprintf(`{"metadata":{"uid":"u1","labels":{%s}}%s}`, labels, more)
	}
	const ambient, none = `"mesh.io/dataplane-mode":"ambient"`, `"mesh.io/dataplane-mode":"none"`
	orchestrator(t, dir, map[string]string{
		"/api/v1/namespaces/in":                 object(ambient, ""),
		"/api/v1/namespaces/out":                object("", ""),
		"/api/v1/namespaces/in/pods/plain":      object("", ""),
		"/api/v1/namespaces/in/pods/none":       object(none, ""),
		"/api/v1/namespaces/in/pods/node":       object("", `,"spec":{"hostNetwork":true}`),
		"/api/v1/namespaces/in/pods/proxy":      object(`"app":"ztunnel"`, ""),
		"/api/v1/namespaces/out/pods/plain":     object("", ""),
		"/api/v1/namespaces/out/pods/labelled":  object(ambient, ""),
		"/api/v1/namespaces/unknown/pods/plain": object("", ""),
	})
	for pod, code := range map[string]float64{
		"in/plain": codeAgain, "in/none": 0, "in/node": 0, "in/proxy": 0,
		"out/plain": 0, "out/labelled": codeAgain, "unknown/plain": codeAgain,
	} {
		_, printed := run(t, dir, call{"ADD", pod, map[string]any{"ambient_enabled": true}})
		if got, _ := printed["code"].(float64); got != code {
			t.Errorf("%s: %v", pod, printed)
		}
		_, printed = run(t, dir, call{"ADD", pod, nil})
		if printed["code"] != nil {
			t.Errorf("%s without ambient mode: %v", pod, printed)
		}
	}
}

func TestWithoutAgentAndAccessNoPodPasses(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"", "{", `{"clusters":[],"users":[]}`} {
		if text != "" {
			write(t, filepath.Join(dir, "mesh-cni-orchconfig"), text)
		}
		if _, printed := run(t, dir, call{"ADD", "shop/a", nil}); printed["code"] != float64(codeAgain) {
			t.Errorf("%q: %v", text, printed)
		}
	}
}

func TestWithoutAgentHalfANameIsAnError(t *testing.T) {
	for _, pod := range []string{"shop/", "/a"} {
		if _, printed := run(t, t.TempDir(), call{"ADD", pod, nil}); printed["code"] != float64(codeEnvironment) {
			t.Errorf("%s: %v", pod, printed)
		}
	}
}

func TestBadInputIsAnErrorWithItsCode(t *testing.T) {
	large := `{"cniVersion":"1.0.0","x":"` + strings.Repeat("a", maxStdin) + `"}`
	for _, c := range []struct {
		command, stdin string
		code           float64
	}{
		{"ADD", "", codeDecode}, {"ADD", "[]", codeDecode}, {"ADD", large, codeDecode},
		{"ADD", strings.Repeat("[", 100_000), codeDecode},
		{"ADD", `{"cni_agent_run_dir":"run"}`, codeConfig},
		{"ADD", `{"cniVersion":"1.0.0","exclude_namespaces":"a"}`, codeConfig},
		{"ADD", fmt.Sprintf(`{"cniVersion":"9.0.0","cni_agent_run_dir":%q}`, t.TempDir()), codeVersion},
		{"SUB", fmt.Sprintf(`{"cniVersion":"1.0.0","cni_agent_run_dir":%q}`, t.TempDir()), codeEnvironment},
		{"CHECK", fmt.Sprintf(`{"cniVersion":"1.0.0","cni_agent_run_dir":%q}`, t.TempDir()), codeAgain},
	} {
		status, printed := runText(t, map[string]string{"CNI_COMMAND": c.command}, c.stdin)
		if status != 1 || printed["code"] != c.code || printed["msg"] == "" || printed["cniVersion"] == "" {
			t.Errorf("%.40q: status %d, %v", c.stdin, status, printed)
		}
	}
	if status, _ := runText(t, map[string]string{"CNI_COMMAND": "DEL"}, "{"); status != 0 {
		t.Errorf("DEL failed with status %d", status)
	}
}

func TestTheAgentAnswers(t *testing.T) {
	dir := t.TempDir()
	lines := make(chan string, 1)
	status := http.StatusOK
	var got request
	mux := http.NewServeMux()
	mux.HandleFunc("/cni", func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&got)
		w.WriteHeader(status)
		fmt.Fprint(w, `{"exitCode":7,"stdout":"{\"from\":\"agent\"}","stderr":""}`)
	})
	mux.HandleFunc("/log", func(_ http.ResponseWriter, r *http.Request) {
		var line map[string]string
		_ = json.NewDecoder(r.Body).Decode(&line)
		lines <- line["msg"]
	})
	for _, name := range []string{"pluginevent.sock", "log.sock"} {
		listener, err := net.Listen("unix", filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		server := http.Server{Handler: mux}
		go server.Serve(listener)
		t.Cleanup(func() { server.Close() })
	}
	exit, printed := run(t, dir, call{"ADD", "shop/a", nil})
	if exit != 7 || printed["from"] != "agent" {
		t.Errorf("status %d, %v", exit, printed)
	}
	if got.Env["CNI_COMMAND"] != "ADD" || !strings.Contains(got.Stdin, `"mesh-cni"`) {
		t.Errorf("the agent got %v", got)
	}
	status = http.StatusInternalServerError
	if _, printed = run(t, dir, call{"ADD", "shop/a", nil}); printed["code"] != float64(codeAgain) {
		t.Errorf("a call that the agent did not answer: %v", printed)
	}
	if line := <-lines; !strings.Contains(line, "500") {
		t.Errorf("the agent's log got %q", line)
	}
}

func TestOnlyVariablesOfTheStandardAreKept(t *testing.T) {
	kept := cniVariables([]string{"CNI_ARGS=A=b;C=d", "PATH=/bin", "CNI_NETNS="})
	if len(kept) != 2 || kept["CNI_ARGS"] != "A=b;C=d" {
		t.Errorf("%v", kept)
	}
}
