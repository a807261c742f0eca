/**
 * Assignments as messages.
 *
 * @module
 */
import { type Metadata, MetadataSchema } from "#envoy/config/core/v3/base_pb.ts";
import { HealthStatus } from "#envoy/config/core/v3/health_check_pb.ts";
import {
  type LbEndpoint,
  LbEndpointSchema,
  type LocalityLbEndpoints,
  LocalityLbEndpointsSchema,
} from "#envoy/config/endpoint/v3/endpoint_components_pb.ts";
import {
  type ClusterLoadAssignment,
  ClusterLoadAssignmentSchema,
} from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import type { Endpoint } from "../../model/mod.ts";
import { create } from "../../proto/mod.ts";
import { meshMetadata, pipeOrSocket } from "../core/mod.ts";
import { planAssignment } from "./plan.ts";
import type { AssignmentInput, PlannedEndpoint, PlannedLocality } from "./planned.ts";

/** Health as Envoy names it. What is not said is healthy to Envoy and to gRPC's libraries, and takes no bytes. */
export const HEALTH: Readonly<Record<Endpoint["health"], HealthStatus>> = {
  healthy: HealthStatus.UNKNOWN,
  unhealthy: HealthStatus.UNHEALTHY,
  draining: HealthStatus.DRAINING,
};

/** Key of the telemetry label in Mesh's metadata; short, because every endpoint carries it. */
export const WORKLOAD_KEY = "w";

/**
 * The endpoints of a cluster, by locality. Endpoints that lack the port, the
 * subset's labels, an address Envoy can use, or health are left out.
 */
export function buildAssignment(input: AssignmentInput): ClusterLoadAssignment {
  return create(ClusterLoadAssignmentSchema, {
    clusterName: input.clusterName,
    endpoints: planAssignment(input).map(localityMessage),
  });
}

function localityMessage(planned: PlannedLocality): LocalityLbEndpoints {
  const { region, zone, subzone } = planned.locality;
  return create(LocalityLbEndpointsSchema, {
    locality: { region, zone, subZone: subzone },
    lbEndpoints: planned.endpoints.map(endpointMessage),
    loadBalancingWeight: planned.weight,
    priority: planned.priority,
  });
}

/** Where clusters look up which transport an endpoint wants. */
export const TRANSPORT_METADATA = "envoy.transport_socket_match";

/** What they find there. */
export const TLS_MODE = { key: "tlsMode", mesh: "mesh" } as const;

function endpointMessage(planned: PlannedEndpoint): LbEndpoint {
  const { endpoint, port, weight, health } = planned;
  return create(LbEndpointSchema, {
    hostIdentifier: {
      case: "endpoint",
      value: { address: pipeOrSocket(endpoint.address, port) },
    },
    healthStatus: HEALTH[health],
    metadata: metadataOf(planned),
    // One is what is taken where nothing is said.
    loadBalancingWeight: weight === 1 ? undefined : weight,
  });
}

function metadataOf({ label, mutual }: PlannedEndpoint): Metadata | undefined {
  const metadata = label === "" ? undefined : meshMetadata({ [WORKLOAD_KEY]: label });
  if (!mutual) return metadata;
  const transport = { [TRANSPORT_METADATA]: { [TLS_MODE.key]: TLS_MODE.mesh } };
  return create(MetadataSchema, {
    filterMetadata: { ...transport, ...metadata?.filterMetadata },
  });
}
