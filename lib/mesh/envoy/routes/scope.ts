/**
 * Scope of route translation, and the functions that the caller provides.
 *
 * @module
 */
import type { RouteAction_HashPolicy } from "#envoy/config/route/v3/route_components_pb.ts";
import type { Destination, HTTPRetry } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import type { DecisionLog, Parts, Source } from "../../../kit/base/mod.ts";
import type { HTTPRoute } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { apiRuleOf, gatewayKey, hasLabels } from "../../model/mod.ts";
import type { Any } from "../../../kit/proto/mod.ts";

/** Hash policy of a request whose cluster uses consistent hashing. */
export type HashPolicy = RouteAction_HashPolicy;

/** Mesh-wide defaults of routes. */
export interface MeshRouteDefaults {
  /** `defaultHttpRetryPolicy` of the mesh configuration. */
  readonly defaultHttpRetryPolicy?: HTTPRetry | undefined;
  /** Omits 503 from the built-in retry policy: the first attempt may have had effects. */
  readonly excludeUnsafe503: boolean;
  /** Omits the header with the attempt number. */
  readonly hideAttempts?: boolean;
  /** If the host is rewritten, sends the original one as `x-forwarded-host`. */
  readonly forwardHost?: boolean;
}

/** A destination with its service. */
export interface ResolvedDestination {
  /** Name of the cluster, for example `outbound|80|v1|a.ns.svc.cluster.local`. */
  readonly cluster: string;
  /** Full host name. */
  readonly host: string;
  /**
   * Service port: the destination's, otherwise the only port of the service, otherwise the
   * listener's.
   */
  readonly port: number;
  /** From the destination's traffic policy; empty or unset without consistent hashing. */
  readonly hashPolicy?: readonly HashPolicy[] | undefined;
  /** Session filter configuration of routes; unset: no sticky sessions. */
  readonly session?: Any | undefined;
}

/** The client workload, or all clients, with the properties that rules may match. */
export interface RouteSource {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Keys of the DestinationRules that select it, oldest first. */
  readonly rules?: readonly string[];
  /**
   * True: clients of all namespaces, which a proxy tells by their principals. Their labels are not known,
   * and for TCP and TLS rules their namespaces are not, either.
   */
  readonly isAnyone?: boolean | undefined;
}

/** Scope in which the routes of a VirtualService are served. */
export interface RouteScope {
  /** `mesh` alone, or the bound Gateways (`namespace/name`) whose servers share the listener. */
  readonly gateways: readonly string[];
  /** Port of the listener. */
  readonly port: number;
  /** True: the listener terminates TLS; redirects then stay on `https`. */
  readonly tls?: boolean | undefined;
  readonly vsNamespace: string;
  readonly vsName: string;
  /** True: paths are those of the Gateway API, and a destination that does not exist gives 500. */
  readonly elements?: boolean | undefined;
  /** Unset: a source without namespace and labels. Rules that match either do not apply. */
  readonly source?: RouteSource | undefined;
  /** True: routes can match the namespace in the principal of a client. */
  readonly provesNamespaces?: boolean | undefined;
  readonly mesh: MeshRouteDefaults;
  /**
   * Finds the cluster of a destination; short names are completed with `fromNamespace`. Returns a
   * cluster name even if the cluster does not exist. Records its decisions in the log, if there is
   * one.
   */
  resolve(destination: Destination, fromNamespace: string, log?: DecisionLog): ResolvedDestination;
  /**
   * True: the virtual host names the VirtualService, because all its routes come from it; default:
   * each route does.
   */
  readonly named?: boolean | undefined;
  /**
   * Records the rule of each route and the sources of its settings. Default: nothing is recorded.
   */
  readonly decisions?: DecisionLog | undefined;
  /** Divides the translation of many matches. Default: it is not divided. */
  readonly parts?: Parts | undefined;
}

/** Returns a field of the scope's VirtualService as a source. */
export function inService({ vsNamespace, vsName }: RouteScope, field: string): Source {
  return { source: "object", object: `VirtualService/${vsNamespace}/${vsName}`, field };
}

/** The fields of a rule of a route of the Gateway API, by those of the rule that it became. */
const API_FIELDS: Readonly<Record<string, string>> = { timeout: "timeouts", retries: "retry" };

/**
 * Returns a rule, or one of its fields, as a source: of the route that it comes from, or of the scope's
 * VirtualService.
 *
 * @param at path of the rule in the VirtualService
 */
export function inRule(rule: HTTPRoute, scope: RouteScope, at: string, field?: string): Source {
  const api = apiRuleOf(rule);
  if (api === undefined) return inService(scope, field === undefined ? at : `${at}.${field}`);
  const { object } = api;
  if (field !== undefined) {
    return { source: "object", object, field: `${api.rule}.${API_FIELDS[field] ?? field}` };
  }
  return { source: "object", object, field: at.includes(".match[") ? api.match : api.rule };
}

/** The conditions of a match that are evaluated here and not by the proxy. */
export interface Condition {
  /** 0: any. */
  readonly port: number;
  readonly gateways: readonly string[];
  readonly sourceLabels: Readonly<Record<string, string>>;
  readonly sourceNamespace: string;
}

/**
 * Reports if a match can apply in a scope. If a match names gateways, only they are compared;
 * otherwise the source is.
 */
export function conditionHolds(condition: Condition, scope: RouteScope): boolean {
  if (condition.port !== 0 && condition.port !== scope.port) return false;
  if (condition.gateways.length > 0) {
    return condition.gateways.some((name) =>
      scope.gateways.includes(name === "mesh" ? name : gatewayKey(name, scope.vsNamespace))
    );
  }
  const { namespace, labels, isAnyone } = scope.source ?? NO_SOURCE;
  if (isAnyone === true) {
    return Object.keys(condition.sourceLabels).length === 0 &&
      (condition.sourceNamespace === "" || scope.provesNamespaces === true);
  }
  return (condition.sourceNamespace === "" || condition.sourceNamespace === namespace) &&
    hasLabels(labels, condition.sourceLabels);
}

const NO_SOURCE: RouteSource = { namespace: "", labels: {} };
