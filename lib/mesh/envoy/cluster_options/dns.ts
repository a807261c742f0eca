/**
 * Clusters whose endpoints Envoy resolves by DNS.
 *
 * @module
 */
import type { Cluster } from "#envoy/config/cluster/v3/cluster_pb.ts";
import type { ClusterLoadAssignment } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import type { Endpoint, Service, ServicePort } from "../../model/mod.ts";
import { durationOf, DurationSchema, encode } from "../../../kit/proto/mod.ts";
import { LOOKUP_FAMILIES } from "../core/mod.ts";
import { buildAssignment, canonicalOf, localityRule } from "../endpoints/mod.ts";
import type { MeshClusterDefaults, OutboundClusterInput } from "./input.ts";

/**
 * Field number of `dns_jitter` in `envoy.config.cluster.v3.Cluster`; the generated code is older
 * than the field.
 */
const DNS_JITTER_FIELD = 58;

/** Protobuf wire type of messages. */
const LENGTH_DELIMITED = 2;

/** Sets the address family and the interval of DNS resolution. */
export function applyDns(cluster: Cluster, mesh: MeshClusterDefaults): void {
  cluster.dnsLookupFamily = LOOKUP_FAMILIES[mesh.family];
  cluster.dnsRefreshRate = durationOf(mesh.dnsRefreshRateMs);
  cluster.respectDnsTtl = true;
  if (mesh.dnsJitterMs <= 0) return;
  const jitter = encode(DurationSchema, durationOf(mesh.dnsJitterMs));
  // An encoded duration is shorter than 128 bytes, so its length is one byte.
  const data = new Uint8Array([jitter.length, ...jitter]);
  cluster.$unknown = [{ no: DNS_JITTER_FIELD, wireType: LENGTH_DELIMITED, data }];
}

/**
 * Returns the names to resolve: those of the endpoints, or the service's own if it has no
 * endpoints.
 *
 * @param single Envoy's LOGICAL_DNS accepts exactly one name: that of the first endpoint with the port
 * @returns `undefined` if a subset selects no endpoint
 */
export function dnsAssignment(
  name: string,
  input: Pick<
    OutboundClusterInput,
    | "service"
    | "port"
    | "subset"
    | "endpoints"
    | "mesh"
    | "policy"
    | "takesMutual"
    | "topologyOf"
    | "proxyLocality"
    | "reach"
  >,
  single: boolean,
): ClusterLoadAssignment | undefined {
  const { service, port, subset } = input;
  const all = input.endpoints.length > 0 ? input.endpoints : [ownName(service, port)];
  const build = (endpoints: readonly Endpoint[]): ClusterLoadAssignment =>
    buildAssignment({
      clusterName: name,
      endpoints,
      portName: port.name,
      subsetLabels: subset?.labels,
      topologyOf: input.topologyOf,
      hostNames: true,
      telemetryLabel: input.mesh.endpointTelemetryLabel,
      canonical: input.mesh.canonicalOutside && service.meshExternal
        ? canonicalOf(service)
        : undefined,
      mutual: input.takesMutual,
      sendUnhealthy: input.mesh.sendUnhealthyEndpoints,
      drainingLabel: input.mesh.drainingLabel,
      proxyLocality: input.proxyLocality,
      reach: input.reach,
      localityRule: localityRule(input.policy, input.mesh.localityLb, input.service.distribution),
    });
  if (!single) {
    const assignment = build(all);
    return assignment.endpoints.length === 0 ? undefined : assignment;
  }
  // Endpoints without the port, or with other labels than the subset's, give no assignment.
  for (const endpoint of all) {
    const assignment = build([endpoint]);
    const [locality] = assignment.endpoints;
    if (locality === undefined) continue;
    locality.loadBalancingWeight = locality.lbEndpoints[0]?.loadBalancingWeight;
    return assignment;
  }
  return undefined;
}

function ownName(service: Service, port: ServicePort): Endpoint {
  return {
    address: service.host,
    ports: { [port.name]: port.targetPort },
    labels: service.labels,
    network: "",
    locality: { region: "", zone: "", subzone: "" },
    weight: 0,
    serviceAccount: "",
    namespace: service.namespace,
    health: "healthy",
    workload: "",
  };
}
