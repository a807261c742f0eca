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
import { timeouts } from "./action.ts";
import { type DomainOptions, domainsFor, hostPort } from "./domains.ts";
import { translateMatch } from "./match.ts";

/** A host at a port, with what its domains depend on. */
export interface VirtualHostOptions extends DomainOptions {
  /** Of a gateway: the host alone is its domain, for the route configuration ignores ports there. */
  readonly gateway?: boolean | undefined;
}

/** The virtual host `host:port` of these routes. Upstreams are told the number of the attempt. */
export function virtualHostFor(options: VirtualHostOptions, routes: readonly Route[]): VirtualHost {
  const { host, port, gateway = false } = options;
  return create(VirtualHostSchema, {
    name: hostPort(host, port),
    domains: gateway ? domainsFor({ host, port, withPort: false }) : domainsFor(options),
    routes: [...routes],
    includeRequestAttemptCount: true,
  });
}

/** Status for hosts outside of the mesh where the mesh allows none. */
const BLOCKED = 502;

/** Cluster that connects to where the request was going anyway. */
const PASSTHROUGH_CLUSTER = "PassthroughCluster";

/** What is done with hosts that no other virtual host names: let them pass, or refuse them. */
export function catchAllVirtualHost(policy: "allow_any" | "block_all"): VirtualHost {
  const action: Route["action"] = policy === "allow_any"
    ? passthrough()
    : create(RouteSchema, { action: { case: "directResponse", value: { status: BLOCKED } } })
      .action;
  return create(VirtualHostSchema, {
    name: policy,
    domains: ["*"],
    routes: [{ name: policy, match: translateMatch(undefined), action }],
    includeRequestAttemptCount: true,
  });
}

/** Of a gateway's port that serves no host: every request is answered 404. */
export function blackHoleVirtualHost(port: number): VirtualHost {
  return create(VirtualHostSchema, { name: hostPort("blackhole", port), domains: ["*"] });
}

function passthrough(): Route["action"] {
  return create(RouteSchema, {
    action: {
      case: "route",
      value: {
        clusterSpecifier: { case: "cluster", value: PASSTHROUGH_CLUSTER },
        ...timeouts(undefined),
      },
    },
  }).action;
}
