/**
 * Hosts that are routed at port 80 although they have no service there: VirtualServices name them.
 *
 * @module
 */
import { type Derived, type Read, text } from "../../graph/mod.ts";
import { covers, isWildcard, namespaceOf } from "../../model/mod.ts";
import { coveredHosts } from "../indexes/mod.ts";
import { type EgressKey, egressKeys, type HostKey } from "../inputs/mod.ts";
import { type Imports, isImported } from "./scope_imports.ts";

/** The port at which such hosts are served: that of HTTP without a port in the URL. */
const PORT = 80;

/** The tables of {@link deriveRouteHosts}; see `Scopes`. */
interface RouteHosts {
  readonly routeHosts: Derived<readonly string[]>;
  readonly egressRouteHosts: Derived<readonly string[], EgressKey>;
}

/** Creates the tables. */
export function deriveRouteHosts(
  imports: Imports,
  egressHosts: Derived<readonly string[], EgressKey>,
): RouteHosts {
  const { graph, tables, indexes } = imports.inputs;
  const named = deriveNamedHosts(imports);
  const isServed = (read: Read, namespace: string, host: string): boolean =>
    isService(read, imports, { namespace, host });
  return {
    routeHosts: graph.derive(
      "scope.routeHosts",
      text,
      (read, namespace): readonly string[] =>
        read.get(named, namespace).filter((host) =>
          !isWildcard(host) || !coveredHosts(read, indexes, host)
            .some((one) => isServed(read, namespace, one))
        ),
    ),
    egressRouteHosts: graph.derive(
      "scope.egressRoutes",
      egressKeys,
      (read, key): readonly string[] => {
        const { namespace, sidecar, listener } = key;
        const row = read.get(tables.sidecars, sidecar);
        const patterns = row?.spec.egress[listener ?? -1]?.hosts ?? [];
        const hosts = new Set([...read.get(named, ""), ...read.get(named, namespace)]);
        return [...hosts].sort().filter((host) => {
          if (isServed(read, namespace, host)) return false;
          const route = read.get(imports.routes.meshRoute, { namespace, host });
          const owner = route === "" ? "" : namespaceOf(route);
          return patterns.some((pattern) => isImported({ pattern, namespace }, owner, host)) &&
            (!isWildcard(host) || !read.get(egressHosts, key)
              .some((one) => covers(host, one) && isServed(read, namespace, one)));
        });
      },
    ),
  };
}

/**
 * `""` → hosts that VirtualServices name for everybody and that have no service with port 80;
 * namespace → those that the namespace may see differently.
 */
function deriveNamedHosts(imports: Imports): Derived<readonly string[]> {
  const { graph, indexes, domain } = imports.inputs;
  const named: Derived<readonly string[]> = graph.derive(
    "scope.routeHosts.named",
    text,
    (read, namespace): readonly string[] => {
      const seen = new Set(read.members(indexes.meshRouteHostsSeenBy, namespace));
      if (namespace !== "") {
        const suffix = `.${namespace}.svc.${domain}`;
        for (const h of read.get(named, "")) if (h.endsWith(suffix)) seen.add(h);
      }
      return [...seen].sort()
        .filter((host) => !isService(read, imports, { namespace, host }));
    },
  );
  return named;
}

/** Reports if a host is a service with port 80, as a namespace sees it. */
function isService(read: Read, { services }: Imports, seen: HostKey): boolean {
  const key = read.get(services.resolve, seen);
  const service = key === undefined ? undefined : read.get(services.service, key);
  return service?.ports.some(({ number }) => number === PORT) ?? false;
}
