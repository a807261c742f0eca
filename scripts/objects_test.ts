/**
 * The table of `docs/objects.md`: every label and annotation that the code reads is in it, each one in it
 * is read or warned of, and has a test.
 */
import assert from "node:assert/strict";
import { ANNOTATIONS, INEFFECTIVE_KEYS } from "../lib/insight/analyze/mod.ts";
import { codeFiles, hasField, hasText, isTest, keysIn, names } from "./objects/keys.ts";
import { type ObjectRow, OBJECTS } from "./objects/rows.ts";
import { objectsPage, PAGE, rowsOf } from "./objects_page.ts";
import { fromFileUrl, join } from "./paths.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

/** Texts of the form of a key that are none, or are of no object that users write, with the reasons. */
const NO_KEYS: Readonly<Record<string, string>> = {
  "app.kubernetes.io/part-of": "written to definitions",
  "authentication.kubernetes.io/pod-name": "an answer of token reviews",
  "authentication.kubernetes.io/pod-uid": "an answer of token reviews",
  "client.authentication.k8s.io/exec": "an extension of clusters in kubeconfigs",
  "cni.mesh.io/not-ready": "a taint of Nodes: spec.taints",
  "extensions.mesh.io/wasmplugin": "a name of filters",
  "gateway.networking.k8s.io/bundle-version": "on definitions of the Gateway API",
  "internal.mesh.io/route-semantics": "on objects that are made of Ingresses",
  "internal.mesh.io/webhook-always-reject": "on the object by which a webhook is tried",
  "kubectl.kubernetes.io/last-applied-configuration": "dropped when objects are read",
  "kubernetes.io/h2c": "a value of appProtocol",
  "kubernetes.io/service-account-token": "a type of Secrets",
  "kubernetes.io/ws": "a value of appProtocol",
  "kubernetes.io/wss": "a value of appProtocol",
  "mesh.io/ca-root": "a type of Secrets",
  "mesh.io/config": "written to ConfigMaps",
  "mesh.io/deactivated": "on webhook configurations",
  "mesh.io/debug": "a type of resources of xDS",
  "mesh.io/gateway-controller": "a controller of GatewayClasses",
  "mesh.io/heartbeat": "on Leases",
  "mesh.io/holder-revision": "on Leases",
  "mesh.io/ingress-controller": "a controller of IngressClasses",
  "mesh.io/tag": "on webhook configurations",
  "networking.mesh.io/tunnel": "a name of templates of waypoints",
};

/** Keys of objects that the mesh does not serve, with the reasons. */
const OTHER_OBJECTS: Readonly<Record<string, string>> = {
  "ambient.mesh.io/redirection": "written by the node proxy's own agent",
  "ambient.mesh.io/waypoint-inbound-binding": "on Gateways of the Gateway API",
  "gateway.mesh.io/controller-version": "on Gateways of the Gateway API",
  "gateway.mesh.io/managed": "on objects that run waypoints",
  "gateway.mesh.io/name-override": "on Gateways of the Gateway API",
  "gateway.mesh.io/service-account": "on Gateways of the Gateway API",
  "install.operator.mesh.io/chart-owner": "written by installers",
  "install.operator.mesh.io/owner-generation": "written by installers",
  "install.operator.mesh.io/version": "written by installers",
  "networking.mesh.io/service-type": "on Gateways of the Gateway API",
};

const ROWS: ReadonlyMap<string, readonly ObjectRow[]> = Map.groupBy(
  OBJECTS.flatMap(({ labels, annotations }) => [...labels, ...annotations]),
  ({ name }) => name,
);
const WITHOUT_EFFECT = new Set(
  Object.values(INEFFECTIVE_KEYS).flatMap((keys) => Object.keys(keys)),
);
const CODE = await codeFiles();
/** The code that acts by keys; analyzers only warn. */
const ACTING = CODE.filter(({ path }) => !path.startsWith("lib/insight/analyze/"));

Deno.test("each label and annotation that the code reads is in the table", () => {
  const silent = new Set<string>();
  for (const { path, text } of CODE) {
    // Descriptions of variables speak of keys.
    if (path.startsWith("lib/kit/env/") || /\/variables\.ts$/.test(path)) continue;
    for (const key of keysIn(text)) {
      // Versions of API groups have the form of a key.
      if (/\/v\d+\w*$/.test(key) || ROWS.has(key) || WITHOUT_EFFECT.has(key)) continue;
      if (NO_KEYS[key] === undefined && OTHER_OBJECTS[key] === undefined) silent.add(key);
    }
  }
  assert.deepEqual([...silent].sort(), []);
});

Deno.test("each exemption is of a text in the code, and in no row", () => {
  for (const key of [...Object.keys(NO_KEYS), ...Object.keys(OTHER_OBJECTS)]) {
    assert.ok(CODE.some(({ text }) => text.includes(key.split("/").at(-1)!)), key);
    assert.ok(!ROWS.has(key) && !WITHOUT_EFFECT.has(key), key);
  }
});

Deno.test("each label and annotation of the table is read, or it is warned that nothing reads it", () => {
  const ofAnalysis = ["galley.mesh.io/analyze-suppress"];
  const unread = [...ROWS.keys()].filter((key) => !ofAnalysis.includes(key)).filter((key) =>
    !ACTING.some((file) => names(file, key))
  );
  assert.deepEqual(unread, []);
  for (const key of WITHOUT_EFFECT) {
    assert.ok(!ROWS.has(key), `${key} has an effect and is warned of`);
  }
});

Deno.test("each annotation that the analysis knows acts, is warned of, or is of other objects", () => {
  const known = (key: string) =>
    ROWS.has(key) || WITHOUT_EFFECT.has(key) || OTHER_OBJECTS[key] !== undefined;
  assert.deepEqual([...ANNOTATIONS.keys()].filter((key) => !known(key)), []);
});

Deno.test("each row of annotations of the mesh is known to the analysis", () => {
  const ours = OBJECTS.flatMap(({ kind, annotations }) =>
    ["Service", "Pod", "Namespace"].includes(kind) ? annotations : []
  ).map(({ name }) => name).filter((name) => /(^|\.)mesh\.io\//.test(name));
  // Not in the table of the field.
  const own = ["sidecar.mesh.io/capNetBindService"];
  assert.deepEqual(ours.filter((name) => !ANNOTATIONS.has(name)).sort(), own);
});

Deno.test("each row has a test that runs and mentions it", async () => {
  const faults: string[] = [];
  for (const table of OBJECTS) {
    for (const part of ["labels", "annotations", "fields"] as const) {
      for (const { name, test, mention } of rowsOf(table, part)) {
        const row = `${table.kind} ${name}`;
        const text = await Deno.readTextFile(join(ROOT, test)).catch(() => undefined);
        if (text === undefined || !await isTest(test)) faults.push(`${row}: ${test} is no test`);
        else if (!(mention === undefined ? hasRow(text, part, name) : hasText(text, mention))) {
          faults.push(`${row}: not in ${test}`);
        }
      }
    }
  }
  assert.deepEqual(faults, []);
});

function hasRow(text: string, part: "labels" | "annotations" | "fields", name: string): boolean {
  return part === "fields" ? hasField(text, name) : names({ text }, name) || hasText(text, name);
}

Deno.test("a field is found as a word, near the field above it, and not in a comment", () => {
  assert.ok(hasField("ports: [{ port: 80 }]", "spec.ports[].port"));
  assert.ok(!hasField("ports: [{ portable: 80 }]", "spec.ports[].port"));
  assert.ok(!hasField("const port = 80;", "spec.ports[].port"));
  assert.ok(!hasField("  // ports: [{ port: 80 }]", "spec.ports[].port"));
  assert.ok(hasField("found.status?.podIP", "status.podIP"));
  assert.ok(hasField('{ "tls.key": "x" }', "data[tls.key]"));
  assert.ok(!hasField('{ "other.tls.key": "x" }', "data[tls.key]"));
});

Deno.test("docs/objects.md has the rows of the table", async () => {
  assert.equal(await Deno.readTextFile(PAGE), objectsPage(), "run `deno task docs`");
});

Deno.test("a key is found whole, or as its prefix and its name", () => {
  const key = "sidecar.mesh.io/logLevel";
  assert.ok(names({ text: 'const A = "sidecar.mesh.io/logLevel";' }, key));
  assert.ok(names({ text: 'const A = "sidecar.mesh.io/"; read(A + "logLevel");' }, key));
  assert.ok(!names({ text: 'const A = "sidecar.mesh.io/logLevels";' }, key));
  assert.ok(!names({ text: 'const A = "status.sidecar.mesh.io/"; read(A + "logLevel");' }, key));
});
