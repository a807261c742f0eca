/**
 * Cases of the network of a remote cluster: a label of its system namespace.
 *
 * @module
 */
import { mergePatch, type OrchClient, types } from "../../../lib/kit/orch/mod.ts";
import { type Daemon, eventually } from "../../../scripts/harness/mod.ts";
import { make, makeService, makeSlice } from "../../support/cluster_objects.ts";
import { watchEndpoints } from "../../support/endpoint_watcher.ts";

const INNER = "outbound|80||inner.default.svc.cluster.local";

/** Runs the cases. In `b`, a Service with the label of the network `n2` is at 192.0.2.7. */
export async function clusterNetwork(
  { far, daemon }: { readonly far: OrchClient; readonly daemon: Daemon },
): Promise<void> {
  const label = (network: string | null) =>
    mergePatch(far, types.NAMESPACE, { name: "mesh-system" }, {
      metadata: { labels: { "topology.mesh.io/network": network } },
    });
  await label("n2");
  // Endpoints in other networks are reached by mutual TLS alone.
  const labels = { "security.mesh.io/tlsMode": "mesh" };
  await make(far, types.POD, { name: "inner-1", labels }, {
    spec: { serviceAccountName: "default", containers: [{ name: "c", image: "i" }] },
  });
  await makeService(far, "inner");
  const targetRef = { kind: "Pod", name: "inner-1", namespace: "default" };
  await makeSlice(far, "inner", ["10.2.0.8"], { targetRef });
  using near = watchEndpoints(daemon.xds, [INNER], { metadata: { NETWORK: "n1" } });
  using same = watchEndpoints(daemon.xds, [INNER], { metadata: { NETWORK: "n2" } });
  const at = (watcher: typeof near, address: string) =>
    eventually(`${INNER} at ${address}`, () => `${watcher.addresses(INNER) ?? []}` === address);
  await at(near, "192.0.2.7:15443");
  await at(same, "10.2.0.8:8080");
  await label("n1");
  await at(near, "10.2.0.8:8080");
  await label("n2");
  await at(near, "192.0.2.7:15443");
  await label(null);
  await at(near, "10.2.0.8:8080");
}
