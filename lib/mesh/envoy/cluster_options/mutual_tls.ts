/**
 * Mutual TLS to workloads of the mesh: explicit by a rule, or automatic for endpoints that accept
 * it.
 *
 * @module
 */
import {
  type Cluster,
  Cluster_TransportSocketMatchSchema as SocketMatchSchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import { MetadataSchema, type TransportSocket } from "#envoy/config/core/v3/base_pb.ts";
import { UpstreamTlsContextSchema } from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { ClientTLSSettings_TLSmode as Mode } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { isHttp, mayBeHttp } from "../../model/mod.ts";
import { create, packAny } from "../../../kit/proto/mod.ts";
import { mutualClientTls } from "../authentication/mod.ts";
import {
  dnsSrvClusterName,
  internalSocket,
  MESH_ALPN,
  MESH_HTTP_ALPNS,
  MESH_METADATA,
  rawSocket,
  tlsSocket,
  TUNNEL_MODE,
} from "../core/mod.ts";
import { TLS_MODE } from "../endpoints/mod.ts";
import type { UpstreamHttp } from "./http_options.ts";
import type { MutualInput, OutboundClusterInput } from "./input.ts";
import { isOriginalDestination, isPassthrough } from "./load_balancer.ts";

/** Adds mutual TLS to a cluster, if it applies. */
export function applyMutualTls(
  cluster: Cluster,
  input: OutboundClusterInput,
  http: UpstreamHttp,
): void {
  const { mutual, policy, service } = input;
  const tls = policy?.tls;
  if (tls?.mode === Mode.MESH_MUTUAL) {
    cluster.transportSocket = mutual === undefined
      ? closedTls()
      : socketOf(mutual, input, http, { sni: tls.sni, names: tls.subjectAltNames });
    if (mutual !== undefined) announceDetectedHttp(cluster, input);
    return;
  }
  if (mutual === undefined || !mutual.automatic) return;
  if (isOriginalDestination(cluster) || isPassthrough(policy?.loadBalancer)) {
    return toOriginalDestination(cluster, { ...input, mutual }, http);
  }
  // The declaration of endpoints outside the mesh may override the rule's.
  const endpointsSay = service.meshExternal && !input.mesh.preferRuleTls && tls !== undefined;
  if ((tls !== undefined || service.meshExternal) && !endpointsSay) return;
  // Names that are resolved per request have no endpoint that declares mutual TLS.
  if (service.resolution === "DYNAMIC_DNS") return;
  cluster.transportSocketMatches = [
    create(SocketMatchSchema, {
      name: "tlsMode-mesh",
      match: { [TLS_MODE.key]: TLS_MODE.mesh },
      transportSocket: socketOf(mutual, input, http, { sni: "", names: [] }),
    }),
    create(SocketMatchSchema, {
      name: "tlsMode-disabled",
      match: {},
      transportSocket: cluster.transportSocket ?? rawSocket(),
    }),
  ];
  cluster.transportSocket = undefined;
  announceDetectedHttp(cluster, input);
}

/**
 * Adds automatic mutual TLS to a cluster of original destinations. No endpoint declares it there, so
 * that it is used for all connections or none: for all if every known instance accepts it.
 */
function toOriginalDestination(
  cluster: Cluster,
  input: OutboundClusterInput & { readonly mutual: MutualInput },
  http: UpstreamHttp,
): void {
  const { service, port, policy } = input;
  if (policy?.tls !== undefined || service.meshExternal) return;
  if (input.instancesTakeMutual?.(port) !== true) return;
  cluster.transportSocket = socketOf(input.mutual, input, http, { sni: "", names: [] });
  announceDetectedHttp(cluster, input);
}

/** ALPN under TLS for detected HTTP. The server detects the HTTP version itself. */
const FOUND_HTTP = [MESH_HTTP_ALPNS[0], MESH_ALPN].join(",");

/**
 * One cluster of an undeclared port carries raw TCP and HTTP with one TLS context. Connection
 * managers that detected HTTP read the ALPN to use from this metadata.
 */
function announceDetectedHttp(cluster: Cluster, { port }: OutboundClusterInput): void {
  if (isHttp(port.protocol) || !mayBeHttp(port.protocol)) return;
  const known = cluster.metadata?.filterMetadata ?? {};
  cluster.metadata = create(MetadataSchema, {
    filterMetadata: { ...known, [MESH_METADATA]: { ...known[MESH_METADATA], alpn: FOUND_HTTP } },
  });
}

function socketOf(
  mutual: MutualInput,
  { service, port, subset }: OutboundClusterInput,
  http: UpstreamHttp,
  { sni, names }: { readonly sni: string; readonly names: readonly string[] },
): TransportSocket {
  const [http1, http2] = MESH_HTTP_ALPNS;
  return mutualClientTls(mutual.names, {
    sni: sni || dnsSrvClusterName("outbound", port.number, subset?.name ?? "", service.host),
    identities: names.length > 0 ? names : mutual.identities,
    alpn: isHttp(port.protocol) ? [http === "http2" ? http2 : http1] : [],
    parameters: mutual.parameters,
  });
}

/**
 * Adds the socket of endpoints with tunnels before all others. TLS that a rule originates is the
 * content of the tunnel; mutual TLS of the mesh is not: the tunnel has it.
 */
export function applyTunnels(
  cluster: Cluster,
  { mutual, policy }: Pick<OutboundClusterInput, "mutual" | "policy">,
): void {
  if (mutual?.tunnels !== true) return;
  const { transportSocket: own, transportSocketMatches: others } = cluster;
  const { mode } = policy?.tls ?? {};
  const inside = mode === Mode.SIMPLE || mode === Mode.MUTUAL ? own : undefined;
  cluster.transportSocketMatches = [
    create(SocketMatchSchema, {
      name: "hbone",
      match: { [TUNNEL_MODE.key]: TUNNEL_MODE.http },
      transportSocket: internalSocket(inside),
    }),
    ...others.length > 0 ? others : [
      create(SocketMatchSchema, {
        name: "tlsMode-disabled",
        match: {},
        transportSocket: own ?? rawSocket(),
      }),
    ],
  ];
  cluster.transportSocket = undefined;
}

/** A hash that no certificate matches. */
const NO_CERTIFICATE = "00".repeat(32);

/**
 * TLS context for a client that must use a certificate and has none: it trusts no server, so that
 * nothing is sent. Sending plain text would be worse.
 */
function closedTls(): TransportSocket {
  return tlsSocket(packAny(UpstreamTlsContextSchema, {
    commonTlsContext: {
      validationContextType: {
        case: "validationContext",
        value: { verifyCertificateHash: [NO_CERTIFICATE] },
      },
    },
  }));
}
