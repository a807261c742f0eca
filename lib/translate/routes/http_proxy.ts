/**
 * The port at which workloads use their proxy as an HTTP proxy: one listener, and
 * one route table for the HTTP services of all ports.
 *
 * @module
 */
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { deriveTelling, labelKeys, lookUp, within } from "../../derive/mod.ts";
import { hostPort } from "../../envoy/mod.ts";
import type { Derived, Read, Resource } from "../../graph/mod.ts";
import { fromBinary } from "../../proto/mod.ts";
import type { Context } from "../context/mod.ts";
import { encodeResource, sameResources, splitKey } from "../resources/mod.ts";
import { HTTP_PROXY_TABLE, httpProxyPort } from "../settings/mod.ts";
import type { Egress } from "../sidecars/mod.ts";
import { connectHost, connectTo, deriveConnectTargets } from "./http_proxy_connect.ts";
import type { LabelledRoutes } from "./labelled_routes.ts";
import { assembleTable, type RouteTables, tableRest, tellParts } from "./tables.ts";

/** The tables of {@link deriveHttpProxy}. */
export interface HttpProxyTables {
  /** `SIDECAR|class key` → keys of its tables, or nothing where it has no such port. */
  readonly members: Derived<readonly string[]>;
  /** `NS|SIDECAR|labels` → the route table; labels are empty where no rule is for the class's. */
  readonly tables: Derived<readonly Resource[]>;
}

/**
 * Creates the tables.
 *
 * @param plain `NS|port|host` → the virtual host for callers without labels
 */
export function deriveHttpProxy(
  context: Context,
  tables: RouteTables,
  egress: Egress,
  labelled: LabelledRoutes,
  plain: Derived<readonly Resource[]>,
): HttpProxyTables {
  const { mesh } = context;
  /** `port|host` of the virtual hosts that differ for callers with these labels. */
  const placesOf = (read: Read, namespace: string, sidecar: string, labels: string): string[] =>
    sidecar === ""
      ? [...read.get(labelled.places, `${namespace}|${labels}`)]
      : read.get(labelled.egressPlaces, `${namespace}|${sidecar}|${labels}`).map((place) => {
        const [port = "", , host = ""] = splitKey(place, 3);
        return `${port}|${host}`;
      });
  const hostsOf = (read: Read, namespace: string, sidecar: string): [string, Resource][] => {
    if (sidecar === "") {
      const ports = ["", namespace].flatMap((ns) => read.members(mesh.indexes.httpPortsSeenBy, ns));
      return [...new Set(ports)].map(String).flatMap((port) =>
        [...tables.hostsOf(read, namespace, port).values()].map((host): [string, Resource] => [
          port,
          host,
        ])
      );
    }
    return read.get(egress.routeMembers, `${namespace}|${sidecar}`).flatMap((member) => {
      const [listener = "", port = ""] = splitKey(member, 3);
      return [...tables.egressHostsOf(read, namespace, sidecar, listener, port).values()]
        .map((host): [string, Resource] => [port, host]);
    });
  };
  const connects = deriveConnectTargets(context);
  return {
    members: mesh.graph.derive<readonly string[]>("httpProxy.members", (read, key) => {
      const [sidecar = "", classKey = ""] = splitKey(key, 2);
      const cls = read.get(context.classes, classKey);
      if (httpProxyPort(read, context, cls) === 0) return [];
      const labels = labelKeys.encode(cls.labels);
      const differs = placesOf(read, cls.namespace, sidecar, labels).length > 0;
      return [`${cls.namespace}|${sidecar}|${differs ? labels : ""}`];
    }),
    tables: deriveTelling<readonly Resource[]>(mesh.graph, "rds.httpProxy", (read, key, tell) => {
      const inside = within(tell, HTTP_PROXY_TABLE);
      const [namespace = "", sidecar = "", labels = ""] = splitKey(key, 3);
      const hosts = new Map<string, Resource>();
      const targets = read.get(connects, `${namespace}|${sidecar}`).map((t) => splitKey(t, 2));
      const named = new Set(targets.map(([port, host]) => hostPort(host!, Number(port))));
      const add = (port: string, host: Resource): void => {
        const found = withPort(host, port, named.has(host.name));
        if (found !== undefined) hosts.set(found.name, found);
      };
      for (const [port, host] of hostsOf(read, namespace, sidecar)) add(port, host);
      const keyOf = (host: string, name: string): string =>
        `${namespace}|${name.slice(host.length + 1)}|${host}`;
      tellParts(read, plain, hosts.keys(), keyOf, inside);
      const own = labels === "" ? [] : placesOf(read, namespace, sidecar, labels);
      for (const place of own) {
        const [port = ""] = splitKey(place, 2);
        for (
          const host of lookUp(read, labelled.hosts, `${namespace}|${place}|${labels}`, inside)
        ) {
          add(port, host);
        }
      }
      for (const [port, host] of targets) {
        if (hosts.has(hostPort(host!, Number(port)))) continue;
        const found = connectHost(read, context, namespace, Number(port), host!, inside);
        if (found !== undefined) hosts.set(found.name, found);
      }
      const rest = tableRest(read, context, sidecar, inside);
      return [assembleTable(HTTP_PROXY_TABLE, hosts.values(), {
        ...rest,
        connects: true,
        byPort: true,
      })];
    }, { equal: sameResources }),
  };
}

/** Virtual hosts as they are in the table, with a way through or without, by what they are made of: most edits change few. */
const madeHosts = {
  connects: new WeakMap<Resource, { readonly host: Resource | undefined }>(),
  plain: new WeakMap<Resource, { readonly host: Resource | undefined }>(),
};

/**
 * A virtual host by its names with the port alone, for other ports have the same
 * names; at port 80 by all of them. A host that is a pattern of everything has no
 * name with a port, and is left to the catch-all.
 *
 * @param connects whether it is a service's, so that there is a way to it
 */
function withPort(resource: Resource, port: string, connects: boolean): Resource | undefined {
  const made = connects ? madeHosts.connects : madeHosts.plain;
  const known = made.get(resource);
  if (known !== undefined) return known.host;
  const message = fromBinary(VirtualHostSchema, resource.bytes);
  message.domains = message.domains.flatMap((domain) => {
    const named = domain === "*" ? [] : [`${domain}:${port}`];
    return port === "80" ? [domain, ...named] : named;
  });
  if (connects) {
    const host = resource.name.slice(0, -1 - port.length);
    message.routes.push(connectTo(host, Number(port)));
  }
  const host = message.domains.length === 0
    ? undefined
    : encodeResource(message.name, VirtualHostSchema, message);
  made.set(resource, { host });
  return host;
}
