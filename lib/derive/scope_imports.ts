/**
 * Hosts that come along with those that a Sidecar imports.
 *
 * @module
 */
import type { Read } from "../graph/mod.ts";
import type { ConfigObject } from "../model/mod.ts";
import type { Sidecar } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { fullHost } from "./hosts.ts";
import { destinationsOf } from "./route_names.ts";
import type { Routes } from "./routes.ts";
import type { Services } from "./services.ts";
import type { Tables } from "./tables.ts";
import { fromObject, type Tell } from "./tell.ts";

/** Where a Sidecar sends what no service claims comes with it, whatever it imports. */
export function addEgressProxy(
  read: Read,
  services: Services,
  namespace: string,
  row: ConfigObject<Sidecar>,
  domain: string,
  into: Set<string>,
  tell: Tell | undefined,
): void {
  const proxy = row.spec.outboundTrafficPolicy?.egressProxy;
  if (proxy === undefined) return;
  const host = fullHost(proxy.host, row.meta.namespace, domain);
  if (read.get(services.resolve, `${namespace}|${host}`) === undefined) return;
  into.add(host);
  tell?.({
    of: [host],
    group: "import",
    ...fromObject(row, "spec.outboundTrafficPolicy.egressProxy"),
    value: proxy.host,
  });
}

/** A host that is imported brings the destinations of its routes with it. */
export function addDestinations(
  read: Read,
  tables: Tables,
  services: Services,
  routes: Routes,
  namespace: string,
  host: string,
  domain: string,
  into: Set<string>,
  tell: Tell | undefined,
): void {
  const key = read.get(routes.meshRoute, `${namespace}|${host}`);
  const row = key === "" ? undefined : read.get(tables.virtualServices, key);
  if (row === undefined) return;
  for (const destination of destinationsOf(read.get(routes.spec, key) ?? row.spec)) {
    const target = fullHost(destination.host, row.meta.namespace, domain);
    if (read.get(services.resolve, `${namespace}|${target}`) === undefined) continue;
    into.add(target);
    tell?.({
      of: [target],
      group: "import",
      ...fromObject(row, "spec.http"),
      value: `destination of ${host}`,
    });
  }
}
