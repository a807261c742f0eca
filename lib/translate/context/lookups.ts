/**
 * Finds the service that a host means to a namespace, and the rules that apply to it.
 *
 * @module
 */
import { lookUp, type Mesh, ruleKeys, type Tell } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { type Service, serviceKeys } from "../../model/mod.ts";

/** What lookups need: the mesh. */
export interface MeshContext {
  readonly mesh: Mesh;
}

/** The service that a host stands for in a namespace, and the rules that apply to it. */
export interface Pick {
  /** The text of a service key. */
  readonly service: string;
  /** The text of `ruleKeys`. */
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
  const service = lookUp(read, mesh.services.resolve, { namespace, host }, tell);
  if (service === undefined) return undefined;
  const key = { client: namespace, owner: service.namespace, host };
  const rules = lookUp(read, mesh.policies.rules, key, tell);
  return { service: serviceKeys.encode(service), rules: ruleKeys.encode(rules) };
}

/** The proxies of a namespace, or those of them that rules select. */
export interface Caller {
  readonly namespace: string;
  /** Row keys of the DestinationRules that select the workload by labels, oldest first. */
  readonly rules?: readonly string[];
}

/** As {@link pick}, but rules that select the workload go before all others. */
export function pickFor(
  read: Read,
  context: MeshContext,
  { namespace, rules = [] }: Caller,
  host: string,
  tell?: Tell,
): Pick | undefined {
  const chosen = pick(read, context, namespace, host, tell);
  if (chosen === undefined || rules.length === 0) return chosen;
  const recording = tell === undefined ? read : read.mapped((decision) => {
    tell(decision);
    return undefined;
  });
  const own = context.mesh.policies.selected(recording, host, rules);
  return own.length === 0 ? chosen : { ...chosen, rules: ruleKeys.encode(own) };
}

/** The service that a host stands for in a namespace. */
export function pickService(
  read: Read,
  { mesh }: MeshContext,
  namespace: string,
  host: string,
  tell?: Tell,
): Service | undefined {
  const key = lookUp(read, mesh.services.resolve, { namespace, host }, tell);
  return key === undefined ? undefined : lookUp(read, mesh.services.service, key, tell);
}
