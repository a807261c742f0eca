/**
 * Routes for callers of certain labels: virtual hosts that differ from those of
 * the namespace, and the tables that hold them. A class that no such rule is for
 * has none, and shares its namespace's.
 *
 * @module
 */
import { deriveTelling, labelKeys, lookUp, within } from "../../derive/mod.ts";
import { hostPort } from "../../envoy/mod.ts";
import type { Derived, Resource } from "../../graph/mod.ts";
import { mayBeHttp } from "../../model/mod.ts";
import { type Context, pickService } from "../context/mod.ts";
import { virtualHost } from "../destinations/mod.ts";
import { sameResources, splitKey } from "../resources/mod.ts";
import type { Egress } from "../sidecars/mod.ts";
import { assembleTable, type RouteTables, tableRest, tellParts } from "./tables.ts";
import { inTable, inTableOf } from "./vhds.ts";

/** The tables. `labels` as in `labelKeys`; they stand last, since they may hold anything. */
export interface LabelledRoutes {
  /** `NS|port|host|labels` → the virtual host. */
  readonly hosts: Derived<readonly Resource[]>;
  /** `NS|labels` → ports whose tables differ. */
  readonly ports: Derived<readonly string[]>;
  /** `NS|port|labels` → the table of a port. */
  readonly tables: Derived<readonly Resource[]>;
  /** `NS|sidecar|labels` → egress listeners whose tables differ: `listener|port|name`. */
  readonly listeners: Derived<readonly string[]>;
  /** `NS|sidecar|listener|port|name|labels` → the table of an egress listener. */
  readonly egressTables: Derived<readonly Resource[]>;
  /** `NS|labels` → virtual hosts that differ: `port|host`. */
  readonly places: Derived<readonly string[]>;
  /** `NS|port|host|labels` → the virtual host as a part of its port's table. */
  readonly parts: Derived<readonly Resource[]>;
  /** `NS|sidecar|labels` → those of the Sidecar's tables that differ: `port|name|host`. */
  readonly egressPlaces: Derived<readonly string[]>;
  /** `NS|port|name|host|labels` → the virtual host as a part of an egress listener's table. */
  readonly egressParts: Derived<readonly Resource[]>;
}

/**
 * Creates the tables.
 *
 * @param plain `NS|port|host` → the virtual host for callers without labels
 */
export function deriveLabelledRoutes(
  context: Context,
  plain: Derived<readonly Resource[]>,
  tables: RouteTables,
  egress: Egress,
): LabelledRoutes {
  const { mesh } = context;
  const { graph } = mesh;
  const options = { equal: sameResources };
  const hosts = deriveTelling<readonly Resource[]>(graph, "vhost.labelled", (read, key, tell) => {
    const [namespace = "", port = "", host = "", labels = ""] = splitKey(key, 4);
    const found = virtualHost(
      read,
      context,
      namespace,
      Number(port),
      host,
      within(tell, hostPort(host, Number(port))),
      labelKeys.decode(labels),
    );
    return found === undefined ? [] : [found];
  }, options);
  const places = graph.derive<readonly string[]>("labelled.places", (read, key) => {
    const [namespace = "", labels = ""] = splitKey(key, 2);
    return read.get(mesh.scopes.sourceLabelHosts, namespace).flatMap((host) => {
      const service = pickService(read, context, namespace, host);
      const ports = service?.ports.filter((p) => mayBeHttp(p.protocol)).map((p) => p.number);
      return [...new Set(ports ?? [80])].map((port) => `${port}|${host}`);
    }).filter((place) =>
      !sameResources(
        read.get(hosts, `${namespace}|${place}|${labels}`),
        read.get(plain, `${namespace}|${place}`),
      )
    );
  });
  const ports = graph.derive<readonly string[]>("labelled.ports", (read, key) => {
    const [namespace = ""] = splitKey(key, 2);
    // A host without a service is served where there is a table for its port.
    const open = (port: string): boolean =>
      ["", namespace].some((ns) =>
        read.members(mesh.indexes.httpPortsSeenBy, ns).includes(Number(port))
      );
    const found = read.get(places, key).map((place) => splitKey(place, 2)[0] ?? "");
    return [...new Set(found)].filter(open).sort();
  });
  const portTables = deriveTelling<readonly Resource[]>(
    graph,
    "rds.labelled",
    (read, key, tell) => {
      const [namespace = "", port = "", labels = ""] = splitKey(key, 3);
      const all = tables.hostsOf(read, namespace, port);
      const inside = within(tell, port);
      const own = new Set<string>();
      for (const place of read.get(places, `${namespace}|${labels}`)) {
        if (!place.startsWith(`${port}|`)) continue;
        for (const one of lookUp(read, hosts, `${namespace}|${place}|${labels}`, inside)) {
          all.set(one.name, one);
          own.add(one.name);
        }
      }
      const others = [...all.keys()].filter((name) => !own.has(name));
      tellParts(read, plain, others, (host) => `${namespace}|${port}|${host}`, inside);
      return [assembleTable(port, all.values(), tableRest(read, context, "", inside))];
    },
    options,
  );
  const egressPlaces = graph.derive<readonly string[]>("labelled.egressPlaces", (read, key) => {
    const [namespace = "", sidecar = "", labels = ""] = splitKey(key, 3);
    const differing = new Set(read.get(places, `${namespace}|${labels}`));
    if (differing.size === 0) return [];
    return read.get(egress.virtualHostMembers, `${namespace}|${sidecar}`).filter((member) => {
      const [port = "", , host = ""] = splitKey(member, 3);
      return differing.has(`${port}|${host}`);
    });
  });
  const listeners = graph.derive<readonly string[]>("labelled.listeners", (read, key) => {
    const [namespace = "", sidecar = ""] = splitKey(key, 3);
    const tableOf = (port: string, name: string): string => `${port}|${name}`;
    const differing = new Set(
      read.get(egressPlaces, key).map((place) => {
        const [port = "", name = ""] = splitKey(place, 3);
        return tableOf(port, name);
      }),
    );
    if (differing.size === 0) return [];
    return read.get(egress.routeMembers, `${namespace}|${sidecar}`).filter((member) => {
      const [, port = "", name = ""] = splitKey(member, 3);
      return differing.has(tableOf(port, name));
    });
  });
  const egressTables = deriveTelling<readonly Resource[]>(
    graph,
    "rds.labelled.egress",
    (read, key, tell) => {
      const [namespace = "", sidecar = "", listener = "", port = "", name = "", labels = ""] =
        splitKey(key, 6);
      const all = tables.egressHostsOf(read, namespace, sidecar, listener, port);
      const inside = within(tell, name);
      const own = new Set<string>();
      const imported = new Set(
        read.get(egress.httpHosts, `${namespace}|${sidecar}|${listener}|${port}`),
      );
      for (const place of read.get(places, `${namespace}|${labels}`)) {
        const [at = "", host = ""] = splitKey(place, 2);
        if (at !== port || !imported.has(host)) continue;
        for (const one of lookUp(read, hosts, `${namespace}|${place}|${labels}`, inside)) {
          all.set(one.name, one);
          own.add(one.name);
        }
      }
      const others = [...all.keys()].filter((n) => !own.has(n));
      tellParts(read, plain, others, (host) => `${namespace}|${port}|${host}`, inside);
      return [assembleTable(name, all.values(), tableRest(read, context, sidecar, inside))];
    },
    options,
  );
  return {
    hosts,
    ports,
    tables: portTables,
    listeners,
    egressTables,
    places,
    parts: deriveTelling<readonly Resource[]>(graph, "vhds.labelled", (read, key, tell) => {
      const [, port = "", host = ""] = splitKey(key, 4);
      return inTable(port, host, lookUp(read, hosts, key, inTableOf(tell, port)));
    }, options),
    egressPlaces,
    egressParts: deriveTelling<readonly Resource[]>(
      graph,
      "vhds.labelled.egress",
      (read, key, tell) => {
        const [namespace = "", port = "", name = "", host = "", labels = ""] = splitKey(key, 5);
        const mine = `${namespace}|${port}|${host}|${labels}`;
        return inTable(name, host, lookUp(read, hosts, mine, inTableOf(tell, name)));
      },
      options,
    ),
  };
}
