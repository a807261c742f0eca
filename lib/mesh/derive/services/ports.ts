/**
 * Ports of a service that several ServiceEntries of one namespace define.
 *
 * @module
 */
import { canonicalJson } from "../../../kit/base/mod.ts";
import { byAge, type ConfigObject, type ServicePort } from "../../model/mod.ts";
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { Indexes } from "../indexes/mod.ts";
import { protocolOf, type Tables, visibilityOf } from "../inputs/mod.ts";

type Row = ConfigObject<ServiceEntry>;

/**
 * The ports of a service: those of the oldest entry, and those of each later one that agrees with
 * it (see {@link whyApart}). If several ports have one number, the oldest counts; one that carries UDP
 * gives way to others. Names are unique: a name that an older port has gets the number as suffix.
 *
 * @param rows the entries that define the host, oldest first
 */
export function mergedPorts(rows: readonly Row[]): ServicePort[] {
  const [first] = rows;
  if (first === undefined) return [];
  // A port that takes the place of another one with its number keeps the place in the order.
  const merged = new Map<number, ServicePort>();
  const names = new Set<string>();
  for (const row of rows) {
    if (row !== first && whyApart(row, first) !== undefined) continue;
    for (const port of row.spec.ports) {
      const former = merged.get(port.number);
      if (former !== undefined && (former.protocol !== "UDP" || isUdp(port))) continue;
      if (former !== undefined) names.delete(former.name);
      const taken = names.has(port.name);
      const added = portOf(port, taken ? `${port.name}-${port.number}` : port.name);
      merged.set(port.number, added);
      names.add(added.name);
    }
  }
  return [...merged.values()];
}

function isUdp({ protocol }: ServiceEntry["ports"][number]): boolean {
  return protocolOf(protocol) === "UDP";
}

function portOf(port: ServiceEntry["ports"][number], name: string = port.name): ServicePort {
  return {
    number: port.number,
    name,
    protocol: protocolOf(port.protocol),
    targetPort: port.targetPort || port.number,
  };
}

/**
 * Name of a port of an entry → the name of that port at the service. A port that the service does not
 * have keeps its own name: endpoints at it serve the service's port of that name. A UDP port is none
 * where the service has another port of its number.
 */
export function portNames(row: Row, merged: readonly ServicePort[]): Map<string, string> {
  const byNumber = new Map(merged.map((port) => [port.number, port]));
  return new Map(row.spec.ports.flatMap((own): [string, string][] => {
    const port = byNumber.get(own.number);
    if (port === undefined) return [[own.name, own.name]];
    return isUdp(own) === (port.protocol === "UDP") ? [[own.name, port.name]] : [];
  }));
}

/** The property in which an entry differs from an older one, so that its ports are not added; `undefined`: none. */
export function whyApart(row: Row, first: Row): string | undefined {
  const compared: Readonly<Record<string, (row: Row) => unknown>> = {
    "spec.resolution": ({ spec }) => spec.resolution,
    "metadata.labels": ({ meta }) => meta.labels,
    "spec.workloadSelector": ({ spec }) => spec.workloadSelector?.labels ?? null,
    "spec.exportTo": ({ meta, spec }) => visibilityOf(spec.exportTo, meta.namespace),
  };
  return Object.keys(compared).find((field) => {
    const value = compared[field]!;
    return canonicalJson(value(row)) !== canonicalJson(value(first));
  });
}

/** An entry of which not all ports are served. */
export interface PortConflict {
  readonly row: Row;
  /** The older entry that decides. */
  readonly first: Row;
  readonly host: string;
  /** The ports that are not served. */
  readonly ports: readonly number[];
  /** The reason, a clause. */
  readonly why: string;
}

/** All entries of which not all ports are served as they are defined, by host. */
export function portConflicts(
  { tables, indexes }: { readonly tables: Tables; readonly indexes: Indexes },
): PortConflict[] {
  return indexes.hostsByNamespace.peek("*").flatMap((host) => {
    const rows = indexes.entriesByHost.peek(host)
      .map((key) => tables.serviceEntries.peek(key))
      .filter((row) => row !== undefined);
    if (rows.length < 2) return [];
    return [...Map.groupBy(rows, (row) => row.meta.namespace).values()]
      .flatMap((own) => conflictsOf(host, own.sort(byAge)));
  });
}

function conflictsOf(host: string, rows: readonly Row[]): PortConflict[] {
  const [first, ...later] = rows;
  if (first === undefined || later.length === 0) return [];
  const served = new Map(mergedPorts(rows).map((port) => [port.number, port.protocol]));
  return later.flatMap((row): PortConflict[] => {
    const numbers = (test: (port: ServiceEntry["ports"][number]) => boolean): number[] =>
      row.spec.ports.filter(test).map(({ number }) => number);
    const absent = numbers(({ number }) => !served.has(number));
    const otherwise = numbers(({ number, protocol }) =>
      served.has(number) && served.get(number) !== protocolOf(protocol)
    );
    const found = { row, first, host };
    return [
      ...absent.length === 0
        ? []
        : [{ ...found, ports: absent, why: `its ${whyApart(row, first)} differs` }],
      ...otherwise.length === 0
        ? []
        : [{ ...found, ports: otherwise, why: "the older one has another protocol there" }],
    ];
  });
}
