/**
 * How a cluster speaks HTTP to its endpoints.
 *
 * @module
 */
import type { Cluster } from "#envoy/config/cluster/v3/cluster_pb.ts";
import {
  HttpHeadersMatchSchema,
  type MatchPredicate,
  MatchPredicateSchema,
} from "#envoy/config/common/matcher/v3/matcher_pb.ts";
import {
  type Http2ProtocolOptions,
  Http2ProtocolOptionsSchema,
  HttpProtocolOptionsSchema as CommonHttpOptionsSchema,
  type UpstreamHttpProtocolOptions,
} from "#envoy/config/core/v3/protocol_pb.ts";
import type { RouteAction_HashPolicy } from "#envoy/config/route/v3/route_components_pb.ts";
import { HeaderMutationSchema } from "#envoy/extensions/filters/http/header_mutation/v3/header_mutation_pb.ts";
import { UpstreamCodecSchema } from "#envoy/extensions/filters/http/upstream_codec/v3/upstream_codec_pb.ts";
import {
  type HttpFilter,
  HttpFilterSchema,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import {
  type HttpProtocolOptions,
  HttpProtocolOptionsSchema,
} from "#envoy/extensions/upstreams/http/v3/http_protocol_options_pb.ts";
import {
  type ConnectionPoolSettings,
  type ConnectionPoolSettings_HTTPSettings,
  ConnectionPoolSettings_HTTPSettings_H2UpgradePolicy as H2UpgradePolicy,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { lazily } from "../../base/mod.ts";
import { isHttp, isHttp2, type ServicePort } from "../../model/mod.ts";
import { create, type DescMessage, type MessageInitShape, packAny } from "../../proto/mod.ts";
import { PEER_HEADER } from "../core/mod.ts";

/** Key of the options in a cluster. */
export const HTTP_OPTIONS = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

/** Which HTTP a cluster speaks: `downstream` is what the client spoke. */
export type UpstreamHttp = "http1" | "http2" | "downstream";

/**
 * Chooses the protocol. What the port declares is overridden by
 * `useClientProtocol`, else by the rule's upgrade policy, else by the mesh's.
 * A port of unknown protocol may carry either HTTP, so the client decides.
 *
 * @param sniffs whether the proxy finds out the protocol of undeclared ports
 */
export function upstreamHttp(
  port: ServicePort,
  pool: ConnectionPoolSettings | undefined,
  meshUpgrade: boolean,
  sniffs: boolean,
): UpstreamHttp {
  if (pool?.http?.useClientProtocol) return "downstream";
  if (isHttp2(port.protocol) || upgrades(port, pool?.http, meshUpgrade)) return "http2";
  return sniffs && port.protocol === "Unsupported" ? "downstream" : "http1";
}

/** A rule that asks for the upgrade knows the port better than its declaration; the mesh's word counts for HTTP alone. */
function upgrades(
  port: ServicePort,
  http: ConnectionPoolSettings_HTTPSettings | undefined,
  mesh: boolean,
): boolean {
  const policy = http?.h2UpgradePolicy ?? H2UpgradePolicy.DEFAULT;
  if (policy === H2UpgradePolicy.UPGRADE) return true;
  return mesh && policy === H2UpgradePolicy.DEFAULT && isHttp(port.protocol);
}

/** What TLS takes from each request: see `namesOfRequests`. */
export type RequestNames = Pick<UpstreamHttpProtocolOptions, "autoSni" | "autoSanValidation">;

/** Options that not every cluster has. */
export interface MoreHttpOptions {
  readonly names?: RequestNames;
  /** Whether endpoints may be none of the mesh's: they are not told of workloads. */
  readonly outside?: boolean;
  /** Statuses that detection of outliers takes for errors, in place of those from 500; empty: those. */
  readonly errorCodes?: readonly number[];
  /** What requests are hashed by, in place of what their routes say. */
  readonly hashPolicy?: readonly RouteAction_HashPolicy[];
}

/**
 * Writes the options into a cluster. HTTP/1.1 without further settings is what
 * Envoy does anyway and is left unsaid.
 */
export function applyHttpOptions(
  cluster: Cluster,
  protocol: UpstreamHttp,
  pool: ConnectionPoolSettings | undefined,
  more: MoreHttpOptions = {},
): void {
  const { names, outside = false, errorCodes = [], hashPolicy = [] } = more;
  const common = commonOptions(pool);
  const said = common !== undefined || names !== undefined || outside ||
    errorCodes.length > 0 || hashPolicy.length > 0;
  if (protocol === "http1" && !said) return;
  const options = create(HttpProtocolOptionsSchema, {
    commonHttpProtocolOptions: common,
    upstreamHttpProtocolOptions: names,
    upstreamProtocolOptions: protocolOptions(protocol, pool?.http),
    httpFilters: outside ? [...TO_OUTSIDE()] : [],
    outlierDetection: errorCodes.length > 0 ? { errorMatcher: answersOf(errorCodes) } : undefined,
    hashPolicy: [...hashPolicy],
  });
  cluster.typedExtensionProtocolOptions = {
    [HTTP_OPTIONS]: packAny(HttpProtocolOptionsSchema, options),
  };
}

/** Answers of certain statuses. */
function answersOf(codes: readonly number[]): MatchPredicate {
  const regex = [...new Set(codes)].sort((a, b) => a - b).join("|");
  return create(MatchPredicateSchema, {
    rule: {
      case: "httpResponseHeadersMatch",
      value: create(HttpHeadersMatchSchema, {
        headers: [{
          name: ":status",
          headerMatchSpecifier: {
            case: "stringMatch",
            value: { matchPattern: { case: "safeRegex", value: { regex } } },
          },
        }],
      }),
    },
  });
}

/** Upstream of the mesh: what proxies tell each other is taken off. */
const TO_OUTSIDE = lazily((): readonly HttpFilter[] => [
  upstreamFilter("envoy.filters.http.header_mutation", HeaderMutationSchema, {
    mutations: { requestMutations: [{ action: { case: "remove", value: PEER_HEADER } }] },
  }),
  upstreamFilter("envoy.filters.http.upstream_codec", UpstreamCodecSchema, {}),
]);

function upstreamFilter<D extends DescMessage>(
  name: string,
  schema: D,
  config: MessageInitShape<D>,
): HttpFilter {
  return create(HttpFilterSchema, {
    name,
    configType: { case: "typedConfig", value: packAny(schema, config) },
  });
}

function commonOptions(
  pool: ConnectionPoolSettings | undefined,
): HttpProtocolOptions["commonHttpProtocolOptions"] {
  const idleTimeout = pool?.http?.idleTimeout ?? pool?.tcp?.idleTimeout;
  const maxConnectionDuration = pool?.tcp?.maxConnectionDuration;
  const maxRequestsPerConnection = positive(pool?.http?.maxRequestsPerConnection);
  if (
    idleTimeout === undefined && maxConnectionDuration === undefined &&
    maxRequestsPerConnection === undefined
  ) return undefined;
  return create(CommonHttpOptionsSchema, {
    idleTimeout,
    maxConnectionDuration,
    maxRequestsPerConnection,
  });
}

function protocolOptions(
  protocol: UpstreamHttp,
  http: ConnectionPoolSettings_HTTPSettings | undefined,
): HttpProtocolOptions["upstreamProtocolOptions"] {
  const options = create(HttpProtocolOptionsSchema, {
    upstreamProtocolOptions: protocol === "downstream"
      ? {
        case: "useDownstreamProtocolConfig",
        value: { httpProtocolOptions: {}, http2ProtocolOptions: http2Options(http) },
      }
      : {
        case: "explicitHttpConfig",
        value: {
          protocolConfig: protocol === "http2"
            ? { case: "http2ProtocolOptions", value: http2Options(http) }
            : { case: "httpProtocolOptions", value: {} },
        },
      },
  });
  return options.upstreamProtocolOptions;
}

function http2Options(
  http: ConnectionPoolSettings_HTTPSettings | undefined,
): Http2ProtocolOptions {
  return create(Http2ProtocolOptionsSchema, {
    maxConcurrentStreams: positive(http?.maxConcurrentStreams),
    connectionKeepalive: http?.http2KeepAlive && {
      interval: http.http2KeepAlive.interval,
      timeout: http.http2KeepAlive.timeout,
    },
  });
}

/** A count that was given: zero is the API's way to say nothing. */
export function positive(n: number | undefined): number | undefined {
  return n !== undefined && n > 0 ? n : undefined;
}
