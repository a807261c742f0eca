/**
 * The cost of a daemon, as formulae with coefficients from `docs/performance.md`. Times are those of a
 * machine whose fixed piece of work takes 0.85 s.
 *
 * @module
 */

/** Sizes of a mesh that decide what its daemons cost. */
export interface Mesh {
  /** Services that the daemon knows. */
  readonly services: number;
  /** Services that a proxy is sent: all of them, or what Sidecars or use leave. */
  readonly seen: number;
  readonly proxies: number;
  /** Proxies that differ in namespace, labels or service account. */
  readonly workloads: number;
  readonly mutualTls: boolean;
}

/** Resources of a proxy for each service that it sees: cluster, endpoints, virtual host, and those of subsets. */
export const RESOURCES_PER_SERVICE = 4;
/** Bytes of a proxy's resources that do not depend on services: its listeners and own clusters. */
const OWN_BYTES = 28_000;
/** Bytes of a service's resources, and what mutual TLS adds. */
const SERVICE_BYTES = 2_000;
const MUTUAL_BYTES = 1_200;

/** CPU, milliseconds: to compile the code that a first sync runs; to translate a service once, and for each class that sees it. */
const COMPILE_MS = 300;
const TRANSLATE_MS = 0.19;
const CLASS_MS = 0.0024;
/** To accept a proxy, without and with a TLS handshake; for each service that it asks for. */
const ACCEPT_MS = 1.5;
const HANDSHAKE_MS = 1.4;
const ASK_MS = 0.0042;
/** To write a megabyte, and to encrypt it. */
const WRITE_MS = 0.55;
const ENCRYPT_MS = 1.3;

/** Memory, MiB: of an empty daemon, of a service, of a service that a class sees. */
const EMPTY_MIB = 95;
const SERVICE_MIB = 0.06;
const CLASS_MIB = 0.00015;
/** A connection takes this, TLS adds that; a first sync of all takes more beside it, at most. */
const PROXY_MIB = 0.08;
const TLS_MIB = 0.17;
const STORM_MIB = 110;

/** Connections that one replica takes. */
const MOST_CONNECTIONS = 10_000;
/** Time in which all proxies shall have their first sync after a loss, seconds. */
const STORM_SECONDS = 60;

/** Bytes of the first sync of one proxy. */
export function syncBytes({ seen, mutualTls }: Pick<Mesh, "seen" | "mutualTls">): number {
  return OWN_BYTES + seen * (SERVICE_BYTES + (mutualTls ? MUTUAL_BYTES : 0));
}

/** CPU seconds of the first sync of all proxies. */
export function syncCpu(mesh: Mesh): number {
  const { services, seen, proxies, workloads, mutualTls } = mesh;
  const megabytes = syncBytes(mesh) / 1e6;
  const proxy = ACCEPT_MS + seen * ASK_MS + megabytes * WRITE_MS +
    (mutualTls ? HANDSHAKE_MS + megabytes * ENCRYPT_MS : 0);
  return (COMPILE_MS + services * TRANSLATE_MS + workloads * seen * CLASS_MS + proxies * proxy) /
    1000;
}

/** Milliseconds of CPU of a change that concerns a number of proxies: to compute it, and to tell each. */
export function changeCpu(concerned: number): number {
  return 5 + 0.25 * concerned;
}

/** Peak of memory in MiB. */
export function peakMemory({ services, seen, proxies, workloads, mutualTls }: Mesh): number {
  const connection = PROXY_MIB + (mutualTls ? TLS_MIB : 0);
  const storm = STORM_MIB * Math.min(1, proxies / 500);
  return EMPTY_MIB + services * SERVICE_MIB + workloads * seen * CLASS_MIB + proxies * connection +
    storm;
}

/**
 * Replicas that are needed so that, when one is lost, the others take its proxies, and all proxies
 * have their first sync in a minute on one core each.
 */
export function replicas(mesh: Mesh): number {
  const byTime = syncCpu(mesh) / STORM_SECONDS;
  const byConnections = mesh.proxies / MOST_CONNECTIONS;
  return 1 + Math.max(1, Math.ceil(Math.max(byTime, byConnections)));
}

/** The share of a mesh that a replica has when another one is lost. */
export function shareOfReplica(mesh: Mesh): Mesh {
  const left = replicas(mesh) - 1;
  return { ...mesh, proxies: Math.ceil(mesh.proxies / left) };
}
