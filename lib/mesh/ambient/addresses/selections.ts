/**
 * Services that select workloads by labels.
 *
 * @module
 */
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { Port } from "#mesh/workload/workload_pb.ts";
import { type ConfigObject, hasLabels, type Protocol } from "../../model/mod.ts";
import { portOf } from "./parts.ts";

type Labels = Readonly<Record<string, string>>;

/** A port of a service that selects workloads. */
interface SelectionPort {
  readonly name: string;
  readonly number: number;
  readonly protocol: Protocol;
  /** A number, or the name of a container's port. */
  readonly target: number | string;
}

/** The selector of a service with its ports: plain data, by which a workload knows its part of it. */
export interface Selection {
  readonly namespace: string;
  readonly host: string;
  readonly selector: Labels;
  readonly ports: readonly SelectionPort[];
  /** Id of the remote cluster of the Service; unset: the daemon's own, or a ServiceEntry. */
  readonly cluster?: string;
  /** True for a Service of an orchestrator, which selects workloads of its cluster. */
  readonly registry: boolean;
}

/** The selections of a ServiceEntry or Service, one for each host; none without a selector. */
export function selectionsOf(
  { meta, spec, service }: ConfigObject<ServiceEntry>,
  protocolOf: (text: string) => Protocol,
): Selection[] {
  const selector = service === undefined
    ? spec.workloadSelector?.labels ?? {}
    : service.ambient?.selector ?? {};
  if (Object.keys(selector).length === 0 || service?.alias !== undefined) return [];
  const targets = service?.ambient?.targets ?? {};
  const ports = spec.ports.map(({ name, number, protocol, targetPort }) => ({
    name,
    number,
    protocol: protocolOf(protocol),
    target: targets[number] ?? (targetPort || number),
  })).filter(({ protocol }) => protocol !== "UDP");
  const { cluster } = meta.origin;
  return spec.hosts.map((host) => ({
    namespace: meta.namespace,
    host: host.toLowerCase(),
    selector: { ...selector },
    ports,
    ...(cluster === undefined ? {} : { cluster }),
    registry: service !== undefined,
  }));
}

/** A workload, as far as services select it. */
export interface Selectable {
  readonly labels: Labels;
  readonly cluster: string | undefined;
  /** Ports that it gives itself, by name: those of a WorkloadEntry, or of a pod's containers. */
  readonly ports: Labels | Readonly<Record<string, number>>;
  /** True for a pod: names of ports are those of its containers. */
  readonly isPod: boolean;
}

/** The ports that a service has at a workload; undefined: it does not select it. */
export function servedBy(selection: Selection, workload: Selectable): Port[] | undefined {
  const { selector, cluster, registry, ports } = selection;
  if (registry && cluster !== workload.cluster) return undefined;
  if (!hasLabels(workload.labels, selector)) return undefined;
  return ports.flatMap((port) => {
    const target = targetOf(port, workload);
    return target === undefined ? [] : [portOf(port.number, target, port.protocol)];
  });
}

function targetOf(
  { name, number, target }: SelectionPort,
  { ports, isPod }: Selectable,
): number | undefined {
  const own = isPod ? undefined : ports[name];
  if (own !== undefined) return Number(own) || undefined;
  if (typeof target === "number") return target;
  // A name that no container has: WorkloadEntries may have the port of the service.
  return ports[target] === undefined ? isPod ? undefined : number : Number(ports[target]);
}
