/**
 * Addresses of slices that refer to no pod, as people write them: an address that a pod has is that pod.
 *
 * @module
 */
import { deleteObject, mergePatch, type OrchClient, types } from "../../../lib/kit/orch/mod.ts";
import { type Daemon, eventually } from "../../../scripts/harness/mod.ts";
import { make, makeService, makeSlice } from "../../support/cluster_objects.ts";

const HOST = "byhand.default.svc.cluster.local";
const ADDRESS = "10.1.0.41";
const LABEL = "security.mesh.io/tlsMode";

/** The pod comes after the slice, changes, and goes; and an address of two slices. */
export async function addressedPods(client: OrchClient, daemon: Daemon): Promise<void> {
  const shows = (what: string, test: (text: string) => boolean) =>
    eventually(`${HOST}: ${what}`, async () => {
      const shards = await daemon.debug<Record<string, unknown>>("endpointShardz");
      return test(JSON.stringify(shards[HOST] ?? {}));
    });
  const times = (text: string) => text.split(ADDRESS).length - 1;
  await makeService(client, "byhand");
  await makeSlice(client, "byhand", [ADDRESS]);
  let once = 0;
  await shows("an address", (text) => {
    once = times(text);
    return once > 0 && !text.includes("courier");
  });

  const pod = { namespace: "default", name: "byhand" };
  await make(client, types.POD, { name: "byhand", labels: { [LABEL]: "mesh" } }, {
    spec: { serviceAccountName: "courier", containers: [{ name: "c", image: "i" }] },
  });
  await mergePatch(client, types.POD, { ...pod, subresource: "status" }, {
    status: { podIP: ADDRESS, podIPs: [{ ip: ADDRESS }] },
  });
  await shows(
    "labels and account of the pod",
    (text) => text.includes("courier") && text.includes(LABEL),
  );
  const labels = { "kubernetes.io/service-name": "byhand" };
  await make(client, types.ENDPOINT_SLICE, { name: "byhand-2", labels }, {
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints: [{ addresses: [ADDRESS] }, { addresses: ["192.0.2.41"] }],
  });
  await shows("each address once", (text) => text.includes("192.0.2.41") && times(text) === once);
  await deleteObject(client, types.POD, pod);
  await shows("no pod", (text) => times(text) === once && !text.includes("courier"));
}
