/**
 * Cases of Services whose endpoints depend on the client's node or network.
 *
 * @module
 */
import {
  createObject,
  deleteObject,
  mergePatch,
  type OrchClient,
  types,
} from "../../../lib/kit/orch/mod.ts";
import { type Daemon, eventually } from "../../../scripts/harness/mod.ts";
import { make, makeService, makeSlice } from "../../support/cluster_objects.ts";
import { type EndpointWatcher, watchEndpoints } from "../../support/endpoint_watcher.ts";

const NODE_IP = "198.51.100.7";
const LOCAL = "outbound|80||local.default.svc.cluster.local";
const REMOTE = "outbound|80||remote.default.svc.cluster.local";
const GATEWAY_PORTS = [{ name: "tls", port: 15443, nodePort: 30443 }];

function has(watcher: EndpointWatcher, cluster: string, addresses: readonly string[]) {
  return eventually(
    `${cluster} at ${addresses}`,
    () => `${watcher.addresses(cluster)}` === `${addresses}`,
    60_000,
  );
}

/** `internalTrafficPolicy: Local`: proxies have the endpoints on their own node. */
export async function nodeLocalServices(client: OrchClient, daemon: Daemon): Promise<void> {
  await makeService(client, "local", { internalTrafficPolicy: "Local" });
  const labels = { "kubernetes.io/service-name": "local" };
  await make(client, types.ENDPOINT_SLICE, { name: "local-1", labels }, {
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints: [["10.1.1.1", "n1"], ["10.1.1.2", "n2"]].map(([address, nodeName]) => ({
      addresses: [address],
      nodeName,
    })),
  });
  const at = (NODE_NAME: string) =>
    watchEndpoints(daemon.xds, [LOCAL], { metadata: { NODE_NAME } });
  using first = at("n1");
  using second = at("n2");
  using third = at("n3");
  await has(first, LOCAL, ["10.1.1.1:8080"]);
  await has(second, LOCAL, ["10.1.1.2:8080"]);
  await has(third, LOCAL, []);
  const service = { namespace: "default", name: "local" };
  await mergePatch(client, types.SERVICE, service, { spec: { internalTrafficPolicy: "Cluster" } });
  for (const one of [first, second, third]) {
    await has(one, LOCAL, ["10.1.1.1:8080", "10.1.1.2:8080"]);
  }
}

/** Gateways of a network: a load balancer with a name, and ports of nodes. */
export async function networkGateways(client: OrchClient, daemon: Daemon): Promise<void> {
  // Endpoints in other networks are reached by mutual TLS alone, which these have.
  const network = { "topology.mesh.io/network": "n2" };
  await make(client, types.POD, {
    name: "remote-1",
    labels: { ...network, "security.mesh.io/tlsMode": "mesh" },
  }, { spec: { containers: [{ name: "c", image: "i" }] } });
  await makeService(client, "remote");
  const targetRef = { kind: "Pod", name: "remote-1", namespace: "default" };
  await makeSlice(client, "remote", ["10.2.0.7"], { targetRef });
  using watcher = watchEndpoints(daemon.xds, [REMOTE], { metadata: { NETWORK: "n1" } });
  await has(watcher, REMOTE, ["10.2.0.7:8080"]);

  await makeBalanced(client, "eastwest", network);
  await reachedAtLocalhost(watcher);
  await deleteObject(client, types.SERVICE, { namespace: "default", name: "eastwest" });
  await has(watcher, REMOTE, ["10.2.0.7:8080"]);

  await createObject(client, types.NODE, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "edge", labels: { pool: "edge" } },
  } as never);
  await makeService(client, "eastwest", { type: "NodePort", ports: GATEWAY_PORTS }, {
    labels: network,
    annotations: { "traffic.mesh.io/nodeSelector": '{"pool": "edge"}' },
  });
  await mergePatch(client, types.NODE, { name: "edge", subresource: "status" }, {
    status: {
      addresses: [
        { type: "InternalIP", address: "10.0.0.7" },
        { type: "ExternalIP", address: NODE_IP },
      ],
    },
  });
  await has(watcher, REMOTE, [`${NODE_IP}:30443`]);
  await mergePatch(client, types.NODE, { name: "edge" }, { metadata: { labels: { pool: null } } });
  await has(watcher, REMOTE, ["10.2.0.7:8080"]);
}

/** A gateway that the networks of the mesh name, whose load balancer has a name. */
export async function namedGateway(client: OrchClient, daemon: Daemon): Promise<void> {
  using watcher = watchEndpoints(daemon.xds, [REMOTE], { metadata: { NETWORK: "n1" } });
  await has(watcher, REMOTE, ["10.2.0.7:8080"]);
  await makeBalanced(client, "named", {});
  const service = "named.default.svc.cluster.local";
  const networks = { n2: { gateways: [{ registryServiceName: service, port: 15443 }] } };
  const map = { namespace: "mesh-system", name: "mesh" };
  await createObject(client, types.CONFIG_MAP, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: map,
    data: { meshNetworks: JSON.stringify({ networks }) },
  } as never);
  await reachedAtLocalhost(watcher);
  // A map that is deleted stays in use.
  await mergePatch(client, types.CONFIG_MAP, map, { data: { meshNetworks: "networks: {}" } });
  await has(watcher, REMOTE, ["10.2.0.7:8080"]);
}

/** Makes a Service whose load balancer has the name `localhost`. */
async function makeBalanced(
  client: OrchClient,
  name: string,
  labels: Record<string, string>,
): Promise<void> {
  const ports = GATEWAY_PORTS.map(({ name, port }) => ({ name, port }));
  await makeService(client, name, { type: "LoadBalancer", ports }, { labels });
  const status = { namespace: "default", name, subresource: "status" };
  await mergePatch(client, types.SERVICE, status, {
    status: { loadBalancer: { ingress: [{ hostname: "localhost" }] } },
  });
}

/** Waits until the remote endpoint is reached by the gateway at `localhost`, and not directly. */
async function reachedAtLocalhost(watcher: EndpointWatcher): Promise<void> {
  await eventually("the addresses of the name", () => {
    const addresses = watcher.addresses(REMOTE) ?? [];
    return addresses.includes("127.0.0.1:15443") && !addresses.includes("10.2.0.7:8080");
  }, 60_000);
}
