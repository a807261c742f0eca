/**
 * VirtualServices with the rules of their delegates in place.
 *
 * @module
 */
import type { Derived, Graph, Read } from "../graph/mod.ts";
import type { ConfigObject } from "../model/mod.ts";
import { equals } from "../proto/mod.ts";
import {
  type HTTPRoute,
  type VirtualService,
  VirtualServiceSchema,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { mergeDelegate } from "./delegate_merge.ts";
import { fullHost } from "./hosts.ts";
import { gatewayKey } from "./route_names.ts";
import { deriveTelling, fromObject } from "./tell.ts";
import type { Tables } from "./tables.ts";
import { visibilityOf, visibleTo } from "./visibility.ts";

/**
 * Creates the table: `namespace/name` → the specification that is served. One
 * without delegates is the row's own. A rule whose delegate is not there, has
 * hosts of its own or is not exported to the rule's namespace stays as it is, and
 * is served by nobody. Delegates do not delegate in turn.
 *
 * @param domain the mesh's DNS suffix
 */
export function deriveDelegates(
  graph: Graph,
  tables: Tables,
  domain: string,
): Derived<VirtualService | undefined> {
  return deriveTelling<VirtualService | undefined>(graph, "route.spec", (read, key, tell) => {
    const row = read.get(tables.virtualServices, key);
    if (row === undefined || !delegates(row.spec)) return row?.spec;
    const http = row.spec.http.flatMap((rule, i) => {
      const hears = tell && ((delegate: ConfigObject): void =>
        tell({
          group: "delegate",
          ...fromObject(delegate, "spec.http"),
          value: `in the place of spec.http[${i}]`,
        }));
      return rulesOf(read, tables, row, rule, domain, hears);
    });
    return { ...row.spec, http };
  }, { equal: sameSpec });
}

/** Whether some rule of a VirtualService is given by another one. */
export function delegates(spec: VirtualService): boolean {
  return spec.http.some((rule) => rule.delegate !== undefined);
}

function sameSpec(a: VirtualService | undefined, b: VirtualService | undefined): boolean {
  return a === b || a !== undefined && b !== undefined && equals(VirtualServiceSchema, a, b);
}

function rulesOf(
  read: Read,
  tables: Tables,
  row: ConfigObject<VirtualService>,
  rule: HTTPRoute,
  domain: string,
  hears: ((delegate: ConfigObject) => void) | undefined,
): HTTPRoute[] {
  if (rule.delegate === undefined) return [rule];
  const home = row.meta.namespace;
  const key = `${rule.delegate.namespace || home}/${rule.delegate.name}`;
  const delegate = read.get(tables.virtualServices, key);
  if (delegate === undefined || delegate.spec.hosts.length > 0) return [rule];
  const { exportTo, http } = delegate.spec;
  if (!visibleTo(visibilityOf(exportTo, delegate.meta.namespace), home)) return [rule];
  hears?.(delegate);
  const inner = http.map((one) => atHome(one, delegate.meta.namespace, domain));
  return mergeDelegate(atHome(rule, home, domain), inner);
}

/** A rule whose names mean the same in every namespace. */
function atHome(rule: HTTPRoute, namespace: string, domain: string): HTTPRoute {
  const named = <T extends { readonly host: string }>(destination: T): T => ({
    ...destination,
    host: fullHost(destination.host, namespace, domain),
  });
  return {
    ...rule,
    match: rule.match.map((match) => ({
      ...match,
      gateways: match.gateways.map((one) => one === "mesh" ? one : gatewayKey(one, namespace)),
    })),
    route: rule.route.map((to) => ({
      ...to,
      destination: to.destination && named(to.destination),
    })),
    mirror: rule.mirror && named(rule.mirror),
    mirrors: rule.mirrors.map((to) => ({
      ...to,
      destination: to.destination && named(to.destination),
    })),
  };
}
