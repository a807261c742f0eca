import assert from "node:assert/strict";
import { checkRules, readSpec } from "../../../../tests/support/spec_text.ts";

const server = (yaml: string) => `servers:\n- hosts: ["*"]\n  ${yaml}`;
const HTTP = "port: {number: 80, name: http, protocol: HTTP}";
const AT = "spec.servers[0]";
const https = (tls: string) =>
  server(`port: {number: 443, name: s, protocol: HTTPS}\n  tls: {${tls}}`);

Deno.test("Gateway: rules", () => {
  checkRules("Gateway", [
    ["minimal", server(HTTP)],
    ["hosts", `servers: [{hosts: [a, "*.b", "ns/c", "./*", "*/d"], ${HTTP}}]`],
    ["no servers", "selector: {a: b}", "required spec.servers 0"],
    ["selector", `selector: {a: "*"}\n${server(HTTP)}`, "invalid-value spec.selector.a 1"],
    ["no hosts", `servers: [{${HTTP}}]`, `required ${AT} 1`],
    [
      "host",
      `servers: [{hosts: [a_b, A/b, a/b/c], ${HTTP}}]`,
      `invalid-host ${AT}.hosts[0] 1`,
      `invalid-name ${AT}.hosts[1] 1`,
      `invalid-host ${AT}.hosts[2] 1`,
    ],
    ["no port", 'servers: [{hosts: ["*"]}]', `required ${AT} 1`],
    [
      "port 0",
      server("port: {number: 0, name: a, protocol: HTTP}"),
      `invalid-port ${AT}.port.number 3`,
    ],
    [
      "port 70000",
      server("port: {number: 70000, name: a, protocol: HTTP}"),
      `invalid-port ${AT}.port.number 3`,
    ],
    [
      "no name, no protocol",
      server("port: {number: 1}"),
      `required ${AT}.port 3`,
      `required ${AT}.port 3`,
    ],
    [
      "protocol",
      server("port: {number: 1, name: a, protocol: x}"),
      `unknown-value ${AT}.port.protocol 3`,
    ],
    [
      "port name twice",
      `${server(HTTP)}\n- hosts: [a]\n  ${HTTP}`,
      "duplicate spec.servers[1].port.name 5",
    ],
    [
      "server name twice",
      `${server(`name: s\n  ${HTTP}`)}\n- hosts: [a]\n  name: s\n  ${HTTP.replace("http", "b")}`,
      "duplicate spec.servers[1].name 6",
    ],
    ["bind", server(`bind: 1.2.3.4\n  ${HTTP}`)],
    ["bind name", server(`bind: localhost\n  ${HTTP}`), `invalid-address ${AT}.bind 3`],
    ["bind socket", server("bind: unix:///a\n  port: {name: a, protocol: HTTP}")],
  ]);
});

Deno.test("Gateway: TLS", () => {
  checkRules("Gateway", [
    ["credential", https("mode: SIMPLE, credentialName: c")],
    ["files", https("mode: MUTUAL, serverCertificate: c, privateKey: k, caCertificates: a")],
    ["passthrough", https("mode: PASSTHROUGH")],
    ["none", server("port: {number: 443, name: s, protocol: HTTPS}"), `required ${AT} 2`],
    ["no certificate", https("mode: SIMPLE"), `required ${AT}.tls 4`, `required ${AT}.tls 4`],
    [
      "no client CA",
      https("mode: MUTUAL, serverCertificate: c, privateKey: k"),
      `required ${AT}.tls 4`,
    ],
    [
      "two sources",
      https("mode: SIMPLE, credentialName: c, credentialNames: [d]"),
      `conflict ${AT}.tls.credentialNames 4`,
    ],
    [
      "mesh with files",
      https("mode: MESH_MUTUAL, privateKey: k"),
      `conflict ${AT}.tls.privateKey 4`,
    ],
    [
      "versions",
      https("mode: PASSTHROUGH, minProtocolVersion: TLSV1_3, maxProtocolVersion: TLSV1_2"),
      `conflict ${AT}.tls.minProtocolVersion 4`,
    ],
    ["suite twice", https("mode: PASSTHROUGH, cipherSuites: [A, A]")],
    ["redirect", server(`${HTTP}\n  tls: {httpsRedirect: true}`)],
    [
      "on HTTP",
      server(`${HTTP}\n  tls: {mode: SIMPLE, credentialName: c}`),
      `conflict ${AT}.tls 4`,
    ],
  ]);
});

Deno.test("Gateway: a cipher suite that Envoy does not know is warned of", () => {
  const suites = "ECDHE-RSA-AES128-GCM-SHA256, TLS_NULL";
  const { objects, warnings } = readSpec(
    "Gateway",
    https(`mode: SIMPLE, serverCertificate: /c, privateKey: /k, cipherSuites: [${suites}]`),
  );
  assert.equal(objects.length, 1);
  assert.deepEqual(warnings.map(({ code, path }) => `${code} ${path}`), [
    `unknown-value ${AT}.tls.cipherSuites[1]`,
  ]);
});

Deno.test("Gateway: credentials of sources that are not served are warned of by their reason", () => {
  const names = "a, 'kubernetes-gateway://one/c', 'kubernetes://d', 'sds://b'";
  const { objects, warnings } = readSpec(
    "Gateway",
    https(`mode: MUTUAL, credentialNames: [${names}], caCertCredentialName: 'configmap://one/e'`),
  );
  assert.equal(objects.length, 1);
  assert.deepEqual(warnings.map(({ code, path, message }) => [code, path, message]), [
    [
      "no-effect",
      `${AT}.tls.credentialNames[1]`,
      '"kubernetes-gateway://one/c" has an effect only where an object of the Gateway API refers to it',
    ],
    [
      "no-effect",
      `${AT}.tls.caCertCredentialName`,
      '"configmap://one/e" has an effect only where an object of the Gateway API refers to it',
    ],
  ]);
});
