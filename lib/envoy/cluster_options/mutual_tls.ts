/**
 * Mutual TLS towards workloads of the mesh: where a rule asks for it, and to
 * endpoints that take it where no rule says anything.
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
import { create, packAny } from "../../proto/mod.ts";
import { mutualClientTls } from "../authentication/mod.ts";
import {
  dnsSrvClusterName,
  MESH_ALPN,
  MESH_HTTP_ALPNS,
  MESH_METADATA,
  rawSocket,
  tlsSocket,
} from "../core/mod.ts";
import { TLS_MODE } from "../endpoints/mod.ts";
import type { UpstreamHttp } from "./http_options.ts";
import type { MutualInput, OutboundClusterInput } from "./input.ts";

/** Gives a cluster mutual TLS, if it is to have it. */
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
    if (mutual !== undefined) tellWhatIsFound(cluster, input);
    return;
  }
  if (mutual === undefined || !mutual.automatic) return;
  // What endpoints outside the mesh say of themselves may go before what a rule says of them.
  const endpointsSay = service.meshExternal && !input.mesh.preferRuleTls && tls !== undefined;
  if ((tls !== undefined || service.meshExternal) && !endpointsSay) return;
  // Connections to where they were meant for meet no endpoint that says what it takes.
  // Nor do those to names that are looked up as they are asked for.
  if (service.resolution === "DYNAMIC_DNS") return;
  if (service.resolution === "NONE" && input.role !== "router") return;
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
  tellWhatIsFound(cluster, input);
}

/** What is named under TLS where HTTP was found. Which version it is, the server sees. */
const FOUND_HTTP = [MESH_HTTP_ALPNS[0], MESH_ALPN].join(",");

/**
 * A port that declares nothing gets bytes and HTTP by one cluster, whose certificates the same
 * handshake shows. Managers that found HTTP read here what to name in it instead.
 */
function tellWhatIsFound(cluster: Cluster, { port }: OutboundClusterInput): void {
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

/** A hash that no certificate has. */
const NO_CERTIFICATE = "00".repeat(32);

/**
 * For a client that is to use a certificate and has none: nobody is believed, so
 * that nothing is sent. To send it as it is would be worse.
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
