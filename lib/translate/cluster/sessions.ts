/**
 * Endpoints that sessions may stay with.
 *
 * @module
 */
import { type Cluster, Cluster_CommonLbConfigSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { HealthStatus } from "#envoy/config/core/v3/health_check_pb.ts";
import { create } from "../../proto/mod.ts";
import { isOriginalDestination } from "./load_balancer.ts";

/** Those that are marked to drain among them: they finish what they have begun. */
const STAYS = [
  HealthStatus.UNKNOWN,
  HealthStatus.HEALTHY,
  HealthStatus.DEGRADED,
  HealthStatus.DRAINING,
];

/** Lets sessions stay with endpoints that get no new ones. */
export function keepSessions(cluster: Cluster): void {
  if (isOriginalDestination(cluster)) return;
  cluster.commonLbConfig ??= create(Cluster_CommonLbConfigSchema);
  cluster.commonLbConfig.overrideHostStatus = create(Cluster_CommonLbConfigSchema, {
    overrideHostStatus: { statuses: STAYS },
  }).overrideHostStatus;
}
