import assert from "node:assert/strict";
import { ResourceSchema } from "#mesh/mcp/v1alpha1/resource_pb.ts";
import { VirtualServiceSchema } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { objectsOf, testMeshConfig } from "../../../../tests/support/mesh_fixture.ts";
import {
  contentOf,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import type { View } from "../../graph/mod.ts";
import {
  type ConfigObject,
  nameInCluster,
  nameOfObject,
  objectKey,
  objectUrl,
} from "../../model/mod.ts";
import {
  anyUnpack,
  create,
  createRegistry,
  fromBinary,
  TYPE_URL_PREFIX,
} from "../../../kit/proto/mod.ts";
import { TABLED_KINDS, type TableKind, writtenKind } from "../../schema/mod.ts";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";

const URL = "networking.mesh.io/v1alpha3/VirtualService";

const rule = (timeout: string): string =>
  `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: web, namespace: one, labels: {team: a}, annotations: {note: b}}
spec: {hosts: [web.test], http: [{timeout: ${timeout}, route: [{destination: {host: web.test}}]}]}
`;

function apiClient(config = testMeshConfig()) {
  const bench = startTranslation(config);
  const node = { ...proxyNode("one"), generator: "api" as const };
  return { ...bench, binding: bench.translation.source.bind(node, () => {}) };
}

function read(view: View | undefined, name: string) {
  const { metadata, body } = fromBinary(ResourceSchema, view!.get(name)!.bytes);
  const spec = anyUnpack(body!, createRegistry(VirtualServiceSchema));
  return { metadata, body, spec };
}

Deno.test("objects are served by their type URL, in the envelope of the protocol, with their changes", () => {
  const { binding, set, remove } = apiClient();
  const view = binding.view(URL);
  assert.deepEqual(contentOf(view), {});
  set(rule("1s"));
  const { metadata, body, spec } = read(view, "one/web");
  assert.equal(body?.typeUrl, `${TYPE_URL_PREFIX}mesh.networking.v1alpha3.VirtualService`);
  assert.equal((spec as { hosts?: string[] }).hosts?.[0], "web.test");
  assert.equal(metadata?.name, "one/web");
  assert.deepEqual([metadata?.labels, metadata?.annotations], [{ team: "a" }, { note: "b" }]);
  assert.equal(metadata?.createTime, undefined);
  const before = set(rule("2s"));
  assert.deepEqual(view?.since(before)?.changed.map(({ name }) => name), ["one/web"]);
  assert.notEqual(read(view, "one/web").metadata?.version, metadata?.version);
  // Other versions of the kind have the same objects.
  assert.deepEqual(
    contentOf(binding.view("networking.mesh.io/v1/VirtualService")),
    contentOf(view),
  );
  const removed = remove("VirtualService", "one/web");
  assert.deepEqual(view?.since(removed)?.removed, ["one/web"]);
});

Deno.test("every kind has a view, other names have none, and proxies have none of them", () => {
  const { binding, translation } = apiClient();
  for (const one of Object.values(TABLED_KINDS)) {
    const { group, versions } = one;
    const kind = writtenKind(one);
    for (const version of versions) {
      assert.ok(binding.view(objectUrl({ group, version, kind })), `${group}/${version}/${kind}`);
    }
  }
  for (const url of ["networking.mesh.io/v9/Gateway", "x.test/v1/Gateway", "mesh.io/debug"]) {
    assert.equal(binding.view(url), undefined, url);
  }
  assert.equal(translation.source.bind(proxyNode("one"), () => {}).view(URL), undefined);
  const event = { ...proxyNode("one"), generator: "event" as const };
  assert.equal(translation.source.bind(event, () => {}).view(URL), undefined);
  binding.close();
  assert.equal(binding.view(URL), undefined);
});

Deno.test("defaults of the mesh configuration are not part of a served object", () => {
  const config = create(MeshConfigSchema, {
    ...testMeshConfig(),
    defaultVirtualServiceExportTo: ["."],
  });
  const { binding, set, mesh } = apiClient(config);
  set(rule("1s"));
  assert.deepEqual(mesh.tables.virtualServices.peek("one/web")?.spec.exportTo, ["."]);
  assert.deepEqual(
    (read(binding.view(URL), "one/web").spec as { exportTo?: string[] }).exportTo,
    [],
  );
});

Deno.test("the envelope has the field numbers of the Mesh Configuration Protocol", () => {
  const bytes = (text: string) => [text.length, ...new TextEncoder().encode(text)];
  const message = (tag: number, ...content: number[]) => [tag, content.length, ...content];
  const pair = (key: string, value: string) => [0x0a, ...bytes(key), 0x12, ...bytes(value)];
  const written = Uint8Array.from([
    ...message(
      0x0a, // Resource.metadata = 1
      ...[0x0a, ...bytes("one/web")], // Metadata.name = 1
      ...message(0x12, 0x08, 7), // Metadata.create_time = 2, 7 s
      ...[0x1a, ...bytes("v")], // Metadata.version = 3
      ...message(0x22, ...pair("a", "b")), // Metadata.labels = 4
      ...message(0x2a, ...pair("c", "d")), // Metadata.annotations = 5
    ),
    ...message(0x12, 0x0a, ...bytes("type.googleapis.com/x")), // Resource.body = 2
  ]);
  const { metadata, body } = fromBinary(ResourceSchema, written);
  assert.deepEqual(
    [metadata?.name, metadata?.createTime?.seconds, metadata?.version, body?.typeUrl],
    ["one/web", 7n, "v", "type.googleapis.com/x"],
  );
  assert.deepEqual([metadata?.labels, metadata?.annotations], [{ a: "b" }, { c: "d" }]);
});

Deno.test("rows of pods, and objects of other clusters, are not served", () => {
  const { binding, apply } = apiClient();
  const [own] = objectsOf(`apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: a, namespace: one}
spec: {address: 10.0.0.1}
`);
  const { kind, namespace, origin } = own!.meta;
  const pod = { ...own!, meta: { ...own!.meta, kind: "Pod" } };
  const name = nameInCluster("a", "far");
  const far = { ...own!, meta: { ...own!.meta, name, origin: { ...origin, cluster: "far" } } };
  assert.equal(nameOfObject(far.meta), "a");
  apply({
    objects: [["a", own], ["pod:a", pod], [name, far]].map(([name, object]) => ({
      kind: kind as TableKind,
      key: objectKey({ namespace, name: name as string }),
      object: object as ConfigObject,
    })),
  });
  const view = binding.view("networking.mesh.io/v1/WorkloadEntry");
  assert.deepEqual(Object.keys(contentOf(view)), ["one/a"]);
});
