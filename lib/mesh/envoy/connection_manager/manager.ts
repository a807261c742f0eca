/**
 * The HTTP connection manager.
 *
 * @module
 */
import { HeaderValueOption_HeaderAppendAction as HeaderAppendAction } from "#envoy/config/core/v3/base_pb.ts";
import { type Filter, FilterSchema } from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { RouteConfiguration } from "#envoy/config/route/v3/route_pb.ts";
import {
  type HttpConnectionManager,
  HttpConnectionManager_CodecType as CodecType,
  HttpConnectionManager_ForwardClientCertDetails as ForwardClientCert,
  HttpConnectionManager_InternalAddressConfigSchema as InternalAddressConfigSchema,
  HttpConnectionManager_PathWithEscapedSlashesAction as EscapedSlashes,
  HttpConnectionManagerSchema,
  type HttpFilter,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import type { Protocol } from "../../model/mod.ts";
import { create, durationOf, type MessageInitShape, packAny } from "../../../kit/proto/mod.ts";
import { adsSource, cidrRange, NO_TELEMETRY, ON_DEMAND_MS } from "../core/mod.ts";
import { alternativeService, ANNOUNCE_DETECTED_HTTP, httpFilters } from "./http_filters.ts";
import type { ManagerDefaults, PathNormalization } from "./input.ts";
import { withSettings } from "./settings.ts";

/** Name of the network filter. */
const HTTP_CONNECTION_MANAGER = "envoy.filters.network.http_connection_manager";

/** Value of the `server` header of workloads and gateways. */
const SERVER_NAME = "mesh-dataproxy";

/** Direction of requests. It decides which headers are trusted. */
export type ManagerClass = "outbound" | "inbound" | "gateway" | "waypoint";

/** Input of a connection manager. */
export interface ManagerInput {
  readonly class: ManagerClass;
  /** Name in statistics, for example `outbound_0.0.0.0_80`. */
  readonly statPrefix: string;
  /** The name of a route table (RDS), or the table itself. */
  readonly routes: { readonly rds: string } | { readonly inline: RouteConfiguration };
  /** Default `HTTP`; gRPC-Web needs an additional filter. */
  readonly protocol?: Protocol;
  /** Accepts requests with an absolute URL, which clients of an HTTP proxy send. */
  readonly allowAbsoluteUrl?: boolean;
  /** True: HTTP was detected on a port that may carry other protocols. */
  readonly found?: boolean;
  /** True: requests came over mutual TLS that this listener terminated. */
  readonly mutual?: boolean;
  /** True: requests came through tunnels. */
  readonly tunnelled?: boolean | undefined;
  /** Filters that allow or deny requests. */
  readonly security?: readonly HttpFilter[];
  /** Requests are HTTP/3. */
  readonly http3?: boolean;
  /** Port of the HTTP/3 server that is advertised to clients. */
  readonly alternative?: number | undefined;
  readonly defaults: ManagerDefaults;
}

type Init = Exclude<MessageInitShape<typeof HttpConnectionManagerSchema>, HttpConnectionManager>;

/** Builds the connection manager. */
export function httpConnectionManager(input: ManagerInput): HttpConnectionManager {
  const { defaults, routes } = input;
  const side = input.class === "waypoint"
    ? "waypoint"
    : input.class !== "inbound"
    ? "client"
    : input.tunnelled === true
    ? "tunnel"
    : input.mutual
    ? "mutual"
    : "server";
  const telemetry = defaults.telemetry?.[side] ?? NO_TELEMETRY;
  const init: Init = {
    statPrefix: `${input.statPrefix};`,
    routeSpecifier: "rds" in routes
      ? { case: "rds", value: { configSource: adsSource(), routeConfigName: routes.rds } }
      : { case: "routeConfig", value: routes.inline },
    httpFilters: [
      ...(input.alternative === undefined ? [] : [alternativeService(input.alternative)]),
      ...httpFilters(input.protocol ?? "HTTP", {
        security: input.security,
        onDemand: input.class === "outbound" && defaults.onDemand === true,
        telemetry: (input.found ?? defaults.found) === true && defaults.hideDetectedHttp !== true
          ? { ...telemetry, last: [...telemetry.last, ANNOUNCE_DETECTED_HTTP()] }
          : telemetry,
        sessions: input.class !== "inbound" && defaults.sessions === true,
        apiFilters: input.class !== "inbound" && defaults.apiFilters === true,
        bare: defaults.settings?.headers?.dataproxyDebugHeaders?.disabled,
      }),
    ],
    accessLog: [...telemetry.http],
    tracing: telemetry.tracing,
    requestIdExtension: telemetry.requestId,
    upgradeConfigs: [{ upgradeType: "websocket" }],
    // Streams may be idle without limit; routes set timeouts.
    streamIdleTimeout: durationOf(asksForHosts(input) ? ON_DEMAND_MS : 0),
    commonHttpProtocolOptions: defaults.idleTimeoutMs === undefined
      ? undefined
      : { idleTimeout: durationOf(defaults.idleTimeoutMs) },
    httpProtocolOptions: http1Options(input),
    proxy100Continue: defaults.proxy100Continue,
    ...(input.http3 === true ? { codecType: CodecType.HTTP3, http3ProtocolOptions: {} } : {}),
    ...pathOptions(defaults.pathNormalization),
    ...trust(input),
  };
  const { class: kind } = input;
  const settings = defaults.settings ?? {};
  return create(
    HttpConnectionManagerSchema,
    withSettings(init, settings, kind === "gateway", kind !== "outbound"),
  );
}

/** Names of route tables that have their virtual hosts, whatever the proxy asks for: `HOST:PORT`, and that of the HTTP proxy port. */
const WHOLE_TABLE = /^(?!unix:).*:\d+$|^http_proxy$/;

/**
 * Reports if requests wait for virtual hosts that the proxy asks for. Envoy has no bound for this but
 * that of idle streams; the routes of these virtual hosts have no bound again.
 */
function asksForHosts({ class: kind, routes, defaults }: ManagerInput): boolean {
  return kind === "outbound" && defaults.hostsOnDemand === true && "rds" in routes &&
    !WHOLE_TABLE.test(routes.rds);
}

/** Packs a connection manager as the filter of a chain. */
export function managerFilter(input: ManagerInput): Filter {
  return create(FilterSchema, {
    name: HTTP_CONNECTION_MANAGER,
    configType: {
      case: "typedConfig",
      value: packAny(HttpConnectionManagerSchema, httpConnectionManager(input)),
    },
  });
}

/**
 * The answer of the proxy beside a workload when it could open no connection to the workload, which
 * then has not seen the request: an agent drains its proxy while the workload has ended. The gRPC status 14 (UNAVAILABLE) makes clients that retry
 * `unavailable`, as Envoy reads it of responses of any kind, send the request to another endpoint. A
 * 503 alone may be one of the workload, which cannot be retried safely.
 */
const UNDELIVERED: Init["localReplyConfig"] = {
  mappers: [{
    filter: { filterSpecifier: { case: "responseFlagFilter", value: { flags: ["UF"] } } },
    headersToAdd: [{
      header: { key: "grpc-status", value: "14" },
      appendAction: HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD,
    }],
  }],
};

function http1Options(input: ManagerInput): Init["httpProtocolOptions"] {
  const acceptHttp10 = input.defaults.http10;
  const allowAbsoluteUrl = input.allowAbsoluteUrl;
  if (!acceptHttp10 && allowAbsoluteUrl === undefined) return undefined;
  return { acceptHttp10, allowAbsoluteUrl };
}

function pathOptions(normalization: PathNormalization): Init {
  const decode = normalization === "decode-and-merge-slashes";
  return {
    normalizePath: normalization !== "none",
    mergeSlashes: decode || normalization === "merge-slashes",
    pathWithEscapedSlashesAction: decode
      ? EscapedSlashes.UNESCAPE_AND_FORWARD
      : EscapedSlashes.KEEP_UNCHANGED,
  };
}

/**
 * Sets which information of the client is trusted: addresses, client certificates, Envoy's own
 * request headers; and what responses say of the workload.
 */
function trust(input: ManagerInput): Init {
  switch (input.class) {
    case "outbound":
      return {
        useRemoteAddress: input.defaults.sidecarUseRemoteAddress,
        internalAddressConfig: internal(PRIVATE_RANGES, input.defaults),
      };
    case "inbound":
      return {
        ...(input.defaults.outlives === true && { localReplyConfig: UNDELIVERED }),
        useRemoteAddress: false,
        internalAddressConfig: internal(PRIVATE_RANGES, input.defaults),
        forwardClientCertDetails: ForwardClientCert.APPEND_FORWARD,
        setCurrentClientCertDetails: { subject: true, dns: true, uri: true },
        serverName: SERVER_NAME,
      };
    case "waypoint":
      // Tunnels prove identities; a header can prove none.
      return {
        useRemoteAddress: false,
        internalAddressConfig: internal(PRIVATE_RANGES, input.defaults),
        forwardClientCertDetails: ForwardClientCert.SANITIZE,
      };
    case "gateway":
      // No client is internal: Envoy's headers are removed from requests.
      return {
        useRemoteAddress: true,
        internalAddressConfig: input.defaults.internalRanges === undefined
          ? undefined
          : internal([], input.defaults),
        forwardClientCertDetails: ForwardClientCert.SANITIZE_SET,
        setCurrentClientCertDetails: { subject: true, cert: true, dns: true, uri: true },
        serverName: SERVER_NAME,
      };
  }
}

/**
 * Applications set timeouts and retries of single requests with Envoy's headers. Envoy removes
 * these headers from external requests, and no longer treats private addresses as internal by
 * default.
 */
const PRIVATE_RANGES = [
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1/128",
  "fd00::/8",
];

function internal(
  ranges: readonly string[],
  { internalRanges = [] }: ManagerDefaults,
): Init["internalAddressConfig"] {
  return create(InternalAddressConfigSchema, {
    unixSockets: true,
    cidrRanges: [...ranges, ...internalRanges].map(cidrRange).filter((range) =>
      range !== undefined
    ),
  });
}
