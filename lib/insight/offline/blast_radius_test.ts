/** The requests that a comparison of two meshes tries, and what it says of those that stay denied. */
import assert from "node:assert/strict";
import { ITEMS_MESH } from "../../../tests/support/items_mesh.ts";
import { objectsOf } from "../../../tests/support/mesh_fixture.ts";
import type { ConfigObject } from "../../mesh/model/mod.ts";
import { blastRadius, blastText, OfflineMesh } from "./mod.ts";

const MESH = `${ITEMS_MESH}---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec: {selector: {app: edge}, servers: [{port: {number: 8080, name: http, protocol: HTTP}, hosts: ["*"]}]}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: items, namespace: shop}
spec:
  hosts: [items.test]
  gateways: [edge]
  http: [{route: [{destination: {host: items.example, port: {number: 80}}}]}]
---
`;
const EDGE = `apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: edge-1, namespace: edge}
spec: {address: 172.16.0.8, labels: {app: edge}, serviceAccount: edge}
---
`;
const policy = (principals: string, to = "") =>
  `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: readers, namespace: shop}
spec:
  selector: {matchLabels: {app: items}}
  rules: [{from: [{source: {principals: [${principals}]}}]${to}}]
`;
const BOTH = "cluster.local/ns/web/sa/front, cluster.local/ns/edge/sa/edge";

async function changed(before: string, documents: string) {
  const objects: ConfigObject[] = objectsOf(before);
  return await blastRadius({
    ...{ objects, documents, removals: [] },
    limits: ["files do not tell which proxies run"],
    signal: new AbortController().signal,
  });
}

Deno.test("diff: both callers that a change breaks are found, the gateway by its account", async () => {
  const blast = await changed(MESH + EDGE + policy(BOTH), policy("cluster.local/ns/web/sa/other"));
  const denied = blast.requests.changes.filter(({ change }) => change === "denied");
  assert.deepEqual([...new Set(denied.map(({ from }) => from))].sort(), ["edge.edge", "front.web"]);
  assert.match(blastText(blast), /^note: files do not tell which proxies run$/m);
  assert.match(
    blastText(blast),
    /^denied before and after it: \d+ of items\.shop, such as [^\n]*\n {4}DENIED by AuthorizationPolicy\/shop\/readers/m,
  );
  // Who is newly named by the policy is tried as well.
  assert.ok(
    blast.requests.changes.some(({ from, change }) =>
      from === "web/service-account=other" && change === "allowed"
    ),
  );
});

Deno.test("diff: a gateway without a known account is not known, and not denied", async () => {
  const blast = await changed(MESH + policy(BOTH), policy("cluster.local/ns/web/sa/front"));
  const { stayUnknown, changes } = blast.requests;
  assert.deepEqual([...new Set(stayUnknown.map(({ from }) => from))], ["edge.shop"]);
  assert.ok(!changes.some(({ from }) => from === "edge.shop"));
  assert.match(
    blastText(blast),
    /^not known: \d+ of edge\.shop.*\n {4}UNKNOWN: .*gateway's account/m,
  );
});

Deno.test("diff: each path, method and token of a policy is tried, and one beside it", async () => {
  const to = ", to: [{operation: {methods: [GET], paths: [/items/*, /health]}}]";
  const blast = await changed(MESH + EDGE + policy(BOTH), policy(BOTH, to));
  const front = blast.requests.changes.filter(({ from }) => from === "front.web")
    .map(({ url, details, change }) => `${change} ${details} ${new URL(url).pathname}`);
  assert.deepEqual(front.sort(), [
    "denied  /",
    "denied  /health-beside",
    "denied  /items-beside",
    "denied POST /health",
    "denied POST /items/x",
  ]);
});

Deno.test("diff: a pod without a sidecar is no proxy", () => {
  const [entry] = objectsOf(EDGE);
  const facts = {
    health: "healthy",
    namespace: "edge",
    workload: "",
    hostname: "",
    node: "",
    pod: true,
  };
  const pod = (name: string, labels: Readonly<Record<string, string>>): ConfigObject => ({
    ...entry!,
    meta: { ...entry!.meta, name, labels },
    pod: facts as NonNullable<ConfigObject["pod"]>,
  });
  const injected = pod("injected", { "security.mesh.io/tlsMode": "mesh" });
  const { mesh } = OfflineMesh.of({ objects: [pod("bare", {}), injected] });
  assert.deepEqual(mesh.representatives().map(({ workload }) => workload.name), ["injected"]);
});

Deno.test("explain: without capture the workload connects to the listener of its proxy", () => {
  const sidecar = `---
apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: own, namespace: web}
spec:
  egress: [{port: {number: 9080, protocol: HTTP, name: http}, bind: 127.0.0.1, captureMode: NONE, hosts: ["shop/*"]}]
`;
  const { mesh } = OfflineMesh.of({ objects: objectsOf(MESH.replace(/---\n$/, "") + sidecar) });
  const found = mesh.ask({ from: "front.web", url: "http://items.example:9080/" });
  assert.equal(found.hops[0]?.destination, "127.0.0.1:9080");
  assert.deepEqual(found.outcomes.map(({ kind }) => kind), ["reached"]);
});
