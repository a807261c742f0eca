/**
 * Finds the service that a host means to a namespace, and the rules that apply to it.
 *
 * @module
 */
import { lookUp, type Mesh, type Tell } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { Service } from "../../model/mod.ts";

/** What lookups need: the mesh. */
export interface MeshContext {
  readonly mesh: Mesh;
}

/** What a host means to the proxies of a namespace: the service, and the rules that apply to it. */
export interface Pick {
  /** `namespace/host`. */
  readonly service: string;
  /** As `Policies.ruleKey`. */
  readonly rules: string;
}

/** Looks a host up as a namespace sees it (`""`: as everybody does). */
export function pick(
  read: Read,
  { mesh }: MeshContext,
  namespace: string,
  host: string,
  tell?: Tell,
): Pick | undefined {
  const service = lookUp(read, mesh.services.resolve, `${namespace}|${host}`, tell);
  if (service === undefined) return undefined;
  const owner = service.slice(0, service.indexOf("/"));
  const rules = lookUp(read, mesh.policies.ruleKey, `${namespace}|${owner}|${host}`, tell);
  return { service, rules };
}

/** Whom something is for: the proxies of a namespace, or those of them that rules select. */
export interface Caller {
  readonly namespace: string;
  /** Keys of the DestinationRules that select the workload by labels, oldest first. */
  readonly rules?: readonly string[];
}

/** As {@link pick}, but rules for the workload go before all others. */
export function pickFor(
  read: Read,
  context: MeshContext,
  { namespace, rules = [] }: Caller,
  host: string,
  tell?: Tell,
): Pick | undefined {
  const chosen = pick(read, context, namespace, host, tell);
  if (chosen === undefined || rules.length === 0) return chosen;
  const own = context.mesh.policies.selected(read, host, rules, tell);
  return own === "" ? chosen : { ...chosen, rules: own };
}

/** The service that a host means to the proxies of a namespace. */
export function pickService(
  read: Read,
  { mesh }: MeshContext,
  namespace: string,
  host: string,
  tell?: Tell,
): Service | undefined {
  const key = lookUp(read, mesh.services.resolve, `${namespace}|${host}`, tell);
  return key === undefined ? undefined : lookUp(read, mesh.services.service, key, tell);
}
