import assert from "node:assert/strict";
import { parseYaml } from "../../kit/text/mod.ts";
import { type BundleInput, bundleOf } from "./bundle.ts";
import { groupIn, type MachineGroup, machineGroup } from "./group.ts";

const GROUP: MachineGroup = {
  ...{ name: "tills", namespace: "shop", labels: {}, serviceAccount: "till", network: "" },
  proxyConfig: {},
};
const INPUT: BundleInput = {
  group: GROUP,
  mesh: {},
  ...{ clusterId: "home", address: "10.0.0.9", ingress: "10.0.0.1", revision: "" },
  ...{ meshNamespace: "mesh-system", autoRegister: false, captureDns: true },
  ...{ token: "t", root: "r" },
};

const variables = (input: Partial<BundleInput>) =>
  Object.fromEntries(
    bundleOf({ ...INPUT, ...input })["cluster.env"].trimEnd().split("\n").map((line) => {
      const [, name, value] = /^(\w+)='(.*)'$/.exec(line)!;
      return [name!, value!];
    }),
  );
const config = (input: Partial<BundleInput>) =>
  (parseYaml(bundleOf({ ...INPUT, ...input })["mesh.yaml"]) as {
    defaultConfig: Record<string, unknown> & { proxyMetadata: Record<string, string> };
  }).defaultConfig;

Deno.test("the annotation of a group beats its proxy metadata, which beat those of the mesh", () => {
  const mesh = {
    trustDomain: "shop.test",
    defaultConfig: { meshId: "m1", proxyMetadata: { A: "mesh", B: "mesh", POD_NAMESPACE: "x" } },
  };
  const group = { ...GROUP, proxyConfig: { proxyMetadata: { B: "group" }, concurrency: 1 } };
  const found = variables({ mesh, group });
  assert.deepEqual([found.A, found.B, found.POD_NAMESPACE], ["mesh", "group", "shop"]);
  assert.deepEqual([found.TRUST_DOMAIN, found.MESH_META_MESH_ID], ["shop.test", "m1"]);
  assert.deepEqual([config({ mesh, group }).concurrency, config({ mesh }).meshId], [1, "m1"]);
});

Deno.test("the daemon is that of the revision, unless the mesh configuration names one", () => {
  const address = (input: Partial<BundleInput>) => {
    const { "hosts": hosts } = bundleOf({ ...INPUT, ...input });
    return [config(input).discoveryAddress, variables(input).CA_ADDR, hosts];
  };
  const host = (name: string) => [`${name}:15012`, `${name}:15012`, `10.0.0.1 ${name}\n`];
  assert.deepEqual(address({}), host("meshd.mesh-system.svc"));
  assert.deepEqual(address({ revision: "default" }), host("meshd.mesh-system.svc"));
  assert.deepEqual(address({ revision: "a", meshNamespace: "m" }), host("meshd-a.m.svc"));
  const mesh = { defaultConfig: { discoveryAddress: "edge.test:15012" } };
  assert.deepEqual(address({ mesh }), host("edge.test"));
  assert.equal(address({ ingress: "" })[2], "");
});

Deno.test("labels name the service and its version; the group is the last resort", () => {
  const named = (labels: Record<string, string>) => {
    const found = variables({ group: { ...GROUP, labels } });
    const told = JSON.parse(found.MESH_METAJSON_LABELS!);
    assert.equal(told["service.mesh.io/canonical-name"], found.CANONICAL_SERVICE);
    return [found.CANONICAL_SERVICE, found.CANONICAL_REVISION];
  };
  assert.deepEqual(named({}), ["tills", "latest"]);
  assert.deepEqual(named({ app: "till", version: "v2" }), ["till", "v2"]);
  assert.deepEqual(named({ app: "till", "service.mesh.io/canonical-name": "t" })[0], "t");
});

Deno.test("flags that a group does not need leave no variable", () => {
  const off = variables({ address: "", captureDns: false });
  assert.deepEqual(
    [off.MESH_SVC_IP, off.MESH_META_AUTO_REGISTER_GROUP, off.MESH_META_DNS_CAPTURE],
    [undefined, undefined, "false"],
  );
  const on = variables({ autoRegister: true });
  assert.deepEqual([on.MESH_SVC_IP, on.MESH_META_AUTO_REGISTER_GROUP], ["10.0.0.9", "tills"]);
});

Deno.test("values that a line cannot have are refused", () => {
  for (const [name, value] of [["A", "it's"], ["A", "a\nB=c"], ["A-B", "c"]]) {
    const mesh = { defaultConfig: { proxyMetadata: { [name!]: value } } };
    assert.throws(() => bundleOf({ ...INPUT, mesh }), /cannot be a line of cluster\.env/);
  }
});

Deno.test("a file has one WorkloadGroup, which need not name its API", () => {
  const text = "kind: WorkloadGroup\nmetadata: {name: a}\n";
  const group = machineGroup(groupIn(text, "g.yaml"), "g.yaml", "shop");
  assert.deepEqual([group.name, group.namespace, group.serviceAccount], ["a", "shop", "default"]);
  assert.throws(() => groupIn("kind: Service\n", "g.yaml"), /g\.yaml has no WorkloadGroup/);
  assert.throws(() => groupIn(`${text}---\n${text}`, "g.yaml"), /g\.yaml has 2 WorkloadGroups/);
  assert.throws(() => groupIn("kind: [\n", "g.yaml"), /g\.yaml:\d+: /);
});
