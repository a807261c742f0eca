/**
 * The mesh as it is now: services with their workloads, connections between them as the
 * configuration says, and ends of validity of certificates.
 *
 * @module
 */
import { rowRef } from "../../mesh/graph/mod.ts";
import {
  type ConfigObject,
  type Credential,
  fullHost,
  gatewayKey,
  objectRef,
  type Service,
} from "../../mesh/model/mod.ts";
import { readCertificates } from "../../kit/pki/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import type { Destination, VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { DebugInputs, Expiry } from "./inputs.ts";
import { classOf } from "./endpoints.ts";

/** A way of requests or connections. */
export interface Edge {
  /** A host, or a Gateway as `Gateway/namespace/name`. */
  readonly from: string;
  /** Host of a service. */
  readonly to: string;
  readonly subset: string;
  /** As written; 0 if only one destination is given. */
  readonly weight: number;
  /** Its part of the weights of its rule in percent; `undefined` if the rule has no other. */
  readonly share: number | undefined;
  readonly kind: "http" | "tls" | "tcp" | "mirror";
  /** The VirtualService, `Kind/namespace/name`. */
  readonly object: string;
  /** True if a service has the host. */
  readonly known: boolean;
}

/** Returns the edges of all VirtualServices, without those from a host to itself. */
export function edgesOf({ objects, mesh }: DebugInputs, services: readonly Service[]): Edge[] {
  const hosts = new Set(services.map(({ host }) => host));
  return objects().filter(({ meta }) => meta.kind === "VirtualService")
    .flatMap((object) => edgesOfObject(object as ConfigObject<VirtualService>, mesh.domain, hosts))
    .filter(({ from, to, subset, kind }) => from !== to || subset !== "" || kind === "mirror");
}

/** A destination with its share. */
type Sent = Pick<Edge, "kind" | "weight" | "share"> & { readonly destination: Destination };

function edgesOfObject(
  object: ConfigObject<VirtualService>,
  domain: string,
  known: ReadonlySet<string>,
): Edge[] {
  const { spec, meta: { namespace } } = object;
  const full = (host: string) => fullHost(host, namespace, domain);
  const gateways = spec.gateways.filter((name) => name !== "mesh");
  const inMesh = spec.gateways.length === 0 || spec.gateways.length > gateways.length;
  const sources = [
    ...gateways.map((name) => rowRef({ table: "Gateway", key: gatewayKey(name, namespace) })),
    ...(inMesh ? spec.hosts.map(full) : []),
  ];
  const seen = new Set<string>();
  const edges: Edge[] = [];
  for (const { kind, weight, share, destination } of destinationsOf(spec)) {
    const [to, { subset }] = [full(destination.host), destination];
    for (const from of sources) {
      const id = JSON.stringify([from, to, subset, share, kind]);
      if (seen.has(id)) continue;
      seen.add(id);
      edges.push({
        from,
        to,
        subset,
        weight,
        share,
        kind,
        object: objectRef(object),
        known: known.has(to),
      });
    }
  }
  return edges;
}

function destinationsOf({ http, tls, tcp }: VirtualService): Sent[] {
  const sent = (
    kind: Edge["kind"],
    list: readonly { readonly destination?: Destination; readonly weight?: number }[],
  ): Sent[] => {
    const all = list.reduce((sum, { weight = 0 }) => sum + weight, 0);
    return list.flatMap(({ destination, weight = 0 }) =>
      destination === undefined ? [] : [{
        kind,
        weight,
        share: all === 0 || list.length === 1 ? undefined : 100 * weight / all,
        destination,
      }]
    );
  };
  return [
    ...http.flatMap((rule) => [
      ...sent("http", rule.route),
      ...sent("mirror", [{ destination: rule.mirror }, ...rule.mirrors]),
    ]),
    ...tls.flatMap((rule) => sent("tls", rule.route)),
    ...tcp.flatMap((rule) => sent("tcp", rule.route)),
  ];
}

/** Returns the sidecars of the workloads of services, by `namespace/host`. */
export function workloadsOf(sessions: readonly SessionInfo[]): Map<string, SessionInfo[]> {
  const found = new Map<string, SessionInfo[]>();
  for (const session of sessions) {
    for (const service of new Set(classOf(session).targets.map((t) => t.service))) {
      found.set(service, [...found.get(service) ?? [], session]);
    }
  }
  return found;
}

/** Returns the certificates that the daemon knows: its own, and the credentials of gateways. */
export function expiriesOf({ certificates, mesh: { credentials } }: DebugInputs): Expiry[] {
  const ofGateways = credentials.keys().flatMap((key) => {
    const credential = credentials.peek(key);
    if (credential?.certificate === undefined) return [];
    return [{ name: `gateway credential ${key}`, ...validityOf(credential) }];
  });
  return [...certificates(), ...ofGateways].sort((a, b) => (a.notAfter ?? 0) - (b.notAfter ?? 0));
}

/** Validities of credentials that were read before, as reading takes time. */
const KNOWN = new WeakMap<Credential, Omit<Expiry, "name">>();

function validityOf(credential: Credential): Omit<Expiry, "name"> {
  const found = KNOWN.get(credential) ?? shortest(credential.certificate ?? "");
  KNOWN.set(credential, found);
  return found;
}

/** Returns the validity of the certificate of a chain that ends first. */
function shortest(pem: string): Omit<Expiry, "name"> {
  try {
    const { notBefore, notAfter } = readCertificates(pem, "a credential")
      .reduce((a, b) => a.notAfter < b.notAfter ? a : b);
    return { notBefore, notAfter };
  } catch {
    // Rejected credentials are reported where they are used.
    return {};
  }
}

/**
 * A certificate ends soon if less than this share of its lifetime is left. The daemon renews its
 * own before: see `MESHCA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE`.
 */
const SOON = 0.1;

/** Reports if a certificate ends soon, has ended, or cannot be read. */
export function endsSoon({ notBefore, notAfter }: Expiry, now: number): boolean {
  if (notBefore === undefined || notAfter === undefined) return true;
  return notAfter - now < SOON * (notAfter - notBefore);
}
