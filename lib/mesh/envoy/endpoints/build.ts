/**
 * Endpoint assignments as messages.
 *
 * @module
 */
import { type Metadata, MetadataSchema } from "#envoy/config/core/v3/base_pb.ts";
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
import { create } from "../../../kit/proto/mod.ts";
import {
  meshMetadata,
  pipeOrSocket,
  TUNNEL_METADATA,
  TUNNEL_MODE,
  tunnelAddress,
  WORKLOAD_KEY,
} from "../core/mod.ts";
import { HEALTH, TLS_MODE, TRANSPORT_METADATA, tunnelFields } from "./metadata.ts";
import { planAssignment } from "./plan.ts";
import type { AssignmentInput, PlannedEndpoint, PlannedLocality } from "./planned.ts";

/**
 * Returns the endpoints of a cluster by locality. Endpoints without the port, the subset's labels,
 * a usable address, or health are omitted.
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

function endpointMessage(planned: PlannedEndpoint): LbEndpoint {
  const { endpoint, port, weight, health, tunnel } = planned;
  return create(LbEndpointSchema, {
    hostIdentifier: {
      case: "endpoint",
      value: {
        address: tunnel === undefined
          ? pipeOrSocket(endpoint.address, port)
          : tunnelAddress(tunnel),
      },
    },
    healthStatus: HEALTH[health],
    metadata: metadataOf(planned),
    // The default weight is 1.
    loadBalancingWeight: weight === 1 ? undefined : weight,
  });
}

function metadataOf({ label, mutual, tunnel }: PlannedEndpoint): Metadata | undefined {
  const metadata = label === "" ? undefined : meshMetadata({ [WORKLOAD_KEY]: label });
  if (tunnel !== undefined) {
    return create(MetadataSchema, {
      filterMetadata: {
        [TRANSPORT_METADATA]: { [TUNNEL_MODE.key]: TUNNEL_MODE.http },
        [TUNNEL_METADATA]: Object.fromEntries(tunnelFields(tunnel)),
        ...metadata?.filterMetadata,
      },
    });
  }
  if (!mutual) return metadata;
  const transport = { [TRANSPORT_METADATA]: { [TLS_MODE.key]: TLS_MODE.mesh } };
  return create(MetadataSchema, {
    filterMetadata: { ...transport, ...metadata?.filterMetadata },
  });
}
