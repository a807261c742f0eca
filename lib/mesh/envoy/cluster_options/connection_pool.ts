/**
 * Connection settings of a cluster: limits, timeouts, keepalive.
 *
 * @module
 */
import {
  type CircuitBreakers_Thresholds,
  CircuitBreakersSchema,
} from "#envoy/config/cluster/v3/circuit_breaker_pb.ts";
import {
  type Cluster,
  UpstreamConnectionOptionsSchema,
} from "#envoy/config/cluster/v3/cluster_pb.ts";
import type {
  ConnectionPoolSettings,
  ConnectionPoolSettings_TCPSettings_TcpKeepalive as Keepalive,
  TrafficPolicy_RetryBudget,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  choose,
  type Decision,
  formatDuration,
  NO_DECISIONS,
  type Source,
  sourceOf,
} from "../../../kit/base/mod.ts";
import {
  create,
  type Duration,
  durationMs,
  durationOf,
  type MessageInitShape,
} from "../../../kit/proto/mod.ts";
import { positive } from "./http_options.ts";
import type { ClusterDecisions, MeshClusterDefaults } from "./input.ts";

/**
 * The largest 32-bit number: no limit. Ordinary traffic and rolling updates reach Envoy's own
 * limits (1024 connections, 3 parallel retries).
 */
export const UNLIMITED = 0xffff_ffff;

/** Envoy's default retry budget: 20 % of the active requests. */
const RETRY_BUDGET_PERCENT = 20;

/** The parts of a traffic policy that {@link applyConnectionPool} uses. */
export interface ConnectionPolicy {
  readonly pool?: ConnectionPoolSettings | undefined;
  readonly retryBudget?: TrafficPolicy_RetryBudget | undefined;
  readonly decisions?: ClusterDecisions | undefined;
}

/** Sets connect timeout, TCP keepalive and circuit breakers. */
export function applyConnectionPool(
  cluster: Cluster,
  mesh: Pick<MeshClusterDefaults, "connectTimeoutMs" | "tcpKeepalive" | "builtIn">,
  { pool, retryBudget, decisions }: ConnectionPolicy = {},
): void {
  const log = decisions?.log ?? NO_DECISIONS;
  const own = decisions?.policy.get("connectionPool");
  const timeout = {
    group: "connectTimeout",
    show: (value: Duration) => formatDuration(durationMs(value)),
  };
  cluster.connectTimeout = choose<Duration>(log, timeout, [
    { value: pool?.tcp?.connectTimeout, ...inGroup(own, "tcp.connectTimeout") },
    {
      value: durationOf(mesh.connectTimeoutMs),
      ...(mesh.builtIn?.connectTimeout === true ? BUILT_IN : CONNECT_TIMEOUT),
    },
  ]);
  const keepalive = tcpKeepalive(mesh.tcpKeepalive, pool?.tcp?.tcpKeepalive);
  if (keepalive !== undefined) {
    choose(log, "tcpKeepalive", [
      { value: pool?.tcp?.tcpKeepalive, ...inGroup(own, "tcp.tcpKeepalive") },
      { value: mesh.tcpKeepalive, source: "mesh", field: "tcpKeepalive" },
    ]);
    cluster.upstreamConnectionOptions = create(UpstreamConnectionOptionsSchema, {
      tcpKeepalive: keepalive,
    });
  }
  cluster.circuitBreakers = create(CircuitBreakersSchema, {
    thresholds: [{ ...thresholds(pool), ...budget(retryBudget) }],
  });
}

const BUILT_IN: Source = { source: "built-in" };

const CONNECT_TIMEOUT: Source = { source: "mesh", field: "connectTimeout" };

/** Returns the source of a field in a group of the policy. */
function inGroup(group: Decision | undefined, field: string): Source {
  return group === undefined
    ? { source: "object" }
    : { ...sourceOf(group), field: `${group.field ?? ""}.${field}` };
}

type KeepaliveInit = NonNullable<
  MessageInitShape<typeof UpstreamConnectionOptionsSchema>["tcpKeepalive"]
>;

/** Merges the rule's keepalive over the mesh's, field by field; seconds. */
function tcpKeepalive(
  mesh: Keepalive | undefined,
  rule: Keepalive | undefined,
): KeepaliveInit | undefined {
  if (mesh === undefined && rule === undefined) return undefined;
  const time = rule?.time ?? mesh?.time;
  const interval = rule?.interval ?? mesh?.interval;
  return {
    keepaliveProbes: positive(rule?.probes) ?? positive(mesh?.probes),
    keepaliveTime: time && Math.floor(durationMs(time) / 1000),
    keepaliveInterval: interval && Math.floor(durationMs(interval) / 1000),
  };
}

type Thresholds = Partial<Omit<CircuitBreakers_Thresholds, "$typeName" | "retryBudget">>;

function thresholds(pool: ConnectionPoolSettings | undefined): Thresholds {
  return {
    maxConnections: positive(pool?.tcp?.maxConnections) ?? UNLIMITED,
    maxPendingRequests: positive(pool?.http?.http1MaxPendingRequests) ?? UNLIMITED,
    maxRequests: positive(pool?.http?.http2MaxRequests) ?? UNLIMITED,
    maxRetries: positive(pool?.http?.maxRetries) ?? UNLIMITED,
    trackRemaining: true,
  };
}

type BudgetInit = NonNullable<
  MessageInitShape<typeof CircuitBreakersSchema>["thresholds"]
>[number];

/** A retry budget replaces `maxRetries`. */
function budget(retries: TrafficPolicy_RetryBudget | undefined): BudgetInit {
  if (retries === undefined) return {};
  return {
    retryBudget: {
      budgetPercent: { value: retries.percent ?? RETRY_BUDGET_PERCENT },
      minRetryConcurrency: positive(retries.minRetryConcurrency),
      budgetInterval: retries.budgetInterval,
    },
  };
}
