import { checkRules } from "../../../../tests/support/spec_text.ts";

const PORTS = "ports: [{number: 80, name: http, protocol: HTTP}]";

Deno.test("ServiceEntry: rules", () => {
  checkRules("ServiceEntry", [
    ["minimal", `hosts: [a.b]\n${PORTS}`],
    ["partial wildcard", `hosts: ["*x", "*.a.b"]\n${PORTS}`],
    ["no hosts", PORTS, "required spec.hosts 0"],
    ["all hosts", `hosts: ["*"]\n${PORTS}`, "invalid-host spec.hosts[0] 1"],
    ["bad host", `hosts: [a, a_b]\n${PORTS}`, "invalid-host spec.hosts[1] 1"],
    ["host twice", `hosts: [a, a]\n${PORTS}`, "duplicate spec.hosts[1] 1"],
    [
      "port 0",
      "hosts: [a.b]\nports: [{number: 0, name: a}]",
      "invalid-port spec.ports[0].number 2",
    ],
    [
      "port 70000",
      "hosts: [a.b]\nports:\n- number: 70000\n  name: a",
      "invalid-port spec.ports[0].number 3",
    ],
    [
      "target port",
      "hosts: [a.b]\nports:\n- {number: 1, name: a, targetPort: 99999}",
      "invalid-port spec.ports[0].targetPort 3",
    ],
    ["port without name", "hosts: [a.b]\nports: [{number: 1}]", "required spec.ports[0] 2"],
    [
      "port name",
      "hosts: [a.b]\nports: [{number: 1, name: a_b}]",
      "invalid-name spec.ports[0].name 2",
    ],
    [
      "protocol",
      "hosts: [a.b]\nports: [{number: 1, name: a, protocol: SMTP}]",
      "unknown-value spec.ports[0].protocol 2",
    ],
    [
      "same port twice",
      "hosts: [a.b]\nports:\n- {number: 1, name: a}\n- {number: 1, name: a}",
      "duplicate spec.ports[1].name 4",
      "duplicate spec.ports[1].number 4",
    ],
    ["addresses", `hosts: [a.b]\naddresses: [1.2.3.4, 10.0.0.0/8, 001:db8::]\n${PORTS}`],
    [
      "bad address",
      `hosts: [a.b]\naddresses: [x]\n${PORTS}`,
      "invalid-address spec.addresses[0] 2",
    ],
    [
      "range with DNS",
      `hosts: [a.b]\naddresses: [10.0.0.0/8]\nresolution: DNS\n${PORTS}`,
      "conflict spec.addresses[0] 2",
    ],
    ["exports", `hosts: [a.b]\nexportTo: [foo, .]\n${PORTS}`],
    ["export to nobody", `hosts: [a.b]\nexportTo: ["~"]\n${PORTS}`],
    ["export", `hosts: [a.b]\nexportTo: [A]\n${PORTS}`, "invalid-name spec.exportTo[0] 2"],
    [
      "export twice",
      `hosts: [a.b]\nexportTo: [., default]\n${PORTS}`,
      "duplicate spec.exportTo[1] 2",
    ],
    [
      "export to all and one",
      `hosts: [a.b]\nexportTo: ["*", a]\n${PORTS}`,
      "conflict spec.exportTo 2",
    ],
  ]);
});

Deno.test("ServiceEntry: resolution and endpoints", () => {
  checkRules("ServiceEntry", [
    [
      "NONE with endpoints",
      `hosts: [a.b]\nendpoints: [{address: 1.1.1.1}]\n${PORTS}`,
      "conflict spec.endpoints 2",
    ],
    ["STATIC", `hosts: [a.b]\nresolution: STATIC\nendpoints: [{address: 1.1.1.1}]\n${PORTS}`],
    [
      "STATIC with a name",
      `hosts: [a.b]\nresolution: STATIC\nendpoints: [{address: x.y}]\n${PORTS}`,
      "invalid-address spec.endpoints[0].address 3",
    ],
    [
      "STATIC unix",
      `hosts: [a.b]\nresolution: STATIC\nendpoints: [{address: "unix:///a/b"}]\n${PORTS}`,
    ],
    [
      "STATIC unix, two ports",
      "hosts: [a.b]\nresolution: STATIC\nendpoints: [{address: 'unix:///a'}]\n" +
      "ports: [{number: 1, name: a}, {number: 2, name: b}]",
      "conflict spec.ports 4",
    ],
    [
      "STATIC relative socket with ports",
      `hosts: [a.b]\nresolution: STATIC\nendpoints: [{address: 'unix://a', ports: {http: 1}}]\n${PORTS}`,
      "invalid-address spec.endpoints[0].address 3",
      "conflict spec.endpoints[0].ports 3",
    ],
    ["DNS", `hosts: [a.b]\nresolution: DNS\n${PORTS}`],
    ["DNS wildcard", `hosts: ["*.b"]\nresolution: DNS\n${PORTS}`, "invalid-host spec.hosts[0] 1"],
    [
      "DNS wildcard to an endpoint",
      `hosts: ["*.b"]\nresolution: DNS\nendpoints: [{address: a.b}]\n${PORTS}`,
    ],
    [
      "DNS unix",
      `hosts: [a.b]\nresolution: DNS\nendpoints: [{address: 'unix:///a'}]\n${PORTS}`,
      "invalid-address spec.endpoints[0].address 3",
    ],
    [
      "round robin over two",
      `hosts: [a.b]\nresolution: DNS_ROUND_ROBIN\nendpoints: [{address: a}, {address: b}]\n${PORTS}`,
      "conflict spec.endpoints 3",
    ],
    [
      "endpoint ports and labels",
      "hosts: [a.b]\nresolution: STATIC\nendpoints:\n- address: 1.1.1.1\n  ports: {nope: 0}\n" +
      `  labels: {a: "b c"}\n${PORTS}`,
      "invalid-port spec.endpoints[0].ports.nope 5",
      "invalid-label spec.endpoints[0].labels.a 6",
      "unknown-port spec.endpoints[0].ports.nope 5",
    ],
    [
      "selector and endpoints",
      `hosts: [a.b]\nresolution: STATIC\nworkloadSelector: {}\nendpoints: [{address: 1.1.1.1}]\n${PORTS}`,
      "conflict spec.endpoints 4",
    ],
    [
      "selector wildcard",
      `hosts: [a.b]\nworkloadSelector: {labels: {a: "*"}}\n${PORTS}`,
      "invalid-value spec.workloadSelector.labels.a 2",
    ],
  ]);
});

Deno.test("WorkloadEntry: rules", () => {
  checkRules("WorkloadEntry", [
    ["address", "address: 1.1.1.1\nports: {http: 80}\nlabels: {a: b}"],
    ["host", "address: example.com"],
    ["path", "address: unix:///foo/bar"],
    ["abstract", "address: unix://@foo"],
    ["network alone", "network: net"],
    ["none", "{}", "required spec.address 0"],
    ["wildcard", 'address: "*.a"', "invalid-address spec.address 1"],
    ["directory", "address: unix:///dir/", "invalid-address spec.address 1"],
    ["relative", "address: unix://relative", "invalid-address spec.address 1"],
    ["socket with ports", "address: unix://@foo\nports: {http: 80}", "conflict spec.ports 2"],
    ["port", "address: 1.1.1.1\nports: {http: 99999}", "invalid-port spec.ports.http 2"],
    ["port name", 'address: 1.1.1.1\nports: {"@": 80}', 'invalid-name spec.ports["@"] 2'],
    ["label", 'address: 1.1.1.1\nlabels: {"a b": c}', 'invalid-label spec.labels["a b"] 2'],
  ]);
});
