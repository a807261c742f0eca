import assert from "node:assert/strict";
import { desiredConfigMaps, type ObservedRoots, ROOT_KEY } from "./root_certificates.ts";

const LABELS = { "mesh.io/config": "true" };

function namespace(name: string, rest: Record<string, unknown> = {}) {
  return { metadata: { name, ...rest } };
}

function configMap(namespace: string, roots: string, labels: Record<string, string> = LABELS) {
  const metadata = { name: "mesh-ca-root-cert", namespace, labels };
  return { metadata, data: { [ROOT_KEY]: roots } };
}

function written(observed: Partial<ObservedRoots>): (string | undefined)[] {
  const state = {
    namespaces: [namespace("a"), namespace("b")],
    configMaps: [],
    roots: "R",
    selection: { selects: () => true },
    ...observed,
  };
  return desiredConfigMaps(state).map(({ metadata }) => metadata.namespace);
}

Deno.test("a root ConfigMap is written where it is missing, outdated or has lost its label", () => {
  assert.deepEqual(written({}), ["a", "b"]);
  assert.deepEqual(written({ configMaps: [configMap("a", "R")] }), ["b"]);
  assert.deepEqual(written({ configMaps: [configMap("a", "old"), configMap("b", "R")] }), ["a"]);
  assert.deepEqual(written({ configMaps: [configMap("a", "R", {}), configMap("b", "R")] }), ["a"]);
});

Deno.test("no root ConfigMap: unselected, ending and system namespaces, and before there are roots", () => {
  assert.deepEqual(written({ selection: { selects: (name) => name !== "a" } }), ["b"]);
  const ending = namespace("a", { deletionTimestamp: "2026-01-01T00:00:00Z" });
  assert.deepEqual(written({ namespaces: [ending, namespace("kube-system")] }), []);
  assert.deepEqual(written({ roots: undefined }), []);
});
