/**
 * Finds the service that a namespace sees for a host, and the DestinationRules that apply to it.
 *
 * A `find` function only reads. The `follow` function of the same lookup also records the decisions
 * behind the result, for the provenance of resources made from it.
 *
 * @module
 */
import type { Mesh, RuleKeys } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { Service, ServiceKey } from "../../model/mod.ts";

/** The part of the context that lookups need. */
export interface MeshContext {
  readonly mesh: Mesh;
}

/** A service, and the DestinationRules that apply to it. */
export interface ServiceRules {
  readonly service: ServiceKey;
  readonly rules: RuleKeys;
}

/** The clients of a service: the proxies of a namespace, or those of them that rules select. */
export interface Client {
  /** `""`: the proxies of all namespaces. */
  readonly namespace: string;
  /** Keys of the DestinationRules that select the workload by labels, oldest first. */
  readonly rules?: RuleKeys;
}

type How = "get" | "follow";

/** A context that reads through another one and records no decisions. */
export function silent(read: Read): Read {
  return read.mapped(() => undefined);
}

/** The service of a host, and its rules, as a client sees them. */
export function findServiceRules(
  read: Read,
  context: MeshContext,
  client: Client,
  host: string,
): ServiceRules | undefined {
  return serviceRules(read, context, "get", { client, host });
}

/** Like {@link findServiceRules}, with the decisions. */
export function followServiceRules(
  read: Read,
  context: MeshContext,
  client: Client,
  host: string,
): ServiceRules | undefined {
  return serviceRules(read, context, "follow", { client, host });
}

function serviceRules(
  read: Read,
  { mesh }: MeshContext,
  how: How,
  { client: { namespace, rules = [] }, host }: { readonly client: Client; readonly host: string },
): ServiceRules | undefined {
  const service = read[how](mesh.services.resolve, { namespace, host });
  if (service === undefined) return undefined;
  const shared = read[how](mesh.policies.rules, {
    client: namespace,
    owner: service.namespace,
    host,
  });
  if (rules.length === 0) return { service, rules: shared };
  // Rules that select the workload take precedence.
  const selecting = mesh.policies.selected(how === "follow" ? read : silent(read), host, rules);
  return { service, rules: selecting.length === 0 ? shared : selecting };
}

/** Returns the service that the proxies of a namespace see for a host. */
export function findService(
  read: Read,
  { mesh }: MeshContext,
  namespace: string,
  host: string,
): Service | undefined {
  const key = read.get(mesh.services.resolve, { namespace, host });
  return key === undefined ? undefined : read.get(mesh.services.service, key);
}

/** Like {@link findService}, with the decisions. */
export function followService(
  read: Read,
  { mesh }: MeshContext,
  namespace: string,
  host: string,
): Service | undefined {
  const key = read.follow(mesh.services.resolve, { namespace, host });
  return key === undefined ? undefined : read.follow(mesh.services.service, key);
}
