/**
 * Whether the routes of a host are for a namespace what they are for everybody: found by what they
 * are made of, which is far less work than to make them twice and compare.
 *
 * @module
 */
import { destinationsOf, fullHost } from "../../derive/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { namespaceOf } from "../../model/mod.ts";
import { type Context, pick } from "../context/mod.ts";

/**
 * Whether a host is the same service, routed by the same rules to the same destinations; names are
 * another matter. False, too, when the rules ask for the namespace of the caller.
 */
export function routedAlike(
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
  // Without routes, or where none of them applies, all goes to the service.
  if (service !== undefined && !ruledAlike(read, context, namespace, host)) return false;
  if (key === "") return true;
  const spec = read.get(routes.spec, key);
  if (spec === undefined) return true;
  const owner = namespaceOf(key);
  return !spec.http.some((rule) => rule.match.some((match) => match.sourceNamespace !== "")) &&
    destinationsOf(spec).every(({ host: to }) =>
      ruledAlike(read, context, namespace, fullHost(to, owner, context.mesh.domain))
    );
}

/** Whether a host is the same service under the same rules. */
function ruledAlike(read: Read, context: Context, namespace: string, host: string): boolean {
  const mine = pick(read, context, namespace, host);
  const shared = pick(read, context, "", host);
  return mine?.service === shared?.service && mine?.rules === shared?.rules;
}
