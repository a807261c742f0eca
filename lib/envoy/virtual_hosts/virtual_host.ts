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
import { create } from "../../proto/mod.ts";
import { translateMatch } from "../matching/mod.ts";
import { metadataOfRule, timeouts } from "../routes/mod.ts";
import { type DomainOptions, domainsFor, hostPort } from "./domains.ts";

/** A host at a port, with what its domains depend on. */
export interface VirtualHostOptions extends DomainOptions {
  /** Of a gateway: the host alone is its domain, for the route configuration ignores ports there. */
  readonly gateway?: boolean | undefined;
  /** Upstreams are not told the number of the attempt. */
  readonly hideAttempts?: boolean | undefined;
  /** `namespace/name` of the VirtualService that all of its routes are from, where these do not say it. */
  readonly rule?: string | undefined;
}

/** The virtual host `host:port` of these routes. Upstreams are told the number of the attempt, unless it is hidden. */
export function virtualHostFor(options: VirtualHostOptions, routes: readonly Route[]): VirtualHost {
  const { host, port, rule, gateway = false } = options;
  return create(VirtualHostSchema, {
    name: hostPort(host, port),
    domains: gateway ? domainsFor({ host, port, withPort: false }) : domainsFor(options),
    routes: [...routes],
    includeRequestAttemptCount: options.hideAttempts !== true,
    metadata: rule === undefined ? undefined : metadataOfRule(rule),
  });
}

/** Status for hosts outside of the mesh where the mesh allows none. */
const BLOCKED = 502;

/** What happens to hosts that no virtual host names. */
export type CatchAll = "allow_any" | "allow_dynamic_dns" | "block_all" | EgressProxy;

/** They go to a proxy of the mesh, which knows where else to go. */
export interface EgressProxy {
  /** Cluster of the proxy. */
  readonly cluster: string;
}

/** Clusters of those that pass: to where the request was going anyway, or where its host's name leads. */
const PASSING: Readonly<Record<"allow_any" | "allow_dynamic_dns", string>> = {
  allow_any: "PassthroughCluster",
  allow_dynamic_dns: "DynamicPassthroughCluster",
};

/** What else the catch-all depends on. */
interface CatchAllOptions extends Pick<VirtualHostOptions, "hideAttempts"> {
  /** Clients may ask for ways to names that are looked up. */
  readonly connects?: boolean | undefined;
}

/** What is done with hosts that no other virtual host names: let them pass, or refuse them. */
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

/** Of a gateway's port that serves no host: every request is answered 404. */
export function blackHoleVirtualHost(port: number): VirtualHost {
  return create(VirtualHostSchema, { name: hostPort("blackhole", port), domains: ["*"] });
}

/**
 * A way to a cluster for requests of the method CONNECT, whose bytes are forwarded as
 * they are. Other requests never match it, nor do these match other routes.
 */
export function connectRoute(cluster: string): Route {
  return create(RouteSchema, {
    name: "connect",
    match: { pathSpecifier: { case: "connectMatcher", value: {} } },
    action: {
      case: "route",
      value: {
        clusterSpecifier: { case: "cluster", value: cluster },
        ...timeouts(undefined),
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
