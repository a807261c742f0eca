import assert from "node:assert/strict";
import { MeshError } from "../base/mod.ts";
import { accessOf, type AccessOptions, ALL_CREDENTIAL_OPTIONS } from "./access.ts";
import { loadKubeconfig, parseKubeconfig } from "./kubeconfig.ts";
import { serverUrl } from "./in_cluster.ts";

const ALL: AccessOptions = { allowed: ALL_CREDENTIAL_OPTIONS };

/** A configuration with one context for each user. */
function configText(user: string, cluster = 'server: "https://127.0.0.1:6443"'): string {
  return `apiVersion: v1
kind: Config
current-context: one
clusters: [{name: c, cluster: {${cluster}}}]
users: [{name: u, user: {${user}}}]
contexts:
- {name: one, context: {cluster: c, user: u}}
- {name: two, context: {cluster: c, user: u, namespace: shop}}
- {name: lost, context: {cluster: gone, user: u}}
`;
}

Deno.test("kubeconfig: the current context, or a named one, gives server, namespace and token", async () => {
  const config = parseKubeconfig(configText("token: secret-1"), "a.yaml");
  const one = accessOf(config, ALL);
  assert.deepEqual([one.server, one.name, one.namespace], [
    "https://127.0.0.1:6443",
    "one",
    "default",
  ]);
  assert.equal(await one.token?.current(), "secret-1");
  assert.equal(accessOf(config, { ...ALL, context: "two" }).namespace, "shop");
  assert.equal(accessOf(config, { ...ALL, context: "two", namespace: "x" }).namespace, "x");
});

Deno.test("kubeconfig: data precedes files, which lie beside the configuration", async () => {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${dir}/ca.crt`, "CA of a file");
    await Deno.writeTextFile(`${dir}/key.pem`, "KEY of a file");
    const data = btoa("CERT of data");
    const user =
      `client-certificate: none.crt, client-certificate-data: ${data}, client-key: key.pem`;
    const cluster = 'server: "https://a:1/", certificate-authority: ca.crt';
    await Deno.writeTextFile(`${dir}/config`, configText(user, cluster));
    const access = accessOf(await loadKubeconfig([`${dir}/config`]), ALL);
    assert.deepEqual(await access.tls(), {
      ca: "CA of a file",
      cert: "CERT of data",
      key: "KEY of a file",
    });
    assert.equal(access.server, "https://a:1");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("kubeconfig: the first of several files that has a name counts", async () => {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${dir}/a`, "users: [{name: u, user: {token: first}}]\n");
    await Deno.writeTextFile(`${dir}/b`, configText("token: second"));
    const access = accessOf(await loadKubeconfig([`${dir}/a`, `${dir}/b`]), ALL);
    assert.equal(await access.token?.current(), "first");
    await assert.rejects(loadKubeconfig([`${dir}/none`]), { code: "orch-config" });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("kubeconfig: impersonation needs a user, and options precede the file", () => {
  const config = parseKubeconfig(configText("token: t, as: jane, as-groups: [dev]"), "a.yaml");
  assert.deepEqual(accessOf(config, ALL).impersonate, { user: "jane", groups: ["dev"], uid: "" });
  const options = { ...ALL, as: "joe", asGroups: ["ops"], asUid: "7" };
  assert.deepEqual(accessOf(config, options).impersonate, {
    user: "joe",
    groups: ["ops"],
    uid: "7",
  });
  const nobody = parseKubeconfig(configText("token: t"), "a.yaml");
  assert.throws(() => accessOf(nobody, { ...ALL, asGroups: ["ops"] }), { code: "orch-config" });
});

const REFUSED: readonly (readonly [name: string, user: string, cluster: string | undefined])[] = [
  ["a server that is no address", "token: t", "server: nowhere"],
  [
    "a skipped verification with an authority",
    "token: t",
    'server: "https://a", insecure-skip-tls-verify: true, certificate-authority-data: YQ==',
  ],
  ["a certificate without a key", "client-certificate-data: YQ==", undefined],
  ["a key without a certificate", "client-key: key.pem", undefined],
  ["an unknown auth provider", "auth-provider: {name: openstack}", undefined],
  ["a password with a token", "username: a, password: b, token: t", undefined],
  ["an auth provider with a token", "auth-provider: {name: gcp}, token: t", undefined],
];

for (const [name, user, cluster] of REFUSED) {
  Deno.test(`kubeconfig: ${name} is refused with a remedy`, () => {
    const config = parseKubeconfig(configText(user, cluster), "a.yaml");
    assert.throws(() => accessOf(config, ALL), (error) => {
      assert.ok(error instanceof MeshError && error.code === "orch-config", String(error));
      assert.ok(error.remedy);
      return true;
    });
  });
}

Deno.test("kubeconfig: a program has the mode and the settings of its cluster; another mode is refused", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const pair = { clientCertificateData: "CERT", clientKeyData: "KEY" };
    const exec = (mode: string) =>
      `exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, ` +
      `provideClusterInfo: true, interactiveMode: ${mode}}`;
    const extensions = "extensions: [{name: client.authentication.k8s.io/exec, extension: {a: 1}}]";
    const cluster = `server: "https://a", ${extensions}`;
    const text = `#!/bin/sh\nprintf %s "$KUBERNETES_EXEC_INFO" > ${dir}/info\n` +
      `echo '${JSON.stringify({ status: pair })}'\n`;
    await Deno.writeTextFile(`${dir}/login`, text, { mode: 0o755 });
    const access = accessOf(
      parseKubeconfig(configText(exec("Never"), cluster), `${dir}/config`),
      ALL,
    );
    assert.deepEqual(await access.tls(), { ca: "", cert: "CERT", key: "KEY" });
    assert.deepEqual(JSON.parse(await Deno.readTextFile(`${dir}/info`)).spec, {
      interactive: false,
      cluster: { server: "https://a", config: { a: 1 } },
    });
    const wrong = () => parseKubeconfig(configText(exec("Sometimes")), "a.yaml");
    assert.throws(wrong, /a\.yaml: users\[0\]\.user\.exec\.interactiveMode is not Never/);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("kubeconfig: programs and files as credentials are refused unless they are allowed", () => {
  const users = {
    exec: "exec: {apiVersion: client.authentication.k8s.io/v1, command: get-token}",
    tokenFile: "tokenFile: token",
    clientKey: "client-key: key.pem, client-certificate-data: YQ==",
    clientCertificate: "client-certificate: cert.pem, client-key-data: YQ==",
  } as const;
  for (const [option, user] of Object.entries(users)) {
    const config = parseKubeconfig(configText(user), "a.yaml");
    assert.throws(() => accessOf(config, { allowed: [] }), { code: "orch-credential-refused" });
    accessOf(config, { allowed: [option as keyof typeof users] });
  }
});

Deno.test("kubeconfig: plain text, files of authorities and proxies are refused unless they are allowed", () => {
  const clusters = {
    plaintextServer: "server: http://a",
    certificateAuthority: "server: https://a, certificate-authority: /etc/passwd",
    proxyUrl: "server: https://a, proxy-url: http://proxy:3128",
    insecureSkipVerify: "server: https://a, insecure-skip-tls-verify: true",
  } as const;
  for (const [option, cluster] of Object.entries(clusters)) {
    const config = parseKubeconfig(configText("token: secret-1", cluster), "a.yaml");
    const others = ALL_CREDENTIAL_OPTIONS.filter((one) => one !== option);
    assert.throws(() => accessOf(config, { allowed: others }), (error) => {
      assert.ok(error instanceof MeshError && error.code === "orch-credential-refused");
      assert.match(error.message, /^a\.yaml: cluster .* which is not allowed$/);
      assert.match(error.remedy ?? "", new RegExp(option));
      assert.doesNotMatch(error.message + error.remedy, /secret-1|passwd|3128/);
      return true;
    });
    accessOf(config, { allowed: [option as keyof typeof clusters] });
  }
  const data = "server: https://a, certificate-authority: /x, certificate-authority-data: YQ==";
  accessOf(parseKubeconfig(configText("token: t", data), "a.yaml"), { allowed: [] });
});

Deno.test("kubeconfig: faults name file and field, and never a value", () => {
  const faulty = [
    ["users: [{name: u, user: {token: [secret-2]}}]", /users\[0\]\.user\.token is not a text/],
    ["users: [{name: u, user: {client-key-data: '%secret-2'}}]", /client-key-data is not base64/],
    ["clusters: {}", /clusters is not a list/],
    ["- a", /the document is not a map/],
    ["a: [", /line 1/],
  ] as const;
  for (const [text, pattern] of faulty) {
    assert.throws(() => parseKubeconfig(text, "a.yaml"), (error) => {
      assert.ok(error instanceof MeshError);
      assert.match(error.message, pattern);
      assert.match(error.message, /^a\.yaml/);
      assert.doesNotMatch(error.message, /secret-2/);
      return true;
    });
  }
  const config = parseKubeconfig(configText("token: t"), "a.yaml");
  assert.throws(() => accessOf(config, { ...ALL, context: "lost" }), /no cluster "gone"/);
  assert.throws(() => accessOf(config, { ...ALL, context: "other" }), (error) => {
    assert.match((error as MeshError).remedy ?? "", /one, two, lost/);
    return true;
  });
});

Deno.test("in-cluster: the server's address from host, host and port, or an IPv6 address", () => {
  assert.equal(serverUrl("10.0.0.1"), "https://10.0.0.1");
  assert.equal(serverUrl("api.test:6443"), "https://api.test:6443");
  assert.equal(serverUrl("fd00::1"), "https://[fd00::1]");
  assert.equal(serverUrl("[fd00::1]:6443"), "https://[fd00::1]:6443");
});
