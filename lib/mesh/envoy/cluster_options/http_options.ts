/**
 * HTTP options of a cluster.
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
import { lazily } from "../../../kit/base/mod.ts";
import { isHttp, isHttp2, type ServicePort } from "../../model/mod.ts";
import {
  create,
  type DescMessage,
  durationOf,
  type MessageInitShape,
  packAny,
} from "../../../kit/proto/mod.ts";
import { PEER_HEADER } from "../core/mod.ts";

/** Key of the HTTP options in a cluster. */
export const HTTP_OPTIONS = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

/** HTTP version of a cluster; `downstream` is the version of the client's request. */
export type UpstreamHttp = "http1" | "http2" | "downstream";

/**
 * Selects the HTTP version. `useClientProtocol` overrides the port's declaration, then the rule's
 * upgrade policy, then the mesh's. A port with unknown protocol may carry either version, so the
 * client's version is used.
 *
 * @param sniffs true: the proxy detects the protocol of undeclared ports
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

/**
 * The rule's upgrade policy overrides the port's declaration; the mesh's policy applies only to
 * HTTP ports.
 */
function upgrades(
  port: ServicePort,
  http: ConnectionPoolSettings_HTTPSettings | undefined,
  mesh: boolean,
): boolean {
  const policy = http?.h2UpgradePolicy ?? H2UpgradePolicy.DEFAULT;
  if (policy === H2UpgradePolicy.UPGRADE) return true;
  return mesh && policy === H2UpgradePolicy.DEFAULT && isHttp(port.protocol);
}

/** TLS names that come from each request: see `namesOfRequests`. */
export type RequestNames = Pick<UpstreamHttpProtocolOptions, "autoSni" | "autoSanValidation">;

/** HTTP options that only some clusters have. */
export interface MoreHttpOptions {
  readonly names?: RequestNames;
  /** True: endpoints may be outside the mesh, so the peer header is removed. */
  readonly outside?: boolean;
  /** Idle timeout of connections, ms, if no rule sets one; Envoy's default is an hour. */
  readonly idleTimeoutMs?: number;
  /** Status codes that outlier detection counts as errors, instead of 5xx; empty: 5xx. */
  readonly errorCodes?: readonly number[];
  /** Hash policy of requests; it replaces the policy of their routes. */
  readonly hashPolicy?: readonly RouteAction_HashPolicy[];
}

/**
 * Writes the options into a cluster. HTTP/1.1 without further settings is Envoy's default and is
 * omitted.
 */
export function applyHttpOptions(
  cluster: Cluster,
  protocol: UpstreamHttp,
  pool: ConnectionPoolSettings | undefined,
  more: MoreHttpOptions = {},
): void {
  const { names, outside = false, errorCodes = [], hashPolicy = [], idleTimeoutMs } = more;
  const common = commonOptions(pool, idleTimeoutMs);
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

/** Matches responses with certain status codes. */
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

/** Removes the peer header of the mesh from requests to endpoints outside the mesh. */
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
  idleTimeoutMs: number | undefined,
): HttpProtocolOptions["commonHttpProtocolOptions"] {
  const idleTimeout = pool?.http?.idleTimeout ?? pool?.tcp?.idleTimeout ??
    (idleTimeoutMs === undefined ? undefined : durationOf(idleTimeoutMs));
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

/** Returns a count if it is set: zero means unset in the API. */
export function positive(n: number | undefined): number | undefined {
  return n !== undefined && n > 0 ? n : undefined;
}
