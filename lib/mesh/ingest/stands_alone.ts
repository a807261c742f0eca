/**
 * Changes that make sense without others. One command often writes several objects, one after the
 * other: a VirtualService and the DestinationRule with its subsets, a policy that denies and one that
 * allows. Such changes wait for each other; those that stand alone can be published at once.
 *
 * @module
 */
import { destinationsOf, type Mesh } from "../derive/mod.ts";
import { isRouteKind, type Route } from "../gateway_api/mod.ts";
import { type ConfigObject, coveringPatterns, fullHost } from "../model/mod.ts";
import type { DestinationRule } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { ObjectChange } from "./changes.ts";

/**
 * Reports if a change can be published without others. It cannot if it
 * - deletes an object, because what replaces it may follow,
 * - adds an object of a kind that takes something away (policies, Sidecars and so on),
 * - names a host or a subset that does not exist, or takes a subset away.
 *
 * @param before the former version of the object
 */
export function standsAlone(
  mesh: Mesh,
  { kind, object }: ObjectChange,
  before: ConfigObject | undefined,
): boolean {
  if (object === undefined) return false;
  if (kind === "ServiceEntry" || kind === "WorkloadEntry") return true;
  if (kind === "VirtualService") {
    return routesToExisting(mesh, object as ConfigObject<VirtualService>);
  }
  if (isRouteKind(kind)) return hasBackends(mesh, object as Route);
  if (before === undefined) return false;
  if (kind !== "DestinationRule") return true;
  const subsets = subsetsOf(object);
  return [...subsetsOf(before)].every((name) => subsets.has(name));
}

function routesToExisting(mesh: Mesh, { meta, spec }: ConfigObject<VirtualService>): boolean {
  return destinationsOf(spec).every(({ host, subset }) => {
    const full = fullHost(host, meta.namespace, mesh.domain);
    return exists(mesh, full) && (subset === "" || hasSubset(mesh, full, subset));
  });
}

function hasBackends(mesh: Mesh, { meta, spec }: Route): boolean {
  const named = (spec.rules ?? []).flatMap((rule) => rule.backendRefs ?? []);
  return named.every(({ kind, name, namespace }) =>
    (kind ?? "Service") !== "Service" ||
    exists(mesh, fullHost(name, namespace || meta.namespace, mesh.domain))
  );
}

function exists({ indexes }: Mesh, host: string): boolean {
  return [host, ...coveringPatterns(host)]
    .some((name) => indexes.entriesByHost.peek(name).length > 0);
}

function hasSubset({ indexes, tables }: Mesh, host: string, subset: string): boolean {
  return [host, ...coveringPatterns(host)].some((name) =>
    indexes.rulesByHost.peek(name).some((key) => {
      const rule = tables.destinationRules.peek(key);
      return rule !== undefined && subsetsOf(rule).has(subset);
    })
  );
}

function subsetsOf(rule: ConfigObject): ReadonlySet<string> {
  return new Set((rule.spec as DestinationRule).subsets.map(({ name }) => name));
}
