/**
 * VirtualServices with the rules of their delegates merged.
 *
 * @module
 */
import { type Derived, type Read, text } from "../../graph/mod.ts";
import { type ConfigObject, fromObject, fullHost, gatewayKey, objectKey } from "../../model/mod.ts";
import type { HTTPRoute, VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { mergeDelegate } from "./delegate_merge.ts";
import { joinedRules } from "./gateway_api_rules.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import { visibilityOf, visibleTo } from "../inputs/mod.ts";

/**
 * Creates the table: row key → the specification that is served. A VirtualService
 * without delegates keeps its own. A rule stays as it is, and is not served, when
 * its delegate does not exist, has hosts of its own, or is not exported to the
 * rule's namespace. Delegates cannot delegate.
 */
export function deriveDelegates(
  inputs: MeshInputs,
): Derived<VirtualService | undefined> {
  const { graph, tables, domain } = inputs;
  return graph.derive("route.spec", text, (read, key): VirtualService | undefined => {
    const row = read.get(tables.virtualServices, key);
    if (row === undefined) return undefined;
    if (!delegates(row.spec)) return joinedRules(read, inputs, row);
    const home = row.meta.namespace;
    const http = row.spec.http.flatMap((rule, i) => {
      const delegate = delegateOf(read, inputs, rule, home);
      if (delegate === undefined) return [rule];
      const value = `in the place of spec.http[${i}]`;
      read.decide?.({ group: "delegate", ...fromObject(delegate, "spec.http"), value });
      const inner = delegate.spec.http.map((one) => atHome(one, delegate.meta.namespace, domain));
      return mergeDelegate(atHome(rule, home, domain), inner);
    });
    return { ...row.spec, http };
  });
}

/** Reports if some rule of a VirtualService has a delegate. */
export function delegates(spec: VirtualService): boolean {
  return spec.http.some((rule) => rule.delegate !== undefined);
}

/** The delegate of a rule, if it has one that may be used. */
function delegateOf(
  read: Read,
  { tables }: MeshInputs,
  { delegate: named }: HTTPRoute,
  home: string,
): ConfigObject<VirtualService> | undefined {
  if (named === undefined) return undefined;
  const key = objectKey({ namespace: named.namespace || home, name: named.name });
  const delegate = read.get(tables.virtualServices, key);
  if (delegate === undefined || delegate.spec.hosts.length > 0) return undefined;
  const visibility = visibilityOf(delegate.spec.exportTo, delegate.meta.namespace);
  return visibleTo(visibility, home) ? delegate : undefined;
}

/** Returns a rule with full names, which mean the same hosts and Gateways in every namespace. */
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
