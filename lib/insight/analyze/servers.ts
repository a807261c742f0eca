/**
 * The workloads with a proxy that serve a host.
 *
 * @module
 */
import { coveringPatterns, fullHost, isWildcard, TLS_MODE_LABEL } from "../../mesh/model/mod.ts";
import { visibilityOf, visibleTo } from "../../mesh/derive/mod.ts";
import type { Context } from "./analyzer.ts";
import { type Labels, selectedWorkloads } from "./workload_indexes.ts";

/** A port of a service at one of its workloads. */
export interface Server {
  readonly host: string;
  readonly namespace: string;
  readonly labels: Labels;
  /** The number of the service port. */
  readonly port: number;
  /** The number at the workload; `undefined`: only its name is known. */
  readonly target: number | undefined;
}

/** Most hosts of a pattern that are looked at. */
const MAX_HOSTS = 1000;

/** The servers of a host, or of the hosts of a pattern that no DestinationRule names, as a namespace sees them. */
export function* serversOf(context: Context, written: string, namespace: string): Iterable<Server> {
  const host = fullHost(written, namespace, context.mesh.domain);
  if (!isWildcard(host)) return yield* serversOfHost(context, host, namespace);
  const { read, mesh, indexes } = context;
  const hosts = new Set([
    ...read.members(mesh.indexes.hostsByPattern, host).slice(0, MAX_HOSTS),
    ...read.members(indexes.assumedByPattern, host).slice(0, MAX_HOSTS),
  ]);
  for (const one of hosts) {
    const patterns = [one, ...coveringPatterns(one)];
    const isNamed = patterns.slice(0, patterns.indexOf(host))
      .some((pattern) => read.any(mesh.indexes.rulesByHost, pattern));
    if (!isNamed) yield* serversOfHost(context, one, namespace);
  }
}

function* serversOfHost(context: Context, host: string, namespace: string): Iterable<Server> {
  const { read, mesh, indexes } = context;
  const key = read.get(mesh.services.resolve, { namespace, host });
  if (key !== undefined) {
    const ports = read.get(mesh.services.service, key)?.ports ?? [];
    for (
      const { namespace, labels, serviceAccount, pod, ports: own } of read.get(
        mesh.services.endpoints,
        key,
      )
    ) {
      const mode = labels[TLS_MODE_LABEL] ?? (serviceAccount === "" || pod === true ? "" : "mesh");
      if (mode !== "mesh") continue;
      for (const { name, number } of ports) {
        yield { host, namespace, labels, port: number, target: own[name] ?? number };
      }
    }
    return;
  }
  const service = read.get(indexes.assumedHosts, host);
  if (service === undefined) return;
  if (!visibleTo(visibilityOf(service.exportTo, service.namespace), namespace)) return;
  for (const workload of selectedWorkloads(context, service.namespace, service.selector)) {
    if (workload.outside === true || workload.captured === true) continue;
    for (const [at, port] of service.ports.entries()) {
      const { labels } = workload;
      yield { host, namespace: service.namespace, labels, port, target: service.targets[at] };
    }
  }
}
