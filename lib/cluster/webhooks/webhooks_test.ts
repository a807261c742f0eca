import assert from "node:assert/strict";
import { request as httpsRequest } from "node:https";
import { defaultInjectionConfig } from "../inject/mod.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { expose } from "../../kit/metrics/mod.ts";
import { create } from "../../kit/proto/mod.ts";
import { defaultMeshConfig } from "../../mesh/schema/mod.ts";
import { makeAuthority, withCertificates } from "../../../tests/support/certificates.ts";
import { commonName } from "../../../tests/support/peer_certificate.ts";
import { pathVariables } from "../inject/mod.ts";
import { answerPath, type HttpsAnswer, startHttps, type WebhookPaths } from "./mod.ts";

const PATHS: WebhookPaths = {
  injection: {
    config: defaultInjectionConfig,
    mesh: defaultMeshConfig,
    proxySettings: ({ namespace, labels }) =>
      create(ProxyConfigSchema, { proxyMetadata: { SELECTED: `${namespace}/${labels.app}` } }),
    revision: "default",
    nativeSidecars: () => Promise.resolve(false),
    compliancePolicy: "",
    platform: "Default",
    namespaceAnnotations: () => Promise.resolve({ "openshift.io/sa.scc.uid-range": "1000/10" }),
  },
  revision: "default",
  tags: () => new Map([["prod", "default"], ["next", "canary"]]),
  isReady: () => true,
};

const POD = {
  metadata: { name: "a", labels: { app: "web" } },
  spec: { containers: [{ name: "a" }] },
};

function review(request: Record<string, unknown>, apiVersion = "admission.k8s.io/v1"): string {
  return JSON.stringify({ apiVersion, kind: "AdmissionReview", request: { uid: "1", ...request } });
}

function post(
  path: string,
  body: string,
  change: { paths?: Partial<WebhookPaths>; contentType?: string; method?: string } = {},
): Promise<HttpsAnswer> {
  const { paths, contentType = "application/json", method = "POST" } = change;
  const segments = path.split("/").slice(1).map(decodeURIComponent);
  return answerPath({ method, segments, contentType, body }, { ...PATHS, ...paths });
}

interface Response {
  readonly uid: string;
  readonly allowed: boolean;
  readonly patch?: string;
  readonly patchType?: string;
  readonly status?: { readonly message: string };
  readonly warnings?: readonly string[];
}

async function answered(path: string, body: string): Promise<Response> {
  const { status, body: text } = await post(path, body);
  assert.equal(status, 200);
  return JSON.parse(text!).response;
}

Deno.test("an injected pod is a JSON Patch, in the version of the review", async () => {
  for (const version of ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"]) {
    const { status, body } = await post(
      "/inject/cluster/one/net/n--slash--1/custom_key/x/odd",
      review({ operation: "CREATE", namespace: "shop", object: POD }, version),
    );
    assert.equal(status, 200);
    const { apiVersion, response } = JSON.parse(body!);
    assert.equal(apiVersion, version);
    assert.equal(response.patchType, "JSONPatch");
    const patch = atob(response.patch);
    assert.match(patch, /"MESH_META_CLUSTER_ID","value":"one"/);
    assert.match(patch, /"MESH_META_NETWORK","value":"n\/1"/);
    assert.match(patch, /"CUSTOM_KEY","value":"x"/);
    assert.match(patch, /"SELECTED","value":"shop\/web"/);
    assert.doesNotMatch(patch, /ODD/);
  }
  assert.deepEqual(pathVariables(["a", "b", "c"]), [["A", "b"]]);
});

Deno.test("on OpenShift the proxy runs as a user of its namespace", async () => {
  const object = review({ operation: "CREATE", namespace: "shop", object: POD });
  for (const [platform, user] of [["openshift", 1009], ["Default", 1337]] as const) {
    const { body } = await post("/inject", object, {
      paths: { injection: { ...PATHS.injection!, platform } },
    });
    const patch = atob(JSON.parse(body!).response.patch);
    assert.match(patch, new RegExp(`"runAsUser":${user}\\b`), platform);
  }
});

Deno.test("requests that are no reviews have a status", async () => {
  const pod = review({ object: POD });
  assert.deepEqual(await post("/inject", ""), { status: 400, body: "no body found" });
  assert.equal((await post("/inject", pod, { contentType: "text/plain" })).status, 415);
  assert.equal((await post("/inject", "{")).status, 400);
  assert.equal((await post("/inject", "[]")).status, 400);
  assert.equal((await post("/inject", pod, { method: "GET" })).status, 405);
  assert.equal((await post("/other", pod)).status, 404);
  assert.equal((await post("/inject", pod, { paths: { injection: undefined } })).status, 404);
  assert.equal((await post("/ready", "", { method: "GET" })).status, 200);
  assert.equal((await post("/validate", "{")).status, 400);
  assert.match((await expose("")).body, /^galley_validation_http_error\{status="400"\} 1$/m);
});

Deno.test("a pod that cannot be injected is refused with the reason", async () => {
  const annotations = { "sidecar.mesh.io/proxyCPU": "lots" };
  const object = { ...POD, metadata: { ...POD.metadata, annotations } };
  const response = await answered("/inject", review({ namespace: "shop", object }));
  assert.equal(response.allowed, false);
  assert.match(
    response.status!.message,
    /sidecar\.mesh\.io\/proxyCPU"\]: "lots" is not a quantity/,
  );
  const none = await answered("/inject", review({ namespace: "kube-system", object: POD }));
  assert.deepEqual(none, { uid: "1", allowed: true });
});

const GATEWAY = {
  apiVersion: "networking.mesh.io/v1",
  kind: "Gateway",
  metadata: { name: "g", namespace: "shop" },
  spec: {
    selector: { a: "b" },
    servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["a.test"] }],
  },
};

Deno.test("validation names field and remedy, and knows unknown fields and kinds", async () => {
  const judged = (object: unknown, operation = "CREATE") =>
    answered("/validate", review({ operation, namespace: "shop", object }));
  assert.equal((await judged(GATEWAY)).allowed, true);
  const bad = { ...GATEWAY, spec: { ...GATEWAY.spec, servers: [] } };
  const refused = await judged(bad);
  assert.equal(refused.allowed, false);
  assert.match(refused.status!.message, /^configuration is invalid: spec\.servers: .+\. \S/);
  const unknown = { ...GATEWAY, spec: { ...GATEWAY.spec, selectr: {} } };
  assert.match((await judged(unknown)).status!.message, /spec\.selectr: unknown field/);
  assert.equal((await judged(bad, "DELETE")).allowed, true);
  const ofRevision = (revision: string) =>
    judged({ ...bad, metadata: { ...bad.metadata, labels: { "mesh.io/rev": revision } } });
  for (const revision of ["canary", "next", "unknown"]) {
    assert.equal((await ofRevision(revision)).allowed, true, revision);
  }
  for (const revision of ["", "default", "prod"]) {
    assert.equal((await ofRevision(revision)).allowed, false, revision);
  }
  const kind = { ...GATEWAY, kind: "Gatewya" };
  assert.match((await judged(kind)).status!.message, /^unrecognized type/);
  assert.match((await judged(undefined)).status!.message, /^cannot decode configuration/);
  const label = { "internal.mesh.io/webhook-always-reject": "true" };
  const always = { ...GATEWAY, metadata: { ...GATEWAY.metadata, labels: label } };
  assert.equal((await judged(always)).allowed, false);
});

Deno.test(withCertificates("the listener changes its certificate, and bounds bodies", async () => {
  const dir = await Deno.makeTempDir();
  const authority = await makeAuthority(dir);
  const read = async (name: string) => {
    const { cert, key } = await authority.issue(name, ["localhost"]);
    return { cert: await Deno.readTextFile(cert), key: await Deno.readTextFile(key) };
  };
  const server = await startHttps({
    address: "127.0.0.1:0",
    certificate: await read("first"),
    answer: ({ body }) => Promise.resolve({ status: 200, body: `${body.length}` }),
  });
  const ca = await Deno.readTextFile(authority.cert);
  const ask = (body: string) =>
    new Promise<string>((resolve, reject) => {
      const options = { host: "localhost", port: server.address.port, method: "POST", ca };
      const request = httpsRequest({ ...options, agent: false }, (response) => {
        const name = commonName(response.socket);
        let text = "";
        response.on("data", (part) => text += part);
        response.on("end", () => resolve(`${name} ${response.statusCode} ${text}`));
      });
      request.on("error", reject);
      request.end(body);
    });
  assert.equal(await ask("abc"), "first 200 3");
  server.setCertificate(await read("second"));
  assert.equal(await ask("abcd"), "second 200 4");
  const large = await ask("x".repeat(9 << 20)).catch((error: Error) => error.message);
  assert.match(large, /413|reset|EPIPE|closed|hang up/i);
  assert.equal(await ask(""), "second 200 0");
  await server.stop(0);
  await Deno.remove(dir, { recursive: true });
}));

/** Objects that no API server passes on, by what is wrong with them. */
const MISSHAPEN: readonly unknown[] = [
  { metadata: {}, spec: { containers: [null] } },
  { metadata: {}, spec: { containers: [{ name: 1 }, { name: {} }] } },
  { metadata: {}, spec: { containers: {} } },
  { metadata: {}, spec: {} },
  { metadata: { annotations: 1, labels: "x" }, spec: { containers: [{ name: "a" }] } },
  { metadata: { annotations: { "inject.mesh.io/templates": 5 } }, spec: { containers: [] } },
  { metadata: [], spec: { containers: [{ name: "a", ports: [null], env: [null] }] } },
  { spec: { containers: [{ name: "mesh-proxy", env: {}, livenessProbe: { httpGet: 1 } }] } },
  { spec: { containers: [{ name: "a" }], volumes: 1, initContainers: [[]] } },
  { metadata: { ownerReferences: 1 }, spec: { containers: [{ name: "a" }] } },
  nested(20_000),
];

function nested(depth: number): unknown {
  let value: unknown = {};
  for (let i = 0; i < depth; i++) value = { a: value };
  return {
    metadata: { annotations: {} },
    spec: { containers: [{ name: "mesh-proxy", b: value }] },
  };
}

/** Texts of the runtime's own errors. */
const RUNTIME =
  /Cannot read|is not a function|is not iterable|undefined|stack size|\[object|Unexpected/;

Deno.test("refusals have no texts of the runtime's errors", async () => {
  let refused = 0;
  for (const object of MISSHAPEN) {
    for (const path of ["/inject", "/validate"]) {
      const body =
        `{"apiVersion":"admission.k8s.io/v1","request":{"uid":"1","operation":"CREATE",` +
        `"namespace":"shop","object":${text(object)}}}`;
      const { status, body: answer } = await post(path, body);
      assert.doesNotMatch(answer ?? "", RUNTIME);
      if (status === 200 && JSON.parse(answer!).response.allowed === false) refused++;
    }
  }
  assert.ok(refused > MISSHAPEN.length, `${refused}`);
});

/** JSON without the recursion of the runtime, for deep values. */
function text(value: unknown): string {
  let [inner, before, after] = [value, "", ""];
  const deep = (one: unknown): one is { a: unknown } =>
    typeof one === "object" && one !== null && "a" in one;
  try {
    return JSON.stringify(value);
  } catch {
    const containers = (value as { spec: { containers: { b: unknown }[] } }).spec.containers;
    inner = containers[0]!.b;
    while (deep(inner)) {
      before += '{"a":';
      after += "}";
      inner = inner.a;
    }
    return `{"spec":{"containers":[{"name":"mesh-proxy","b":${before}{}${after}}]}}`;
  }
}
