/**
 * The HTTP filters of every connection manager.
 *
 * @module
 */
import { CorsSchema } from "#envoy/extensions/filters/http/cors/v3/cors_pb.ts";
import { HTTPFaultSchema } from "#envoy/extensions/filters/http/fault/v3/fault_pb.ts";
import { FilterConfigSchema as GrpcStatsSchema } from "#envoy/extensions/filters/http/grpc_stats/v3/config_pb.ts";
import { HeaderMutationSchema } from "#envoy/extensions/filters/http/header_mutation/v3/header_mutation_pb.ts";
import { OnDemandSchema } from "#envoy/extensions/filters/http/on_demand/v3/on_demand_pb.ts";
import { RouterSchema } from "#envoy/extensions/filters/http/router/v3/router_pb.ts";
import { ConfigSchema as SetFilterStateSchema } from "#envoy/extensions/filters/http/set_filter_state/v3/set_filter_state_pb.ts";
import { ExtensionWithMatcherSchema } from "#envoy/extensions/common/matching/v3/extension_matcher_pb.ts";
import { SkipFilterSchema } from "#envoy/extensions/filters/common/matcher/action/v3/skip_action_pb.ts";
import { CompositeSchema } from "#envoy/extensions/filters/http/composite/v3/composite_pb.ts";
import { StatefulSessionSchema } from "#envoy/extensions/filters/http/stateful_session/v3/stateful_session_pb.ts";
import {
  type HttpFilter,
  HttpFilterSchema,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { lazily } from "../../../kit/base/mod.ts";
import type { Protocol } from "../../model/mod.ts";
import {
  type Any,
  AnySchema,
  create,
  durationOf,
  packAny,
  TYPE_URL_PREFIX,
} from "../../../kit/proto/mod.ts";
import {
  adsSource,
  AUTHORIZER_FILTER,
  MESH_METADATA,
  NO_TELEMETRY,
  ON_DEMAND_MS,
  SESSION_BACKEND_FILTER,
  SESSION_FILTER,
  sessionBackendFilter,
  type SideTelemetry,
} from "../core/mod.ts";

/** One row of the table: a filter, its position and the reason for it. */
interface FilterRow {
  readonly name: string;
  /** True: the router adds no headers of Envoy. */
  readonly config: (bare: boolean) => Any;
  /** Default: always. */
  readonly when?: (protocol: Protocol) => boolean;
  /** True: only routes that configure it have it. */
  readonly disabled?: boolean;
}

/** Packs an empty message whose code is not generated. */
function empty(typeName: string): Any {
  return create(AnySchema, { typeUrl: TYPE_URL_PREFIX + typeName });
}

/** The router filter. */
const ROUTER = "envoy.filters.http.router";

/**
 * The filters in request order. Routes configure fault and CORS by these names. Without route
 * configuration they do nothing, so they are always present, and a later rule changes only routes,
 * not listeners.
 */
const FILTERS: readonly FilterRow[] = [
  {
    // Translates gRPC-Web to gRPC, so all later filters see gRPC.
    name: "envoy.filters.http.grpc_web",
    config: () => empty("envoy.extensions.filters.http.grpc_web.v3.GrpcWeb"),
    when: (protocol) => protocol === "GRPC-Web",
  },
  {
    // Before the filters that respond themselves, so that it counts their responses. Message counts
    // go to filter state for access logs; there are no statistics per method.
    name: "envoy.filters.http.grpc_stats",
    config: () =>
      packAny(GrpcStatsSchema, {
        emitFilterState: true,
        perMethodStatSpecifier: { case: "statsForAllMethods", value: { value: false } },
      }),
  },
  {
    // Injects faults before any other action on the request.
    name: "envoy.filters.http.fault",
    config: () => packAny(HTTPFaultSchema, {}),
  },
  {
    // Responds to preflight requests.
    name: "envoy.filters.http.cors",
    config: () => packAny(CorsSchema, {}),
  },
  {
    // Always last: forwards the request.
    name: ROUTER,
    config: (bare) => packAny(RouterSchema, { suppressEnvoyHeaders: bare }),
  },
];

/**
 * Holds a request to a missing cluster until the proxy has requested the cluster. It is the first
 * filter, because other filters read the cluster.
 */
const ON_DEMAND: FilterRow = {
  name: "envoy.filters.http.on_demand",
  config: () =>
    packAny(OnDemandSchema, { odcds: { source: adsSource(), timeout: durationOf(ON_DEMAND_MS) } }),
};

/** Selects the endpoint of a sticky session, if the route configures one. */
const SESSIONS: FilterRow = {
  name: SESSION_FILTER,
  config: () => packAny(StatefulSessionSchema, {}),
};

/** Adds the backend to sessions of routes that configure it. */
const SESSION_BACKENDS: FilterRow = {
  name: SESSION_BACKEND_FILTER,
  disabled: true,
  config: sessionBackendFilter,
};

/**
 * Asks a server about requests. The route has the filter that asks, which stands for this one there;
 * other routes do without.
 */
const AUTHORIZER: FilterRow = {
  name: AUTHORIZER_FILTER,
  disabled: true,
  config: () =>
    packAny(ExtensionWithMatcherSchema, {
      xdsMatcher: {
        onNoMatch: {
          onMatch: {
            case: "action",
            value: { name: "skip", typedConfig: packAny(SkipFilterSchema, {}) },
          },
        },
      },
      extensionConfig: { name: "composite", typedConfig: packAny(CompositeSchema, {}) },
    }),
};

/** The filter behind the authorization filters; it runs only for allowed requests. */
const AFTER_AUTHORIZATION = "envoy.filters.http.fault";

/** Inputs of {@link httpFilters} besides the protocol. */
export interface HttpFilterOptions {
  /** Filters that accept or reject requests, in order. */
  readonly security?: readonly HttpFilter[] | undefined;
  /** True: the proxy subscribes to clusters when a request needs them. */
  readonly onDemand?: boolean;
  /** Filters of telemetry. */
  readonly telemetry?: Pick<SideTelemetry, "first" | "last">;
  /** True: services may have sticky sessions. */
  readonly sessions?: boolean;
  /** True: routes of the Gateway API may have filters of their own. */
  readonly apiFilters?: boolean;
  /** Omits Envoy's own headers (`x-envoy-upstream-service-time` and others). */
  readonly bare?: boolean | undefined;
}

/** The HTTP filters for a port's protocol. */
export function httpFilters(protocol: Protocol, options: HttpFilterOptions): HttpFilter[] {
  const { security = [], onDemand, telemetry = NO_TELEMETRY, bare = false } = options;
  const { sessions, apiFilters } = options;
  const { first, last } = telemetry;
  const filters = [...(onDemand ? [ON_DEMAND] : []), ...FILTERS]
    .filter((row) => row.when?.(protocol) ?? true)
    .flatMap((row) => [
      ...(row.name === AFTER_AUTHORIZATION ? security : []),
      ...(row.name === ROUTER && apiFilters ? [filterOf(AUTHORIZER, bare)] : []),
      ...(row.name === ROUTER ? last : []),
      ...(row.name === ROUTER && apiFilters ? [filterOf(SESSION_BACKENDS, bare)] : []),
      ...(row.name === ROUTER && sessions ? [filterOf(SESSIONS, bare)] : []),
      filterOf(row, bare),
    ]);
  return [...first, ...filters];
}

/** Filter state in which Envoy finds the ALPN that overrides the cluster's. */
const ALPN_STATE = "envoy.network.application_protocols";

/**
 * For connection managers that detected HTTP: sets the ALPN of mutual TLS, for clusters with the
 * ALPN metadata. Servers then know the protocol, which they cannot detect inside TLS.
 */
export const ANNOUNCE_DETECTED_HTTP: () => HttpFilter = lazily(() =>
  create(HttpFilterSchema, {
    name: "envoy.filters.http.set_filter_state",
    configType: {
      case: "typedConfig",
      value: packAny(SetFilterStateSchema, {
        onRequestHeaders: [{
          key: { case: "objectKey", value: ALPN_STATE },
          value: {
            case: "formatString",
            value: {
              format: {
                case: "textFormatSource",
                value: {
                  specifier: {
                    case: "inlineString",
                    value: `%CLUSTER_METADATA(${MESH_METADATA}:alpn)%`,
                  },
                },
              },
              omitEmptyValues: true,
            },
          },
          skipIfEmpty: true,
        }],
      }),
    },
  })
);

/** Time for which clients may cache the offer of HTTP/3, s. */
const ALTERNATIVE_SECONDS = 86_400;

/** Advertises HTTP/3 at a port in every response (`alt-svc`). */
export function alternativeService(port: number): HttpFilter {
  const value = `h3=":${port}"; ma=${ALTERNATIVE_SECONDS}`;
  return create(HttpFilterSchema, {
    name: "envoy.filters.http.header_mutation",
    configType: {
      case: "typedConfig",
      value: packAny(HeaderMutationSchema, {
        mutations: {
          responseMutations: [{
            action: { case: "append", value: { header: { key: "alt-svc", value } } },
          }],
        },
      }),
    },
  });
}

function filterOf({ name, config, disabled = false }: FilterRow, bare: boolean): HttpFilter {
  return create(HttpFilterSchema, {
    name,
    disabled,
    configType: { case: "typedConfig", value: config(bare) },
  });
}
