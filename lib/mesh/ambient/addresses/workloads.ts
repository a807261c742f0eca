/**
 * Workloads as node proxies are sent them.
 *
 * @module
 */
import { create } from "../../../kit/proto/mod.ts";
import {
  ApplicationTunnel_Protocol,
  type GatewayAddress,
  NetworkMode,
  type Port,
  TunnelProtocol,
  type Workload,
  WorkloadSchema,
  WorkloadStatus,
  WorkloadType,
} from "#mesh/workload/workload_pb.ts";
import {
  type Locality,
  saysTunnels,
  TLS_MODE_LABEL,
  WORKLOAD_NAME,
  type WorkloadKind,
} from "../../model/mod.ts";
import type { InboundBinding } from "../binding/mod.ts";
import { bytesOf } from "./parts.ts";

type Labels = Readonly<Record<string, string>>;

/** A service with the ports that it has at a workload. */
export interface ServedPorts {
  /** `namespace/host`. */
  readonly service: string;
  readonly ports: readonly Port[];
}

/** Everything that a workload's message is made of. */
export interface WorkloadFacts {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly labels: Labels;
  /** IP addresses, or the name of a host. */
  readonly addresses: readonly string[];
  readonly network: string;
  /** Trust domain of the mesh. */
  readonly trustDomain: string;
  readonly serviceAccount: string;
  readonly node: string;
  readonly clusterId: string;
  readonly locality: Locality;
  readonly isHealthy: boolean;
  readonly kind: WorkloadKind;
  readonly workloadName: string;
  readonly hostNetwork: boolean;
  readonly tunnel: Pick<Workload, "tunnelProtocol" | "nativeTunnel">;
  /** Service in front of its waypoint. */
  readonly waypoint?: GatewayAddress;
  /** Gateway of its network, for clients of others. */
  readonly networkGateway?: GatewayAddress;
  /** Set for proxies of a waypoint that takes connections instead of tunnels. */
  readonly inbound?: InboundBinding;
  readonly services: readonly ServedPorts[];
  /** Names of policies that select it by labels. */
  readonly policies: readonly string[];
  /** Relative weight; 0: none given. */
  readonly weight: number;
}

const TYPES: Readonly<Record<WorkloadKind, WorkloadType>> = {
  deployment: WorkloadType.DEPLOYMENT,
  cronjob: WorkloadType.CRONJOB,
  pod: WorkloadType.POD,
  job: WorkloadType.JOB,
};

/** Trust domain that clients assume where none is named. */
export const DEFAULT_TRUST_DOMAIN = "cluster.local";

/** Makes the message; fields that mean the default are left out. */
export function workloadMessage(facts: WorkloadFacts): Workload {
  const { addresses, tunnel, waypoint, networkGateway, inbound, weight, labels } = facts;
  const bytes = bytesOf(addresses);
  const { region, zone, subzone } = facts.locality;
  const canonical = canonicalOfWorkload(labels, facts.workloadName);
  return create(WorkloadSchema, {
    uid: facts.uid,
    name: facts.name,
    namespace: facts.namespace,
    addresses: bytes,
    hostname: bytes.length === 0 ? addresses[0] ?? "" : "",
    network: facts.network,
    ...tunnel,
    trustDomain: facts.trustDomain === DEFAULT_TRUST_DOMAIN ? "" : facts.trustDomain,
    serviceAccount: facts.serviceAccount,
    ...(waypoint === undefined ? {} : { waypoint }),
    ...(networkGateway === undefined ? {} : { networkGateway }),
    node: facts.node,
    canonicalName: canonical.name,
    canonicalRevision: canonical.revision,
    workloadType: TYPES[facts.kind],
    workloadName: facts.workloadName,
    ...(inbound?.protocol === "PROXY"
      ? { applicationTunnel: { protocol: ApplicationTunnel_Protocol.PROXY, port: inbound.port } }
      : {}),
    services: Object.fromEntries(
      facts.services.map(({ service, ports }) => [service, { ports: [...ports] }]),
    ),
    authorizationPolicies: [...facts.policies],
    status: facts.isHealthy ? WorkloadStatus.HEALTHY : WorkloadStatus.UNHEALTHY,
    clusterId: facts.clusterId,
    ...(region === "" ? {} : { locality: { region, zone, subzone } }),
    networkMode: facts.hostNetwork ? NetworkMode.HOST_NETWORK : NetworkMode.STANDARD,
    ...(weight === 0 ? {} : { capacity: weight }),
  });
}

/**
 * The way in which a workload is reached: by tunnels, which the node proxy ends (`isRedirected`) or the
 * workload itself; by the mutual TLS of sidecars; or without either.
 */
export function tunnelOf(
  labels: Labels,
  isRedirected: boolean,
): Pick<Workload, "tunnelProtocol" | "nativeTunnel"> {
  if (saysTunnels(labels)) {
    return { tunnelProtocol: TunnelProtocol.HBONE, nativeTunnel: true };
  }
  if (isRedirected) return { tunnelProtocol: TunnelProtocol.HBONE, nativeTunnel: false };
  const tunnelProtocol = labels[TLS_MODE_LABEL] === "mesh"
    ? TunnelProtocol.LEGACY_MESH_MTLS
    : TunnelProtocol.NONE;
  return { tunnelProtocol, nativeTunnel: false };
}

const NAME = ["service.mesh.io/canonical-name", "app.kubernetes.io/name", "app"];
const REVISION = ["service.mesh.io/canonical-revision", "app.kubernetes.io/version", "version"];

/** Canonical name and revision of a workload, for telemetry. */
export function canonicalOfWorkload(
  labels: Labels,
  workload: string,
): { readonly name: string; readonly revision: string } {
  const first = (keys: readonly string[]) => keys.map((key) => labels[key]).find((one) => one);
  return {
    name: first(NAME) ?? labels[WORKLOAD_NAME] ?? workload,
    revision: first(REVISION) ?? "latest",
  };
}
