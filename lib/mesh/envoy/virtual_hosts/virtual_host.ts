/**
 * Virtual hosts.
 *
 * @module
 */
import {
  type Route,
  RouteSchema,
  type VirtualHost,
  VirtualHostSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { translateMatch } from "../matching/mod.ts";
import { metadataOfRule, timeouts } from "../routes/mod.ts";
import { type DomainOptions, domainsFor, hostPort } from "./domains.ts";

/** A host at a port, with the options of its domains. */
export interface VirtualHostOptions extends DomainOptions {
  /**
   * True for gateways: the host is the only domain, because their route configuration ignores
   * ports.
   */
  readonly gateway?: boolean | undefined;
  /** True: omits the header with the attempt number. */
  readonly hideAttempts?: boolean | undefined;
  /** `namespace/name` of the VirtualService of all routes, if the routes do not have it. */
  readonly rule?: string | undefined;
}

/**
 * Builds the virtual host `host:port` with these routes. Requests have a header with the attempt
 * number, unless it is hidden.
 */
export function virtualHostFor(options: VirtualHostOptions, routes: readonly Route[]): VirtualHost {
  const { host, port, rule, gateway = false } = options;
  return create(VirtualHostSchema, {
    name: hostPort(host, port),
    domains: gateway
      ? domainsFor({ host, port, withPort: false, absolute: false })
      : domainsFor(options),
    routes: [...routes],
    includeRequestAttemptCount: options.hideAttempts !== true,
    metadata: rule === undefined ? undefined : metadataOfRule(rule),
  });
}

/** Builds the virtual host for every host, with these routes. */
export function virtualHostOf(
  { name, rule, hideAttempts }: Pick<VirtualHostOptions, "rule" | "hideAttempts"> & {
    readonly name: string;
  },
  routes: readonly Route[],
): VirtualHost {
  return create(VirtualHostSchema, {
    name,
    domains: ["*"],
    routes: [...routes],
    includeRequestAttemptCount: hideAttempts !== true,
    metadata: rule === undefined ? undefined : metadataOfRule(rule),
  });
}

/** Status for hosts outside the mesh if the mesh does not allow them. */
const BLOCKED = 502;

/** Action for unknown hosts. */
export type CatchAll = "allow_any" | "allow_dynamic_dns" | "block_all" | EgressProxy;

/** Unknown hosts are forwarded to a proxy of the mesh. */
export interface EgressProxy {
  /** Cluster of the proxy. */
  readonly cluster: string;
}

/** Clusters of the actions that forward: to the original destination, or to the resolved host. */
const PASSING: Readonly<Record<"allow_any" | "allow_dynamic_dns", string>> = {
  allow_any: "PassthroughCluster",
  allow_dynamic_dns: "DynamicPassthroughCluster",
};

/** Other options of the catch-all virtual host. */
interface CatchAllOptions extends Pick<VirtualHostOptions, "hideAttempts"> {
  /** True: clients may CONNECT to names that are resolved. */
  readonly connects?: boolean | undefined;
}

/** Builds the virtual host for unknown hosts: forward or reject. */
export function catchAllVirtualHost(
  policy: CatchAll,
  { hideAttempts, connects = false }: CatchAllOptions = {},
): VirtualHost {
  const action: Route["action"] = policy === "block_all"
    ? create(RouteSchema, { action: { case: "directResponse", value: { status: BLOCKED } } })
      .action
    : passTo(typeof policy === "string" ? PASSING[policy] : policy.cluster);
  const name = typeof policy === "string" ? policy : "allow_any";
  return create(VirtualHostSchema, {
    name,
    domains: ["*"],
    routes: [
      { name, match: translateMatch(undefined), action },
      ...(connects && policy === "allow_dynamic_dns" ? [connectRoute(PASSING[policy])] : []),
    ],
    includeRequestAttemptCount: hideAttempts !== true,
  });
}

/** Builds the virtual host of a gateway's port without hosts: every request gets 404. */
export function blackHoleVirtualHost(port: number): VirtualHost {
  return create(VirtualHostSchema, { name: hostPort("blackhole", port), domains: ["*"] });
}

/**
 * Builds a route to a cluster for CONNECT requests, whose bytes are tunneled. Other requests do not
 * match it, and CONNECT requests match no other route.
 */
export function connectRoute(cluster: string): Route {
  return create(RouteSchema, {
    name: "connect",
    match: { pathSpecifier: { case: "connectMatcher", value: {} } },
    action: {
      case: "route",
      value: {
        clusterSpecifier: { case: "cluster", value: cluster },
        timeout: timeouts(undefined).timeout,
        upgradeConfigs: [{ upgradeType: "CONNECT", connectConfig: {} }],
      },
    },
  });
}

function passTo(cluster: string): Route["action"] {
  return create(RouteSchema, {
    action: {
      case: "route",
      value: {
        clusterSpecifier: { case: "cluster", value: cluster },
        ...timeouts(undefined),
      },
    },
  }).action;
}
