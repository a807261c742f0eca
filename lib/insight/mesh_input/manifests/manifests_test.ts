/** Requests between the workloads of manifests, asked as users ask them. */
import assert from "node:assert/strict";
import { OfflineMesh } from "../../offline/mod.ts";
import { verdictLine, verdictOf } from "../../verdict/mod.ts";
import { parseConfigDocuments, type SeenDocument } from "../../../mesh/schema/mod.ts";
import { deployedGateway } from "../../../../tests/support/deployed_gateway.ts";
import { objectsOf } from "../../../../tests/support/mesh_fixture.ts";
import { isInjected } from "./pods.ts";
import { manifestChanges } from "./changes.ts";
import { manifestRows } from "./rows.ts";

const NAMESPACE = (labels: string) =>
  `---
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {${labels}}}
`;
const SERVICE = (name: string, spec: string) =>
  `---
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: shop}
spec: {selector: {app: ${name}}, ${spec}}
`;
interface Written {
  readonly kind?: string;
  readonly namespace?: string;
  readonly labels?: string;
  readonly more?: string;
}
const WORKLOAD = (
  name: string,
  { kind = "Deployment", namespace = "shop", labels = "", more = "" }: Written = {},
) =>
  `---
apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  template:
    metadata: {labels: {app: ${name}${labels}}}
    spec:
      serviceAccountName: ${name}
      containers: [{name: c, image: x, ports: [{name: web, containerPort: 8080}]}]
  ${more}
`;
const STRICT = `---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: strict, namespace: shop}
spec: {mtls: {mode: STRICT}}
`;
const FRONT_ALONE = `---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: front, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  rules: [{from: [{source: {principals: ["cluster.local/ns/shop/sa/front"]}}]}]
`;
const EDGE = deployedGateway("name: web, port: 80");
const INJECTED = NAMESPACE("mesh-injection: enabled");
const WEB = SERVICE("web", "ports: [{name: http, port: 80, targetPort: web}]") + WORKLOAD("web");
const SHOP = INJECTED + WEB + WORKLOAD("front") + WORKLOAD("old", { namespace: "legacy" });
const DB = SERVICE("db", "clusterIP: None, ports: [{name: tcp, port: 5432}]") +
  WORKLOAD("db", { kind: "StatefulSet", more: "replicas: 2" });

async function meshOf(text: string): Promise<OfflineMesh> {
  const { objects, seen } = read(text);
  const rows = await manifestRows(seen, {
    objects,
    warn: (message) => assert.fail(message),
  });
  return OfflineMesh.of({ objects: [...objects, ...rows] }).mesh;
}

function read(text: string) {
  const seen: SeenDocument[] = [];
  parseConfigDocuments(text, "test.yaml", undefined, { seen: (one) => seen.push(one) });
  return { objects: objectsOf(text), seen };
}

const CASES: readonly (readonly [
  title: string,
  text: string,
  from: string,
  url: string,
  wanted: RegExp,
])[] = [
  [
    "a Service leads to the named port of its pods",
    SHOP,
    "front.shop",
    "http://web/",
    /^ALLOWED to web\.shop\.svc\.cluster\.local:80: HTTP to 198\.18\.\d+\.\d+:8080/,
  ],
  [
    "an injected client has an identity",
    SHOP + STRICT + FRONT_ALONE,
    "front.shop",
    "http://web/",
    /^ALLOWED/,
  ],
  [
    "a workload of a namespace without injection sends plain text",
    SHOP + STRICT,
    "old.legacy",
    "http://web.shop/",
    /^DENIED by PeerAuthentication\/shop\/strict: .*plain text to port 8080/,
  ],
  [
    "it reaches a server that accepts plain text",
    SHOP,
    "old.legacy",
    "http://web.shop/",
    /^ALLOWED.*198\.18\.\d+\.\d+:8080/,
  ],
  [
    "an injected client sends plain text to a server that is not injected",
    SHOP.replace("{app: web}}\n", "{app: web, sidecar.mesh.io/inject: 'false'}}\n"),
    "front.shop",
    "http://web/",
    /^ALLOWED to web\.shop.*: HTTP to 198\.18\.\d+\.\d+:8080 of outbound/,
  ],
  [
    "a pod of a StatefulSet by its name",
    SHOP + DB,
    "front.shop",
    "tcp://db-1.db.shop.svc.cluster.local:5432",
    /^ALLOWED to db\.shop/,
  ],
  [
    "pods of a StatefulSet are clients",
    SHOP + DB + FRONT_ALONE,
    "db-1.shop",
    "http://web/",
    /^DENIED.*403/,
  ],
  ["a deployed Gateway", SHOP + EDGE, "edge.shop", "http://a.example/", /^ALLOWED to web\.shop/],
  [
    "a deployed Gateway has its account",
    SHOP + EDGE + FRONT_ALONE,
    "edge.shop",
    "http://a.example/",
    /^DENIED by AuthorizationPolicy\/shop\/front/,
  ],
  [
    "no replicas, no endpoints",
    INJECTED + SERVICE("web", "ports: [{name: http, port: 80}]") +
    WORKLOAD("web", { more: "replicas: 0" }) + WORKLOAD("front"),
    "front.shop",
    "http://web/",
    /^DENIED.*503/,
  ],
];

for (const [title, text, from, url, wanted] of CASES) {
  Deno.test(`manifests: ${title}`, async () => {
    const mesh = await meshOf(text);
    assert.match(verdictLine(verdictOf(await mesh.askDeciding({ from, url }))), wanted);
  });
}

Deno.test("manifests: faults of the files before a change are said once", async () => {
  const bad = WORKLOAD("bad", { more: "replicas: -1" });
  const files = read(SHOP + bad);
  const warnings: string[] = [];
  const options = { warn: (message: string) => warnings.push(message) };
  const rows = await manifestRows(files.seen, { ...options, objects: files.objects });
  const change = { ...read(WORKLOAD("new", { more: "replicas: two" })), removals: [] };
  await manifestChanges({ ...files, rows }, change, options);
  assert.deepEqual(warnings.map((one) => /Deployment\/shop\/\w+/.exec(one)?.[0]), [
    "Deployment/shop/bad",
    "Deployment/shop/new",
  ]);
});

Deno.test("manifests: causes have file and line", async () => {
  const mesh = await meshOf(SHOP);
  const { hops } = mesh.ask({ from: "front.shop", url: "http://web/" });
  const cluster = hops[0]?.steps.find(({ step }) => step === "cluster");
  const [cause] = cluster?.causes ?? [];
  assert.deepEqual([cause?.object, cause?.position], ["Service/shop/web", "test.yaml:6"]);
});

const OPTIONS = { warn: (message: string) => assert.fail(message) };

async function changesBy(before: string, change: string, removals: readonly string[] = []) {
  const files = read(before);
  const rows = await manifestRows(files.seen, { ...OPTIONS, objects: files.objects });
  const found = await manifestChanges(
    { ...files, rows },
    { ...read(change), removals },
    OPTIONS,
  );
  return found.map(({ kind, key, object }) => `${object === undefined ? "-" : "+"} ${kind} ${key}`)
    .toSorted();
}

const CHANGES: readonly (readonly [
  title: string,
  before: string,
  change: string,
  wanted: readonly string[],
])[] = [
  ["a document that is there already", SHOP, WORKLOAD("front"), []],
  ["a workload beside others", SHOP, WORKLOAD("new"), ["+ WorkloadEntry shop/pod:new"]],
  [
    "a workload that a Service selects",
    SHOP,
    WORKLOAD("canary").replace("app: canary", "app: web"),
    ["+ ServiceEntry shop/service:web", "+ WorkloadEntry shop/pod:canary"],
  ],
  [
    "a Service with another port",
    SHOP,
    SERVICE("web", "ports: [{name: http, port: 81, targetPort: web}]"),
    ["+ ServiceEntry shop/service:web"],
  ],
  [
    "no replicas any more",
    SHOP,
    WORKLOAD("front", { more: "replicas: 0" }),
    ["- WorkloadEntry shop/pod:front"],
  ],
  [
    "a namespace without injection",
    SHOP,
    NAMESPACE("mesh-injection: disabled"),
    [
      "+ ServiceEntry shop/service:web",
      "+ WorkloadEntry shop/pod:front",
      "+ WorkloadEntry shop/pod:web",
    ],
  ],
  ["an object of the mesh alone", SHOP, STRICT, []],
];

for (const [title, before, change, wanted] of CHANGES) {
  Deno.test(`manifests: changed by ${title}`, async () => {
    assert.deepEqual(await changesBy(before, change), wanted);
  });
}

const FAULTS: readonly (readonly [text: string, fault: string])[] = [
  [SERVICE("web", "ports: {a: b}"), "spec.ports: expected a list"],
  [
    SERVICE("web", "ports: [{port: eighty}]"),
    "spec.ports[0].port: expected a port from 1 to 65535",
  ],
  [SERVICE("web", "ports: [{name: http}]"), "spec.ports[0].port: required"],
  [SERVICE("web", "ports: [null]"), "spec.ports[0]: expected a map"],
  [SERVICE("web", "type: 5"), "spec.type: expected a string"],
  [WORKLOAD("web", { more: "replicas: two" }), "spec.replicas: expected a whole number from 0"],
  [WORKLOAD("web", { more: "replicas: -1" }), "spec.replicas: expected a whole number from 0"],
  [WORKLOAD("web", { labels: ", n: 5" }), "spec.template.metadata.labels.n: expected a string"],
  [
    WORKLOAD("web").replace("[{name: c", "{name: c").replace("8080}]}]", "8080}]}"),
    "spec.template.spec.containers: expected a list",
  ],
  [
    WORKLOAD("web").replace("containerPort: 8080", "containerPort: a"),
    "spec.template.spec.containers[0].ports[0].containerPort: expected a port from 1 to 65535",
  ],
];

for (const [text, fault] of FAULTS) {
  Deno.test(`manifests: left out: ${fault}`, async () => {
    const { objects, seen } = read(text);
    const warnings: string[] = [];
    const rows = await manifestRows(seen, {
      objects,
      warn: (message) => warnings.push(message),
    });
    assert.deepEqual(rows, []);
    const kind = text.includes("kind: Service") ? "Service" : "Deployment";
    assert.deepEqual(warnings, [`test.yaml:2: left out: ${kind}/shop/web: ${fault}`]);
  });
}

const NONE = { labels: {}, annotations: {}, spec: {} };
const INJECTION: readonly (readonly [
  title: string,
  namespace: Readonly<Record<string, string>>,
  pod: Partial<typeof NONE>,
  injected: boolean,
])[] = [
  ["a namespace without labels", {}, {}, false],
  ["a namespace with injection", { "mesh-injection": "enabled" }, {}, true],
  ["a namespace with a revision", { "mesh.io/rev": "canary" }, {}, true],
  ["a namespace that opts out", { "mesh-injection": "disabled" }, {
    labels: { "sidecar.mesh.io/inject": "true" },
  }, false],
  ["a pod that asks", {}, { labels: { "sidecar.mesh.io/inject": "true" } }, true],
  ["a pod with a revision", {}, { labels: { "mesh.io/rev": "canary" } }, true],
  ["a pod that opts out", { "mesh-injection": "enabled" }, {
    labels: { "sidecar.mesh.io/inject": "false" },
  }, false],
  ["a pod that opts out by annotation", { "mesh-injection": "enabled" }, {
    annotations: { "sidecar.mesh.io/inject": "false" },
  }, false],
  ["a pod in the network of its node", { "mesh-injection": "enabled" }, {
    spec: { hostNetwork: true },
  }, false],
  ["ambient mode", { "mesh.io/dataplane-mode": "ambient" }, {}, false],
];

for (const [title, namespace, pod, injected] of INJECTION) {
  Deno.test(`manifests: injection: ${title}`, () => {
    assert.equal(isInjected({ ...NONE, ...pod }, namespace), injected);
  });
}
