import { checkRules } from "../../../../tests/support/spec_text.ts";

Deno.test("Sidecar: rules", () => {
  checkRules("Sidecar", [
    ["egress", 'egress: [{hosts: ["./*", "*/a.b", "ns/*.c", "~/*"]}]'],
    ["empty", "{}", "required spec 1"],
    [
      "selector",
      'workloadSelector: {labels: {a: "*"}}\negress: [{hosts: ["./*"]}]',
      "invalid-value spec.workloadSelector.labels.a 1",
    ],
    ["policy", "outboundTrafficPolicy: {mode: REGISTRY_ONLY}"],
    [
      "policy mode",
      "outboundTrafficPolicy: {mode: NONE}",
      "unknown-value spec.outboundTrafficPolicy.mode 1",
    ],
    [
      "egress proxy",
      "outboundTrafficPolicy: {mode: REGISTRY_ONLY, egressProxy: {host: a}}",
      "conflict spec.outboundTrafficPolicy.egressProxy 1",
    ],
    [
      "pool",
      "inboundConnectionPool: {http: {maxRetries: -1}}",
      "out-of-range spec.inboundConnectionPool.http.maxRetries 1",
    ],
  ]);
});

Deno.test("Sidecar: egress listeners", () => {
  const egress = (yaml: string) => `egress:\n- hosts: ["./*"]\n  ${yaml}`;
  const AT = "spec.egress[0]";
  checkRules("Sidecar", [
    [
      "port and bind",
      egress("port: {number: 80, protocol: HTTP, name: a}\n  bind: 127.0.0.1\n  captureMode: NONE"),
    ],
    ["no hosts", "egress: [{port: {number: 1}}]", `required ${AT} 1`],
    [
      "hosts",
      'egress: [{hosts: [a, a/, A/b, "a/b_c", "~/a", a/b/c]}]',
      `invalid-host ${AT}.hosts[0] 1`,
      `invalid-host ${AT}.hosts[1] 1`,
      `invalid-name ${AT}.hosts[2] 1`,
      `invalid-host ${AT}.hosts[3] 1`,
      `invalid-value ${AT}.hosts[4] 1`,
      `invalid-host ${AT}.hosts[5] 1`,
    ],
    ["port 0", egress("port: {number: 0}"), `invalid-port ${AT}.port.number 3`],
    ["port 70000", egress("port: {number: 70000}"), `invalid-port ${AT}.port.number 3`],
    ["protocol", egress("port: {number: 1, protocol: x}"), `unknown-value ${AT}.port.protocol 3`],
    ["bind", egress("port: {number: 1}\n  bind: a"), `invalid-address ${AT}.bind 4`],
    [
      "bind and capture",
      egress("port: {number: 1}\n  bind: 1.1.1.1\n  captureMode: IPTABLES"),
      `conflict ${AT}.captureMode 5`,
    ],
    [
      "bind without port",
      egress("bind: 1.1.1.1\n  captureMode: NONE"),
      `conflict ${AT}.bind 3`,
      `conflict ${AT}.captureMode 4`,
    ],
    ["socket", egress("port: {number: 0, protocol: HTTP}\n  bind: unix:///a")],
    [
      "socket with port",
      egress("port: {number: 1}\n  bind: unix://a/"),
      `invalid-address ${AT}.bind 4`,
      `conflict ${AT}.port.number 3`,
    ],
    [
      "port twice",
      `${egress("port: {number: 1}")}\n- hosts: ["./*"]\n  port: {number: 1}`,
      "duplicate spec.egress[1].port 5",
    ],
    [
      "port on two addresses",
      `${egress("port: {number: 1}\n  bind: 1.1.1.1")}\n- hosts: ["./*"]\n  port: {number: 1}`,
    ],
    [
      "two without port",
      'egress: [{hosts: ["./*"]}, {hosts: ["./*"]}]',
      "duplicate spec.egress[1] 1",
    ],
  ]);
});

Deno.test("Sidecar: ingress listeners", () => {
  const ingress = (yaml: string) =>
    `ingress:\n- port: {number: 80, protocol: HTTP, name: a}\n  ${yaml}`;
  const AT = "spec.ingress[0]";
  checkRules("Sidecar", [
    ["endpoint", ingress("defaultEndpoint: 127.0.0.1:8080")],
    ["IPv6 endpoint", ingress('defaultEndpoint: "[::1]:8080"\n  bind: "::1"\n  captureMode: NONE')],
    ["socket", ingress("defaultEndpoint: unix:///a/b")],
    ["no port", "ingress: [{defaultEndpoint: '127.0.0.1:1'}]", `required ${AT} 1`],
    ["port", "ingress: [{port: {number: 0}}]", `invalid-port ${AT}.port.number 1`],
    [
      "foreign endpoint",
      ingress("defaultEndpoint: 1.2.3.4:80"),
      `invalid-address ${AT}.defaultEndpoint 3`,
    ],
    [
      "endpoint without port",
      ingress("defaultEndpoint: 127.0.0.1"),
      `invalid-address ${AT}.defaultEndpoint 3`,
    ],
    [
      "endpoint port",
      ingress("defaultEndpoint: 127.0.0.1:70000"),
      `invalid-port ${AT}.defaultEndpoint 3`,
    ],
    ["bind socket", ingress("bind: unix:///a"), `invalid-address ${AT}.bind 3`],
    ["bind", ingress("bind: a"), `invalid-address ${AT}.bind 3`],
    [
      "port twice",
      "ingress: [{port: {number: 1}}, {port: {number: 1}}]",
      "duplicate spec.ingress[1].port.number 1",
    ],
    ["tls on HTTP", ingress("tls: {mode: SIMPLE, credentialName: c}"), `conflict ${AT}.tls 3`],
    ["pool", ingress("connectionPool: {}"), `required ${AT}.connectionPool 3`],
  ]);
});
