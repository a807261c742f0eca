/**
 * Finds the cluster of a destination.
 *
 * @module
 */
import type { Decision, DecisionLog, Source } from "../../../kit/base/mod.ts";
import {
  clusterName,
  hashPolicyFor,
  type ResolvedDestination,
  sessionOfRoute,
  sessionRule,
} from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { apiTrafficOf, fullHost, type Service } from "../../model/mod.ts";
import type { Context } from "./context.ts";
import { type Client, findService, followServiceRules } from "./lookups.ts";
import { mergedPolicy } from "./traffic_policy.ts";

/** The fields of a destination that are used; the port may be missing. */
interface DestinationLike {
  readonly host: string;
  readonly subset: string;
  readonly port?: { readonly number: number } | undefined;
  /** True: the host is a service's own name, which may have one label. Default: short names are completed. */
  readonly full?: boolean;
}

/**
 * Finds the cluster of a destination. Short host names are completed with `fromNamespace`.
 * Decisions are recorded in the log, if there is one.
 */
export type ResolveDestination = (
  destination: DestinationLike,
  fromNamespace: string,
  log?: DecisionLog,
) => ResolvedDestination;

/**
 * Creates the function that finds the clusters of destinations, as a client sees them.
 *
 * @param listenerPort the port of a destination without one whose service has several
 */
export function destinationResolver(
  read: Read,
  context: Context,
  client: Client,
  listenerPort: number,
): ResolveDestination {
  const { mesh, features } = context;
  return (destination, fromNamespace, log) => {
    const named = destination.full === true
      ? destination.host
      : fullHost(destination.host, fromNamespace, mesh.domain);
    const inside = read.mapped((decision) => {
      log?.decide?.(decision);
      return undefined;
    }).within(`to ${named}`);
    const alias = findService(read, context, client.namespace, named);
    const host = alias?.alias ?? named;
    if (alias?.alias !== undefined) {
      const value = { source: "object", object: alias.source, value: host } as const;
      inside.decide?.({ group: "alias", field: "spec.externalName", ...value });
    }
    const chosen = followServiceRules(inside, context, client, host);
    const service = chosen && read.get(mesh.services.service, chosen.service);
    const only = service?.ports.length === 1 ? service.ports[0] : undefined;
    const port = destination.port?.number || only?.number || listenerPort;
    const rules = chosen && read.get(mesh.policies.policy, chosen.rules);
    const subset = rules?.subsets.find((s) => s.name === destination.subset);
    const merged = rules && mergedPolicy(inside, { rules, subset, port });
    const cluster = clusterName("outbound", port, destination.subset, host);
    const hashPolicy = hashPolicyFor(merged?.policy?.loadBalancer);
    const hashed = hashPolicy !== undefined && hashPolicy.length > 0;
    recordCluster(
      inside,
      cluster,
      service,
      hashed ? merged?.decisions.get("loadBalancer") : undefined,
    );
    const facts = rules?.trafficPolicy && apiTrafficOf(rules.trafficPolicy);
    if (facts !== undefined) {
      const { object, session: { name } } = facts;
      const field = "spec.sessionPersistence";
      inside.decide?.({ group: "session", source: "object", object, field, value: name });
      return { cluster, host, port, hashPolicy, session: sessionOfRoute(facts.session) };
    }
    const session = service && sessionRule(service.labels, features.sessions);
    if (session === undefined) return { cluster, host, port, hashPolicy };
    inside.decide?.({
      group: "session",
      source: "object",
      object: service!.source,
      field: `metadata.labels[${session.label}]`,
      value: session.value,
    });
    return { cluster, host, port, hashPolicy, session: session.config };
  };
}

/** Records the service of a cluster, and the rule that its requests are hashed by. */
function recordCluster(
  log: DecisionLog,
  cluster: string,
  service: Service | undefined,
  hash: Decision | undefined,
): void {
  const from: Source = service === undefined
    ? { source: "built-in" }
    : { source: "object", object: service.source };
  log.decide?.({ group: "cluster", ...from, value: cluster });
  if (hash !== undefined) log.decide?.({ ...hash, group: "hashPolicy" });
}
