/**
 * A fixed piece of work for comparing machines: encode and hash 100,000 clusters.
 *
 * @module
 */
import { hash } from "../../../lib/kit/base/mod.ts";
import { encode } from "../../../lib/kit/proto/mod.ts";
import { Cluster_DiscoveryType, ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";

/** CPU seconds of the fixed work on this machine, now. */
export function calibrate(count = 100_000): number {
  const start = performance.now();
  let total = 0;
  for (let i = 0; i < count; i++) {
    const bytes = encode(ClusterSchema, {
      name: `outbound|80||svc-${i}.bench.example`,
      clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.EDS },
      edsClusterConfig: { serviceName: `outbound|80||svc-${i}.bench.example` },
      connectTimeout: { seconds: 10n, nanos: 0 },
    });
    total += hash(bytes).length;
  }
  if (total === 0) throw new Error("nothing was hashed");
  return (performance.now() - start) / 1000;
}
