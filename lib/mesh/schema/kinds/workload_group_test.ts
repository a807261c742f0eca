import { checkRules } from "../../../../tests/support/spec_text.ts";

const probe = (yaml: string) => `template: {serviceAccount: a}\nprobe: ${yaml}`;

const labels = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`l${i}`, "a"])));

Deno.test("WorkloadGroup: rules", () => {
  checkRules("WorkloadGroup", [
    ["template alone", "template: {}"],
    [
      "all",
      "metadata: {labels: {app: a}, annotations: {x: z}}\n" +
      "template: {ports: {http: 80}, labels: {v: '1'}, network: net, locality: a/b, weight: 2}\n" +
      "probe: {periodSeconds: 5, httpGet: {path: /, port: 1, scheme: HTTPS, httpHeaders: [{name: A}]}}",
    ],
    ["no template", "metadata: {}", "required spec 1"],
    [
      "label",
      "template: {}\nmetadata: {labels: {a: '-'}}",
      "invalid-label spec.metadata.labels.a 2",
    ],
    ["labels", `template: {}\nmetadata: {labels: ${labels(1_000)}}`],
    [
      "too many labels",
      `template: {labels: ${labels(1_001)}}\nmetadata: {labels: ${labels(1_001)}}`,
      "too-large spec.template.labels 1",
      "too-large spec.metadata.labels 2",
    ],
    ["template's port", "template: {ports: {http: 0}}", "invalid-port spec.template.ports.http 1"],
    ["template's address", "template: {address: a_b}", "invalid-address spec.template.address 1"],
    ["no method", probe("{periodSeconds: 1}"), "required spec.probe 2"],
    [
      "two methods",
      probe("{tcpSocket: {port: 1}, exec: {command: [a]}}"),
      "exclusive-fields spec.probe.exec 2",
    ],
    [
      "negative",
      probe("{tcpSocket: {port: 1}, initialDelaySeconds: -1, failureThreshold: -1}"),
      "out-of-range spec.probe.initialDelaySeconds 2",
      "out-of-range spec.probe.failureThreshold 2",
    ],
    ["tcp port", probe("{tcpSocket: {port: 65536}}"), "invalid-port spec.probe.tcpSocket.port 2"],
    ["grpc port", probe("{grpc: {}}"), "invalid-port spec.probe.grpc.port 2"],
    ["no command", probe("{exec: {}}"), "required spec.probe.exec 2"],
    [
      "http",
      probe("{httpGet: {port: 0, path: x, scheme: ftp, httpHeaders: [{name: 'a b'}]}}"),
      "invalid-port spec.probe.httpGet.port 2",
      "invalid-value spec.probe.httpGet.path 2",
      "unknown-value spec.probe.httpGet.scheme 2",
      "invalid-header spec.probe.httpGet.httpHeaders[0].name 2",
    ],
  ]);
});

Deno.test("ProxyConfig: rules", () => {
  checkRules("ProxyConfig", [
    ["nothing", "{}"],
    [
      "all",
      "selector: {matchLabels: {a: b}}\nconcurrency: 0\nenvironmentVariables: {A: b}\nimage: {imageType: debug}",
    ],
    ["empty selector", "selector: {matchLabels: {}}"],
    [
      "empty key",
      'selector: {matchLabels: {"": b}}',
      'invalid-value spec.selector.matchLabels[""] 1',
    ],
    [
      "wildcard",
      "selector: {matchLabels: {a: '*'}}",
      "invalid-value spec.selector.matchLabels.a 1",
    ],
    ["concurrency", "concurrency: -1", "out-of-range spec.concurrency 1"],
    [
      "variable",
      "environmentVariables: {a=b: c}",
      'invalid-value spec.environmentVariables["a=b"] 1',
    ],
    ["no variable", 'environmentVariables: {"": c}', 'required spec.environmentVariables[""] 1'],
  ]);
});
