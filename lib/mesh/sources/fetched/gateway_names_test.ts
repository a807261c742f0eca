import assert from "node:assert/strict";
import { useEnvironment } from "../../../kit/env/mod.ts";
import { parseMeshNetworks } from "../../schema/mod.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import type { Followed } from "../followed.ts";
import { resolveGateways } from "./gateway_names.ts";

const NETWORKS: MeshNetworks = parseMeshNetworks(
  `networks:
  far:
    endpoints: [{fromCidr: 10.0.0.0/8}]
    gateways:
    - {address: gw.example, port: 15443, locality: r1/z1}
    - {address: 192.0.2.9, port: 15443}
    - {registryServiceName: gw.mesh.svc.cluster.local, port: 15443}
`,
  "networks",
).value!;

function gatewaysOf({ networks }: MeshNetworks): unknown[] {
  return networks.far!.gateways.map(({ gw, port, locality }) => [gw.value, port, locality]);
}

const OTHERS = [["192.0.2.9", 15443, ""], ["gw.mesh.svc.cluster.local", 15443, ""]];

const followed = {
  current: () => NETWORKS,
  subscribe: () => () => {},
} satisfies Followed<MeshNetworks>;

Deno.test("RESOLVE_HOSTNAME_GATEWAYS: a gateway for each address of a name", async () => {
  const { promise, resolve } = Promise.withResolvers<MeshNetworks>();
  using gateways = resolveGateways(followed, (name) => {
    assert.equal(name, "gw.example");
    return Promise.resolve({ addresses: ["192.0.2.2", "192.0.2.1"] });
  });
  gateways.subscribe(resolve);
  assert.deepEqual(gatewaysOf(gateways.current()), OTHERS, "not resolved yet");
  const expected = [["192.0.2.1", 15443, "r1/z1"], ["192.0.2.2", 15443, "r1/z1"], ...OTHERS];
  assert.deepEqual(gatewaysOf(await promise), expected);
  assert.deepEqual(gatewaysOf(gateways.current()), expected);
  assert.equal(gatewaysOf(NETWORKS).length, 3, "the file's value is not changed");
});

Deno.test("RESOLVE_HOSTNAME_GATEWAYS=false: no name is looked up", () => {
  using _ = useEnvironment({ RESOLVE_HOSTNAME_GATEWAYS: "false" });
  using gateways = resolveGateways(followed, () => assert.fail("no look-up"));
  assert.equal(gateways.current(), NETWORKS);
});
