/**
 * Check of the sockets of running pods: ports of Services on which a program listens on the loopback
 * interface alone.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import type { Invocation } from "../../kit/cli/mod.ts";
import { hasLabels, objectKey } from "../../mesh/model/mod.ts";
import { listAll, OrchError, type OrchMeta, types } from "../../kit/orch/mod.ts";
import {
  type ClusterAccess,
  type Pod,
  PROXY_CONTAINER,
  runInContainer,
} from "../cluster_access/mod.ts";

/** The fields of a Service that the check reads. */
interface SelectingService {
  readonly metadata: OrchMeta;
  readonly spec?: {
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly {
      readonly port: number;
      readonly targetPort?: number | string;
      readonly protocol?: string;
    }[];
  };
}

/** A port of a pod that other pods cannot reach. */
export interface LocalPort {
  /** `NAMESPACE/NAME`. */
  readonly pod: string;
  readonly port: number;
}

/** Lists the listening sockets without a header; its fourth column is `ADDRESS:PORT`. */
const LIST_SOCKETS = ["ss", "-ltnH"];
/** Pods that are asked at the same time. */
const AT_ONCE = 8;

/**
 * Asks the running pods that have a proxy and ports of a Service for their sockets. A note on standard
 * error counts the pods that cannot be asked.
 */
export async function findLocalPorts(
  { flags, io }: Pick<Invocation, "flags" | "io">,
  cluster: ClusterAccess,
): Promise<readonly LocalPort[]> {
  const namespace = flags.string("namespace");
  const scope = namespace === "" ? {} : { namespace };
  const services = await listAll<SelectingService>(cluster.client, types.SERVICE, scope);
  const pods = (await listAll<Pod>(cluster.client, types.POD, scope)).filter(hasRunningProxy);
  const asked = pods.map((pod) => ({ pod, ports: servedPorts(pod, services) }))
    .filter(({ ports }) => ports.size > 0);
  const found: LocalPort[] = [];
  const unknown: string[] = [];
  for (let at = 0; at < asked.length; at += AT_ONCE) {
    await Promise.all(
      asked.slice(at, at + AT_ONCE).map(async ({ pod, ports }) => {
        const { namespace = "", name } = pod.metadata;
        const key = objectKey({ namespace, name });
        const local = await askedPorts(cluster, pod);
        if (local instanceof Error) unknown.push(`${key}: ${local.message}`);
        else found.push(...[...ports.intersection(local)].map((port) => ({ pod: key, port })));
      }),
    );
  }
  if (unknown.length > 0) {
    const [first] = unknown.sort();
    io.err(`Note: the sockets of ${unknown.length} pods are not known, for example of ${first}\n`);
  }
  return found.sort((a, b) => a.pod < b.pod ? -1 : a.pod > b.pod ? 1 : a.port - b.port);
}

function hasRunningProxy({ spec, status }: Pod): boolean {
  const containers = [...spec.containers, ...spec.initContainers ?? []];
  return status?.phase === "Running" && containers.some(({ name }) => name === PROXY_CONTAINER);
}

/** The local ports of a pod, or the reason for which they are not known. */
async function askedPorts(cluster: ClusterAccess, pod: Pod): Promise<ReadonlySet<number> | Error> {
  try {
    const place = { pod, container: PROXY_CONTAINER };
    return localPorts(await runInContainer(cluster, place, LIST_SOCKETS));
  } catch (error) {
    cluster.signal?.throwIfAborted();
    if (error instanceof MeshError || error instanceof OrchError) return error;
    throw error;
  }
}

/** TCP ports of a pod to which Services send. */
function servedPorts(pod: Pod, services: readonly SelectingService[]): ReadonlySet<number> {
  const { namespace, labels = {} } = pod.metadata;
  const named = pod.spec.containers.flatMap(({ ports = [] }) => ports);
  const selecting = services.filter(({ metadata, spec: { selector = {} } = {} }) =>
    metadata.namespace === namespace && Object.keys(selector).length > 0 &&
    hasLabels(labels, selector)
  );
  const ports = selecting.flatMap(({ spec }) => spec?.ports ?? [])
    .filter(({ protocol = "TCP" }) => protocol === "TCP")
    .map(({ port, targetPort = port }) =>
      typeof targetPort === "number"
        ? targetPort
        : named.find(({ name }) => name === targetPort)?.containerPort
    );
  return new Set(ports.filter((port) => port !== undefined));
}

/** Ports with a socket on the loopback interface and none on another address. */
export function localPorts(sockets: string): ReadonlySet<number> {
  const local = new Set<number>();
  const open = new Set<number>();
  for (const line of sockets.split("\n")) {
    const match = /^LISTEN\s+\d+\s+\d+\s+(\S+):(\d+)\s/.exec(`${line} `);
    if (match === null) continue;
    const isLocal = /^(127\.|\[::1\]$|\[::ffff:127\.)/.test(match[1]!);
    (isLocal ? local : open).add(Number(match[2]));
  }
  return local.difference(open);
}
