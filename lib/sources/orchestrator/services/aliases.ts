/**
 * Services of the type `ExternalName` that name another Service: aliases of its host.
 *
 * @module
 */
import type { ApiService } from "./api.ts";
import { idOf } from "./slice_index.ts";

/** The Service that an alias stands for. */
export interface AliasTarget {
  readonly host: string;
  readonly service: ApiService;
}

/** Most aliases of aliases that are followed, so that circles end. */
const MOST_STEPS = 8;

/** The Services of one cluster by name. */
export interface ServiceLookup {
  readonly service: (namespace: string, name: string) => ApiService | undefined;
  /** DNS suffix of services. */
  readonly domain: string;
}

/** Aliases, and the Services that they depend on. */
export interface Aliases {
  /** The Service that an alias stands for; `undefined`: it is none, or names no Service. */
  targetOf(id: string, service: ApiService | undefined): AliasTarget | undefined;
  /** Ids of the aliases that depend on one of some Services. */
  dependingOn(ids: readonly string[]): string[];
}

/** Starts without aliases. */
export function createAliases(lookup: ServiceLookup): Aliases {
  /** Id of an alias → ids of the Services that it names, which need not exist. */
  const namedBy = new Map<string, readonly string[]>();
  return {
    targetOf: (id, service) => {
      const named: string[] = [];
      const target = service && follow(service, named, lookup);
      if (named.length === 0) namedBy.delete(id);
      else namedBy.set(id, named);
      return target;
    },
    dependingOn: (ids) => {
      if (namedBy.size === 0) return [];
      const changed = new Set(ids);
      return [...namedBy].filter(([, named]) => named.some((one) => changed.has(one)))
        .map(([alias]) => alias);
    },
  };
}

function follow(
  alias: ApiService,
  named: string[],
  { service, domain }: ServiceLookup,
): AliasTarget | undefined {
  let current = alias;
  let host = "";
  for (let step = 0; step < MOST_STEPS; step++) {
    if (current.spec?.type !== "ExternalName") {
      return host === "" ? undefined : { host, service: current };
    }
    host = (current.spec.externalName ?? "").replace(/\.$/, "").toLowerCase();
    const suffix = `.svc.${domain}`;
    const [name = "", namespace = "", more] = host.endsWith(suffix)
      ? host.slice(0, -suffix.length).split(".")
      : [];
    if (namespace === "" || more !== undefined) return undefined;
    named.push(idOf(namespace, name));
    const next = service(namespace, name);
    if (next === undefined) return undefined;
    current = next;
  }
  return undefined;
}
