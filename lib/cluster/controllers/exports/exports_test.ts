import assert from "node:assert/strict";
import { type ExportedService, exportOf, missingExports, type ObservedExports } from "./exports.ts";

const item = (name: string, spec: ExportedService["spec"] = {}): ExportedService => ({
  metadata: { name, namespace: "shop", uid: `uid-${name}` },
  spec,
});

Deno.test("Services without an export get one, unless they are not selected", () => {
  const services = [
    item("web"),
    item("shared"),
    item("local"),
    item("outside", { type: "ExternalName" }),
    { metadata: { ...item("gone").metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
  ];
  const missing = missingExports({
    services,
    exports: [item("shared")],
    namespaces: [{ metadata: { name: "shop" } }],
    selection: { selects: ({ name }) => name !== "local" },
  });
  assert.deepEqual(missing.map(({ metadata }) => metadata.name), ["web"]);
});

Deno.test("the labels of a namespace decide, and an unknown namespace is waited for", () => {
  const missing = (namespaces: ObservedExports["namespaces"]) =>
    missingExports({
      services: [item("web")],
      exports: [],
      namespaces,
      selection: { selects: (_, labels) => labels.mesh === "on" },
    }).length;
  assert.equal(missing([]), 0);
  assert.equal(missing([{ metadata: { name: "shop" } }]), 0);
  assert.equal(missing([{ metadata: { name: "shop", labels: { mesh: "on" } } }]), 1);
});

Deno.test("an export belongs to its Service", () => {
  const type = {
    group: "multicluster.test",
    version: "v1",
    kind: "ServiceExport",
    plural: "serviceexports",
    namespaced: true,
  };
  const { apiVersion, metadata } = exportOf(type, item("web"));
  assert.equal(apiVersion, "multicluster.test/v1");
  assert.deepEqual(metadata.ownerReferences, [
    { apiVersion: "v1", kind: "Service", name: "web", uid: "uid-web" },
  ]);
});
