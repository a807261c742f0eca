/**
 * Finds the cluster of a destination.
 *
 * @module
 */
import { serviceKeys } from "../../model/mod.ts";
import { fullHost, ruleKeys, type Source, type Tell, type Told, within } from "../../derive/mod.ts";
import {
  clusterName,
  hashPolicyFor,
  type ResolvedDestination,
  sessionRule,
} from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { type Context, mergeTrafficPolicy, notingListener, pickFor } from "../context/mod.ts";

/** What a destination needs to say; the port may be left out. */
interface DestinationLike {
  readonly host: string;
  readonly subset: string;
  readonly port?: { readonly number: number } | undefined;
}

/**
 * Finds the cluster of a destination, as a namespace sees it. Without a port it is
 * the service's only one, else the listener's.
 *
 * @param rules those that select the proxies, oldest first
 */
export function destinationResolver(
  read: Read,
  context: Context,
  namespace: string,
  listenerPort: number,
  rules: readonly string[] = [],
): (destination: DestinationLike, fromNamespace: string, tell?: Tell) => ResolvedDestination {
  const { mesh, features } = context;
  return (destination, fromNamespace, tell) => {
    const host = fullHost(destination.host, fromNamespace, mesh.domain);
    const inside = within(tell, `to ${host}`);
    const chosen = pickFor(read, context, { namespace, rules }, host, inside);
    const service = chosen && read.get(mesh.services.service, serviceKeys.decode(chosen.service));
    const only = service?.ports.length === 1 ? service.ports[0] : undefined;
    const port = destination.port?.number || only?.number || listenerPort;
    const policy = chosen && read.get(mesh.policies.policy, ruleKeys.decode(chosen.rules));
    const subset = policy?.subsets.find((s) => s.name === destination.subset);
    const groups = inside && new Map<string, Told>();
    const merged = mergeTrafficPolicy(
      policy?.trafficPolicy,
      subset?.trafficPolicy,
      port,
      undefined,
      groups && policy && notingListener(groups, policy, subset),
    );
    const cluster = clusterName("outbound", port, destination.subset, host);
    const hashPolicy = hashPolicyFor(merged?.loadBalancer);
    if (inside !== undefined) {
      const from: Source = service === undefined
        ? { source: "built-in" }
        : { source: "object", object: service.source };
      inside({ group: "cluster", ...from, value: cluster });
      const hash = groups?.get("loadBalancer");
      if (hashPolicy !== undefined && hashPolicy.length > 0 && hash !== undefined) {
        inside({ ...hash, group: "hashPolicy" });
      }
    }
    const session = service && sessionRule(service.labels, features.sessions);
    if (session === undefined) return { cluster, host, port, hashPolicy };
    inside?.({
      group: "session",
      source: "object",
      object: service!.source,
      field: `metadata.labels[${session.label}]`,
      value: session.value,
    });
    return { cluster, host, port, hashPolicy, session: session.config };
  };
}
