/**
 * Tells whether a host has the same routes in a namespace as in all namespaces. It compares what the
 * routes are made from, which is far less work than to build them twice.
 *
 * @module
 */
import { inParts } from "../../../kit/base/mod.ts";
import { destinationsOf, ruleKeys } from "../../derive/mod.ts";
import { domainsFor } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { fullHost, namespaceOf, serviceKeys } from "../../model/mod.ts";
import { type Context, findService, findServiceRules } from "../context/mod.ts";
import { domainsOf } from "../destinations/mod.ts";
import type { VirtualHostKey } from "./keys.ts";

/**
 * Reports if a host is the same service, with the same rules and destinations. Domains are not
 * compared. False for rules that match the namespace of the client. /
 */
export function hasSharedRoutes(
  read: Read,
  context: Context,
  namespace: string,
  host: string,
): boolean {
  const { services, routes } = context.mesh;
  const service = read.get(services.resolve, { namespace: "", host });
  if (read.get(services.resolve, { namespace, host })?.namespace !== service?.namespace) {
    return false;
  }
  const key = read.get(routes.meshRoute, { namespace: "", host });
  if (read.get(routes.meshRoute, { namespace, host }) !== key) return false;
  // Without routes, or if none of them applies, all requests go to the service.
  if (service !== undefined && !hasSharedRules(read, context, namespace, host)) return false;
  if (key === "") {
    // An alias has the routes of the host that it stands for.
    const alias = aliasOf(read, context, host);
    return alias === undefined || hasSharedRoutes(read, context, namespace, alias);
  }
  const spec = read.get(routes.spec, key);
  if (spec === undefined) return true;
  const owner = namespaceOf(key);
  if (spec.http.some((rule) => rule.match.some((match) => match.sourceNamespace !== ""))) {
    return false;
  }
  // Most rules of a long list have few destinations.
  const named = [...new Set(destinationsOf(spec).map(({ host: to }) => to))];
  const compared = inParts(
    read,
    named,
    (some) =>
      some.every((to) =>
        hasSharedRules(read, context, namespace, fullHost(to, owner, context.mesh.domain))
      ),
  );
  return compared.every((isShared) => isShared);
}

/** Reports if a host is the same service with the same DestinationRules. */
function hasSharedRules(read: Read, context: Context, namespace: string, host: string): boolean {
  const mine = findServiceRules(read, context, { namespace }, host);
  const shared = findServiceRules(read, context, { namespace: "" }, host);
  if (mine === undefined || shared === undefined) return mine === shared;
  if (
    !serviceKeys.equal(mine.service, shared.service) || !ruleKeys.equal(mine.rules, shared.rules)
  ) return false;
  const alias = aliasOf(read, context, host);
  return alias === undefined || hasSharedRules(read, context, namespace, alias);
}

/** The host that a host is an alias of, as all namespaces see it. */
function aliasOf(read: Read, context: Context, host: string): string | undefined {
  return findService(read, context, "", host)?.alias;
}

/**
 * Reports if a host, which is one service for both, has the same domains in a namespace as in all.
 */
export function hasSharedDomains(
  read: Read,
  context: Context,
  { namespace, port, host }: VirtualHostKey,
): boolean {
  const service = findService(read, context, "", host);
  const domains = (seenBy: string): string => {
    const options = domainsOf(read, context, { namespace: seenBy, host, port }, service);
    return String(domainsFor({ host, port, ...options }));
  };
  return domains(namespace) === domains("");
}
