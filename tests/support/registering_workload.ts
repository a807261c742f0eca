/**
 * A proxy that registers its workload: one discovery stream with the name of a WorkloadGroup.
 *
 * @module
 */
import { create, encode } from "../../lib/kit/proto/mod.ts";
import { openStream } from "../../lib/kit/rpc/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { NodeSchema } from "#envoy/config/core/v3/base_pb.ts";
import type { Daemon } from "../../scripts/harness/mod.ts";

const METHOD = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
const CLUSTERS = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
const HEALTH = "type.googleapis.com/mesh.v1.HealthInformation";

/** A connected workload. */
export interface RegisteringWorkload {
  /** Reports a fault, or none. */
  report(fault?: string): void;
  close(): void;
  /** Resolves when its stream has ended. */
  readonly ended: Promise<unknown>;
}

/** Connects a workload of the namespace `default` to the plain port of a daemon. */
export function connectWorkload(
  { xds }: Daemon,
  group: string,
  ip = "10.9.0.1",
): RegisteringWorkload {
  const stream = openStream({ target: xds, path: METHOD });
  const send = (request: object): boolean =>
    stream.send(encode(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, request)));
  const id = `sidecar~${ip}~vm-1.default~default.svc.cluster.local`;
  const metadata = { AUTO_REGISTER_GROUP: group };
  send({ node: create(NodeSchema, { id, metadata }), typeUrl: CLUSTERS });
  return {
    report(fault) {
      const errorDetail = fault === undefined ? {} : { errorDetail: { code: 500, message: fault } };
      send({ typeUrl: HEALTH, ...errorDetail });
    },
    close: () => stream.close(),
    ended: stream.ended,
  };
}
