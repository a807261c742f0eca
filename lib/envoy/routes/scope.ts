/**
 * Where routes are translated for, and what translation asks of its caller.
 *
 * @module
 */
import type { RouteAction_HashPolicy } from "#envoy/config/route/v3/route_components_pb.ts";
import type { Destination, HTTPRetry } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { DecisionLog, Source } from "../../base/mod.ts";
import { gatewayKey, hasLabels } from "../../derive/mod.ts";
import type { Any } from "../../proto/mod.ts";

/** What a request is hashed by when its cluster balances by consistent hash. */
export type HashPolicy = RouteAction_HashPolicy;

/** Settings of the whole mesh that routes fall back to. */
export interface MeshRouteDefaults {
  /** `defaultHttpRetryPolicy` of the mesh configuration. */
  readonly defaultHttpRetryPolicy?: HTTPRetry | undefined;
  /** Leave 503 out of the built-in retry policy: the first attempt may have had effects. */
  readonly excludeUnsafe503: boolean;
  /** Servers are not told the number of the attempt. */
  readonly hideAttempts?: boolean;
  /** Where the host is rewritten, the one that the client asked for goes along as `x-forwarded-host`. */
  readonly forwardHost?: boolean;
}

/** A destination that was looked up among the services. */
export interface ResolvedDestination {
  /** Name of the cluster, for example `outbound|80|v1|a.ns.svc.cluster.local`. */
  readonly cluster: string;
  /** Full host name. */
  readonly host: string;
  /** Service port: the destination's, else the only one of the service, else the listener's. */
  readonly port: number;
  /** From the destination's traffic policy; empty or unset unless it balances by consistent hash. */
  readonly hashPolicy?: readonly HashPolicy[] | undefined;
  /** What routes say to the filter of sessions; unset: sessions do not stay with an endpoint. */
  readonly session?: Any | undefined;
}

/** The workload that sends, as far as rules may select on it. */
export interface RouteSource {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Keys of the DestinationRules that select it, oldest first. */
  readonly rules?: readonly string[];
}

/** One place where the routes of a VirtualService are served. */
export interface RouteScope {
  /** `mesh` alone, or the Gateways (`namespace/name`) whose servers share the listener and that the rule is bound to. */
  readonly gateways: readonly string[];
  /** Port of the listener. */
  readonly port: number;
  /** Whether the listener terminates TLS; redirects then stay on `https`. */
  readonly tls?: boolean | undefined;
  readonly vsNamespace: string;
  readonly vsName: string;
  /** Unset: a source without namespace and labels. Rules that select on either then do not apply. */
  readonly source?: RouteSource | undefined;
  readonly mesh: MeshRouteDefaults;
  /**
   * Finds the cluster of a destination; short names are completed by `fromNamespace`. Returns a
   * cluster name even where no such cluster exists. Records its decisions in the log, if there is one.
   */
  resolve(destination: Destination, fromNamespace: string, log?: DecisionLog): ResolvedDestination;
  /** The virtual host names the VirtualService, for its routes are all from that one; default: each route does. */
  readonly named?: boolean | undefined;
  /** Takes the rule that each route comes from, and the sources of its settings. Default: nothing is recorded. */
  readonly decisions?: DecisionLog | undefined;
}

/** A field of the VirtualService of a scope, as a source. */
export function inService({ vsNamespace, vsName }: RouteScope, field: string): Source {
  return { source: "object", object: `VirtualService/${vsNamespace}/${vsName}`, field };
}

/** The part of a match that is decided here and not by the proxy. */
export interface Condition {
  /** 0: any. */
  readonly port: number;
  readonly gateways: readonly string[];
  readonly sourceLabels: Readonly<Record<string, string>>;
  readonly sourceNamespace: string;
}

/**
 * Whether a match can apply at all in a scope. A match that names gateways looks
 * at those alone; only one that names none selects on the source.
 */
export function conditionHolds(condition: Condition, scope: RouteScope): boolean {
  if (condition.port !== 0 && condition.port !== scope.port) return false;
  if (condition.gateways.length > 0) {
    return condition.gateways.some((name) =>
      scope.gateways.includes(name === "mesh" ? name : gatewayKey(name, scope.vsNamespace))
    );
  }
  const { namespace, labels } = scope.source ?? NO_SOURCE;
  return (condition.sourceNamespace === "" || condition.sourceNamespace === namespace) &&
    hasLabels(labels, condition.sourceLabels);
}

const NO_SOURCE: RouteSource = { namespace: "", labels: {} };
