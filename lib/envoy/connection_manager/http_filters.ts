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
import { StatefulSessionSchema } from "#envoy/extensions/filters/http/stateful_session/v3/stateful_session_pb.ts";
import {
  type HttpFilter,
  HttpFilterSchema,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { lazily } from "../../base/mod.ts";
import type { Protocol } from "../../model/mod.ts";
import {
  type Any,
  AnySchema,
  create,
  durationOf,
  packAny,
  TYPE_URL_PREFIX,
} from "../../proto/mod.ts";
import {
  adsSource,
  MESH_METADATA,
  NO_SIGNALS,
  ON_DEMAND_MS,
  SESSION_FILTER,
  type Signals,
} from "../core/mod.ts";

/** One row of the table: a filter, where it stands and why. */
interface FilterRow {
  readonly name: string;
  /** Whether Envoy's own headers are left out is the router's matter. */
  readonly config: (bare: boolean) => Any;
  /** Default: always. */
  readonly when?: (protocol: Protocol) => boolean;
}

/** A message without fields whose code is not generated. */
function empty(typeName: string): Any {
  return create(AnySchema, { typeUrl: TYPE_URL_PREFIX + typeName });
}

/** The filter that forwards. */
const ROUTER = "envoy.filters.http.router";

/**
 * In the order in which requests pass them. Routes configure fault and CORS by
 * these names; without a route's word they do nothing, so they can always be
 * there, and a rule that comes later changes routes alone, not listeners.
 */
const FILTERS: readonly FilterRow[] = [
  {
    // Translates browsers' gRPC to gRPC, so everything behind sees gRPC.
    name: "envoy.filters.http.grpc_web",
    config: () => empty("envoy.extensions.filters.http.grpc_web.v3.GrpcWeb"),
    when: (protocol) => protocol === "GRPC-Web",
  },
  {
    // Before the filters that answer themselves, so that it counts those answers.
    // Message counts go to filter state for access logs; no statistics by method.
    name: "envoy.filters.http.grpc_stats",
    config: () =>
      packAny(GrpcStatsSchema, {
        emitFilterState: true,
        perMethodStatSpecifier: { case: "statsForAllMethods", value: { value: false } },
      }),
  },
  {
    // Faults strike before anything else acts on the request.
    name: "envoy.filters.http.fault",
    config: () => packAny(HTTPFaultSchema, {}),
  },
  {
    // Answers preflight requests.
    name: "envoy.filters.http.cors",
    config: () => packAny(CorsSchema, {}),
  },
  {
    // Last by definition: forwards.
    name: ROUTER,
    config: (bare) => packAny(RouterSchema, { suppressEnvoyHeaders: bare }),
  },
];

/** Holds a request to a cluster that is not there until it was asked for. First, for other filters look at the cluster. */
const ON_DEMAND: FilterRow = {
  name: "envoy.filters.http.on_demand",
  config: () =>
    packAny(OnDemandSchema, { odcds: { source: adsSource(), timeout: durationOf(ON_DEMAND_MS) } }),
};

/** Chooses the endpoint that a session is with, where a route says how sessions are known. */
const SESSIONS: FilterRow = {
  name: SESSION_FILTER,
  config: () => packAny(StatefulSessionSchema, {}),
};

/** The filter before which requests are let in or refused: what follows is done for those alone that are let in. */
const BEHIND_GUARD = "envoy.filters.http.fault";

/** Inputs of {@link httpFilters} besides the protocol. */
export interface HttpFilterOptions {
  /** Filters that accept or reject requests, in order. */
  readonly guard?: readonly HttpFilter[] | undefined;
  /** Whether clusters are subscribed to when a request needs them. */
  readonly onDemand?: boolean;
  /** Filters of telemetry. */
  readonly signals?: Pick<Signals, "first" | "last">;
  /** Whether sessions of services may stay with one endpoint. */
  readonly sessions?: boolean;
  /** Leaves Envoy's own headers (`x-envoy-upstream-service-time` and others) out. */
  readonly bare?: boolean | undefined;
}

/** The HTTP filters for a port's protocol. */
export function httpFilters(protocol: Protocol, options: HttpFilterOptions): HttpFilter[] {
  const { guard = [], onDemand, signals = NO_SIGNALS, sessions, bare = false } = options;
  const { first, last } = signals;
  const filters = [...(onDemand ? [ON_DEMAND] : []), ...FILTERS]
    .filter((row) => row.when?.(protocol) ?? true)
    .flatMap((row) => [
      ...(row.name === BEHIND_GUARD ? guard : []),
      ...(row.name === ROUTER ? last : []),
      ...(row.name === ROUTER && sessions ? [filterOf(SESSIONS, bare)] : []),
      filterOf(row, bare),
    ]);
  return [...first, ...filters];
}

/** Where Envoy looks for what is offered under TLS in place of what the cluster says. */
const OFFERED = "envoy.network.application_protocols";

/**
 * For managers that found HTTP by looking: says so under mutual TLS, to clusters that have a word for
 * it. Servers then know what is inside, which they cannot look at beforehand.
 */
export const TELLS_FOUND: () => HttpFilter = lazily(() =>
  create(HttpFilterSchema, {
    name: "envoy.filters.http.set_filter_state",
    configType: {
      case: "typedConfig",
      value: packAny(SetFilterStateSchema, {
        onRequestHeaders: [{
          key: { case: "objectKey", value: OFFERED },
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

/** How long clients may remember that there is HTTP/3, s. */
const ALTERNATIVE_SECONDS = 86_400;

/** Tells clients in every answer that the server takes HTTP/3 at a port. */
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

function filterOf({ name, config }: FilterRow, bare: boolean): HttpFilter {
  return create(HttpFilterSchema, {
    name,
    configType: { case: "typedConfig", value: config(bare) },
  });
}
