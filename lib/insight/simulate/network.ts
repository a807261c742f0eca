/**
 * The network filters of a chain, in order.
 *
 * @module
 */
import type { Filter, FilterChain } from "#envoy/config/listener/v3/listener_components_pb.ts";
import { HttpConnectionManagerSchema } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { ExtAuthzSchema } from "#envoy/extensions/filters/network/ext_authz/v3/ext_authz_pb.ts";
import { RBACSchema } from "#envoy/extensions/filters/network/rbac/v3/rbac_pb.ts";
import {
  type TcpProxy,
  TcpProxySchema,
} from "#envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.ts";
import type { Any } from "../../kit/proto/mod.ts";
import { accessUndecided } from "./access_open.ts";
import { traceAccess } from "./access_trace.ts";
import { forward } from "./cluster.ts";
import type { Connection } from "./connection.ts";
import { manage } from "./http.ts";
import { closed, type Journey, note, scaled, undecided } from "./journey.ts";
import { metadataMatches } from "./match.ts";
import { judge } from "./rbac.ts";
import { unpack } from "./resources.ts";
import type { Ending } from "./verdict.ts";

/** A connection in a filter chain. */
interface Passing {
  readonly journey: Journey;
  readonly connection: Connection;
  readonly metadata: Record<string, unknown>;
  /** Cluster that a filter selected for this connection. */
  cluster: string | undefined;
}

/** Returns the endings, or `undefined` to continue with the next filter. */
type Model = (passing: Passing, config: Any | undefined) => Ending[] | undefined;

const RBAC = "envoy.filters.network.rbac";

const access: Model = ({ journey, connection, metadata }, any) => {
  const rbac = unpack(RBACSchema, any);
  if (rbac === undefined || rbac.matcher !== undefined) {
    return undecided("access rules by matchers");
  }
  const subject = {
    destination: journey.call.destination,
    directIp: connection.sourceIp,
    remoteIp: connection.sourceIp,
    assumedAddresses: journey.call.assumedAddresses ?? [],
    principal: connection.principal,
    principalAssumed: journey.call.tls?.principalAssumed === true,
    serverName: connection.serverName,
    path: undefined,
    header: () => undefined,
    metadata,
  };
  if (rbac.shadowRules !== undefined) {
    const shadow = judge(rbac.shadowRules, subject);
    metadata[RBAC] = {
      ...metadata[RBAC] as Record<string, unknown> | undefined,
      [`${rbac.shadowRulesStatPrefix}shadow_effective_policy_id`]: shadow.policy,
    };
    const said = shadow.policy || "no policy";
    journey.steps.push({
      stage: "network filter",
      name: "rbac",
      access: traceAccess(rbac.shadowRules, subject, true),
      why: `on trial: ${said} of ${shadow.action} applies`,
    });
  }
  if (rbac.rules === undefined) return undefined;
  const { allowed, policy, action } = judge(rbac.rules, subject);
  if (allowed === undefined) {
    return accessUndecided(traceAccess(rbac.rules, subject, false), subject);
  }
  const why = policy === "" ? `no policy of ${action} applies` : `${policy} of ${action} applies`;
  journey.steps.push({
    stage: "network filter",
    name: "rbac",
    access: traceAccess(rbac.rules, subject, false),
    why: `${why}: ${allowed ? "goes on" : "refused"}`,
  });
  return allowed ? undefined : closed(policy === "" ? "rbac" : `policy ${policy}`, why);
};

const asking: Model = ({ journey, metadata }, any) => {
  const when = unpack(ExtAuthzSchema, any)?.filterEnabledMetadata;
  if (when !== undefined && metadataMatches(when, metadata) === false) return undefined;
  note(journey, "network filter", "ext_authz", "asks an authoriser");
  journey.unmodelled.add("the answer of the authoriser (taken as consent)");
  return undefined;
};

const tcpProxy: Model = ({ journey, cluster }, any) => {
  const config = unpack(TcpProxySchema, any);
  if (config === undefined) return undecided("the configuration of a TCP proxy");
  if (config.tunnelingConfig !== undefined) journey.unmodelled.add("the tunnel of a TCP proxy");
  return targetsOf(config, cluster).flatMap(([name, share]) => {
    note(journey, "network filter", "tcp_proxy", `sends ${percent(share)} to ${name}`);
    return scaled([forward(journey, name, "TCP")], share);
  });
};

function percent(share: number): string {
  return share === 1 ? "all" : `${Math.round(share * 10_000) / 100} %`;
}

function targetsOf({ clusterSpecifier: to }: TcpProxy, chosen: string | undefined) {
  if (chosen !== undefined) return [[chosen, 1] as const];
  if (to.case === "cluster") return [[to.value, 1] as const];
  const clusters = to.value?.clusters ?? [];
  const total = clusters.reduce((sum, { weight }) => sum + weight, 0);
  return clusters.map(({ name, weight }) => [name, weight / total] as const);
}

const MODELS: Readonly<Record<string, Model>> = {
  [RBAC]: access,
  "envoy.filters.network.ext_authz": asking,
  "envoy.filters.network.tcp_proxy": tcpProxy,
  // It hands the identity at the end of a tunnel over, which decides nothing here.
  "envoy.filters.network.set_filter_state": () => undefined,
  "envoy.filters.network.sni_cluster": (passing) => {
    if (passing.connection.serverName !== "") passing.cluster = passing.connection.serverName;
    return undefined;
  },
  "envoy.filters.network.http_connection_manager": ({ journey, connection }, any) => {
    const manager = unpack(HttpConnectionManagerSchema, any);
    if (manager === undefined) return undecided("the configuration of a connection manager");
    return manage(journey, manager, connection);
  },
};

/** Returns the endings of a connection in a chain. */
export function passChain(
  journey: Journey,
  { filters }: FilterChain,
  connection: Connection,
): Ending[] {
  const passing: Passing = { journey, connection, metadata: {}, cluster: undefined };
  for (const filter of filters) {
    const model = MODELS[filter.name];
    if (model === undefined) journey.unmodelled.add(`network filter ${filter.name}`);
    const ending = model?.(passing, configOf(filter));
    if (ending !== undefined) return ending;
  }
  return undecided("no filter that is modelled takes the connection");
}

function configOf({ configType }: Filter): Any | undefined {
  return configType.case === "typedConfig" ? configType.value : undefined;
}
