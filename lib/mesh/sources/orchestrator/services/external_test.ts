import assert from "node:assert/strict";
import { useEnvironment } from "../../../../kit/env/mod.ts";
import type { ApiService } from "./api.ts";
import { nodeFacts } from "./locality.ts";
import { balancerNames, externalFacts, type ExternalInputs, nodeSelector } from "./external.ts";
import { followGatewayNames } from "./gateway_names.ts";

const GATEWAY = { "topology.mesh.io/network": "n2" };
const SELECTOR = "traffic.mesh.io/nodeSelector";

function balanced(labels: Record<string, string>): ApiService {
  return {
    metadata: { name: "gw", namespace: "shop", labels },
    spec: { type: "LoadBalancer" },
    status: { loadBalancer: { ingress: [{ ip: "192.0.2.2" }, { hostname: "lb.test" }] } },
  };
}

const INPUTS = {
  addressesOf: (name: string) => name === "lb.test" ? ["192.0.2.8", "192.0.2.9"] : [],
  isNamedGateway: false,
  nodes: () =>
    ["a", "b"].map((pool, i) =>
      nodeFacts({
        metadata: { name: `n${i}`, labels: { pool } },
        status: {
          addresses: [
            { type: "InternalIP", address: `10.0.0.${i}` },
            { type: "ExternalIP", address: `198.51.100.${i}` },
          ],
        },
      } as never)
    ),
};

Deno.test("names of load balancers have their addresses in gateways of networks only", () => {
  const addresses = (labels: Record<string, string>, inputs: Partial<ExternalInputs> = {}) =>
    externalFacts(balanced(labels), { ...INPUTS, ...inputs }).externalAddresses;
  assert.deepEqual(addresses(GATEWAY), ["192.0.2.2", "192.0.2.8", "192.0.2.9"]);
  assert.deepEqual(addresses({}), ["192.0.2.2", "lb.test"]);
  assert.deepEqual(addresses({}, { isNamedGateway: true }), addresses(GATEWAY));
  const unresolved = { addressesOf: () => [] };
  assert.deepEqual(addresses(GATEWAY, unresolved), ["192.0.2.2", "lb.test"]);
  assert.deepEqual(balancerNames(balanced(GATEWAY), false), ["lb.test"]);
  assert.deepEqual(balancerNames(balanced({}), true), ["lb.test"]);
  assert.deepEqual(balancerNames(balanced({}), false), []);
});

Deno.test("a Service with a selector of nodes has their external addresses and ports", () => {
  const service = (selector: string, type = "NodePort"): ApiService => ({
    metadata: { name: "gw", annotations: { [SELECTOR]: selector } },
    spec: { type, ports: [{ port: 15443, nodePort: 30443 }, { port: 80 }] },
  });
  const found = (selector: string, type?: string) => externalFacts(service(selector, type), INPUTS);
  assert.deepEqual(found('{"pool": "b"}'), {
    externalAddresses: ["198.51.100.1"],
    nodePorts: { 15443: 30443 },
  });
  assert.deepEqual(found("{}").externalAddresses, ["198.51.100.0", "198.51.100.1"]);
  assert.deepEqual(found('{"pool": "b"}', "ClusterIP"), { externalAddresses: [] });
  for (const wrong of ["pool", "[1]", '{"pool": 1}', "null"]) {
    assert.match(`${nodeSelector(service(wrong))}`, /must be a JSON object of labels/);
    assert.deepEqual(found(wrong), { externalAddresses: [] });
  }
});

Deno.test("a name is looked up once for all Services, and is forgotten with the last of them", async () => {
  const pending = Promise.withResolvers<readonly string[]>();
  const asked: string[] = [];
  using names = followGatewayNames({
    resolve: (name) => {
      asked.push(name);
      return Promise.resolve({ addresses: ["192.0.2.1"] });
    },
    changed: pending.resolve,
  });
  names.set("shop a", ["lb.test"]);
  names.set("shop b", ["lb.test"]);
  assert.deepEqual(names.addressesOf("lb.test"), []);
  assert.deepEqual(await pending.promise, ["shop a", "shop b"]);
  assert.deepEqual([asked, names.addressesOf("lb.test")], [["lb.test"], ["192.0.2.1"]]);
  names.set("shop a", []);
  assert.deepEqual(names.addressesOf("lb.test"), ["192.0.2.1"]);
  names.set("shop b", []);
  assert.deepEqual(names.addressesOf("lb.test"), []);
});

Deno.test("RESOLVE_HOSTNAME_GATEWAYS=false: names of load balancers are not looked up", () => {
  using _ = useEnvironment({ RESOLVE_HOSTNAME_GATEWAYS: "false" });
  using names = followGatewayNames({
    resolve: () => assert.fail("no look-up"),
    changed: () => assert.fail("no change"),
  });
  names.set("shop a", ["lb.test"]);
  assert.deepEqual(names.addressesOf("lb.test"), []);
});
