/**
 * Moves probes of the application to the agent, which calls the application within the pod.
 *
 * @module
 */
import type { Container, Json, Pod } from "./objects.ts";
import { allContainers, PROXY_CONTAINER } from "./objects.ts";

/** The kinds of probes with the last segment of their path. */
const PROBES = { livenessProbe: "livez", readinessProbe: "readyz", startupProbe: "startupz" };
const LIFECYCLE = { preStop: "prestopz", postStart: "poststartz" };

const HANDLERS = ["httpGet", "tcpSocket", "grpc"] as const;

/** A table of probes for the agent, by path. */
export type ProberTable = Record<string, Json>;

export interface AgentPorts {
  /** The port of the pod's agent. */
  readonly own: number;
  /** The port of agents without a port of their own. */
  readonly mesh: number;
}

/**
 * Rewrites the probes of all containers but the proxy's to the agent's port. Commands stay.
 *
 * @returns the new pod, and the table for the agent
 */
export function rewriteProbes(pod: Pod, ports: AgentPorts): { pod: Pod; table: ProberTable } {
  const table: ProberTable = {};
  const rewrite = (container: Container): Container =>
    container.name === PROXY_CONTAINER ? container : rewritten(container, ports, table);
  const spec = pod.spec!;
  const initContainers = spec.initContainers?.map((one) =>
    one.restartPolicy === "Always" ? rewrite(one) : one
  );
  return {
    pod: {
      ...pod,
      spec: {
        ...spec,
        ...initContainers && { initContainers },
        containers: spec.containers.map(rewrite),
      },
    },
    table,
  };
}

function rewritten(container: Container, ports: AgentPorts, table: ProberTable): Container {
  const result: Container = { ...container };
  const { name } = container;
  for (const [field, segment] of Object.entries(PROBES)) {
    const probe = result[field];
    if (!isObject(probe)) continue;
    result[field] = moved(container, probe, {
      path: `/app-health/${name}/${segment}`,
      ports,
      table,
    });
  }
  if (!isObject(result.lifecycle)) return result;
  const lifecycle = { ...result.lifecycle };
  for (const [field, segment] of Object.entries(LIFECYCLE)) {
    const handler = lifecycle[field];
    if (!isObject(handler)) continue;
    lifecycle[field] = moved(container, handler, {
      path: `/app-lifecycle/${name}/${segment}`,
      ports,
      table,
    });
  }
  return { ...result, lifecycle };
}

/** The probe at the agent. One that asks the agent already, and one with an unknown port, stay. */
function moved(
  container: Container,
  probe: Json,
  { path, ports, table }: {
    readonly path: string;
    readonly ports: AgentPorts;
    readonly table: ProberTable;
  },
): Json {
  const kind = HANDLERS.find((one) => isObject(probe[one]));
  if (kind === undefined) return probe;
  const handler = probe[kind] as Json;
  const port = portOf(container, handler.port);
  if (port === undefined || port === ports.own || port === ports.mesh) return probe;
  const { timeoutSeconds } = probe;
  table[path] = {
    [kind]: { ...handler, port },
    ...timeoutSeconds !== undefined && { timeoutSeconds },
  };
  const rest = Object.fromEntries(Object.entries(probe).filter(([field]) => field !== kind));
  // Host and headers stay. The agent answers without TLS, whatever the application does.
  const own = kind === "httpGet" ? handler : {};
  const scheme = own.scheme === undefined ? {} : { scheme: "HTTP" };
  return { ...rest, httpGet: { ...own, path, port: ports.own, ...scheme } };
}

/**
 * The table with the entries of an earlier injection, whose probes were moved then. An earlier entry
 * wins: a probe at its path was moved before.
 */
export function withEarlierProbes(table: ProberTable, earlier: string | undefined): ProberTable {
  if (earlier === undefined) return table;
  try {
    const found: unknown = JSON.parse(earlier);
    return isObject(found) ? { ...table, ...found as ProberTable } : table;
  } catch {
    return table;
  }
}

/** The number of a port that may be a name of the container's. */
function portOf(container: Container, port: unknown): number | undefined {
  if (typeof port === "number") return port;
  if (typeof port !== "string") return undefined;
  if (/^\d+$/.test(port)) return Number(port);
  return container.ports?.find(({ name }) => name === port)?.containerPort;
}

/** True if a pod has a container for the agent. */
export function hasAgent(pod: Pod): boolean {
  return allContainers(pod).some(({ name }) => name === PROXY_CONTAINER);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
