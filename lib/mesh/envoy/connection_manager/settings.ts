/**
 * Connection and request settings of the proxy configuration (`defaultConfig` of the mesh
 * configuration).
 *
 * @module
 */
import { HttpProtocolOptions_HeadersWithUnderscoresAction as EnvoyUnderscores } from "#envoy/config/core/v3/protocol_pb.ts";
import {
  type HttpConnectionManager,
  HttpConnectionManager_ForwardClientCertDetails as EnvoyForward,
  HttpConnectionManager_PathWithEscapedSlashesAction as EnvoySlashes,
  HttpConnectionManager_ServerHeaderTransformation as ServerHeader,
  HttpConnectionManagerSchema,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import {
  ForwardClientCertDetails as Forward,
  type ProxyConfig_ConnectionSettings as ConnectionSettings,
  ProxyConfig_ConnectionSettings_HeadersWithUnderscoresAction as Underscores,
  ProxyConfig_ConnectionSettings_PathWithEscapedSlashesAction as Slashes,
  ProxyConfig_ConnectionSettings_Profile as Profile,
  ProxyConfig_ConnectionSettingsSchema as ConnectionSettingsSchema,
  type ProxyConfig_ProxyHeaders as ProxyHeaders,
  type Topology,
} from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { lazily } from "../../../kit/base/mod.ts";
import { create, durationOf, type MessageInitShape } from "../../../kit/proto/mod.ts";
import { keepingCase } from "../core/mod.ts";

/** The parts of the proxy configuration that listeners use. */
export interface ProxySettings {
  /** Proxies in front of gateways. */
  readonly topology?: Topology;
  readonly headers?: ProxyHeaders;
  readonly connections?: ConnectionSettings;
}

type Init = Exclude<MessageInitShape<typeof HttpConnectionManagerSchema>, HttpConnectionManager>;

const FORWARD: Readonly<Record<Forward, EnvoyForward | undefined>> = {
  [Forward.UNDEFINED]: undefined,
  [Forward.SANITIZE]: EnvoyForward.SANITIZE,
  [Forward.FORWARD_ONLY]: EnvoyForward.FORWARD_ONLY,
  [Forward.APPEND_FORWARD]: EnvoyForward.APPEND_FORWARD,
  [Forward.SANITIZE_SET]: EnvoyForward.SANITIZE_SET,
  [Forward.ALWAYS_FORWARD_ONLY]: EnvoyForward.ALWAYS_FORWARD_ONLY,
};

const SLASHES: Readonly<Record<Slashes, EnvoySlashes | undefined>> = {
  [Slashes.PATH_WITH_ESCAPED_SLASHES_UNSPECIFIED]: undefined,
  [Slashes.KEEP_UNCHANGED]: EnvoySlashes.KEEP_UNCHANGED,
  [Slashes.REJECT_REQUEST]: EnvoySlashes.REJECT_REQUEST,
  [Slashes.UNESCAPE_AND_REDIRECT]: EnvoySlashes.UNESCAPE_AND_REDIRECT,
  [Slashes.UNESCAPE_AND_FORWARD]: EnvoySlashes.UNESCAPE_AND_FORWARD,
};

const UNDERSCORES: Readonly<Record<Underscores, EnvoyUnderscores | undefined>> = {
  [Underscores.HEADERS_WITH_UNDERSCORES_UNSPECIFIED]: undefined,
  [Underscores.HEADERS_WITH_UNDERSCORES_ALLOW]: EnvoyUnderscores.ALLOW,
  [Underscores.HEADERS_WITH_UNDERSCORES_REJECT_REQUEST]: EnvoyUnderscores.REJECT_REQUEST,
  [Underscores.HEADERS_WITH_UNDERSCORES_DROP_HEADER]: EnvoyUnderscores.DROP_HEADER,
};

/** Settings that Envoy's documentation recommends for edge proxies. */
const EDGE = lazily((): ConnectionSettings =>
  create(ConnectionSettingsSchema, {
    listenerPerConnectionBufferLimitBytes: 32 * 1024,
    clusterPerConnectionBufferLimitBytes: 32 * 1024,
    httpIdleTimeout: durationOf(3_600_000),
    httpRequestTimeout: durationOf(300_000),
    httpStreamIdleTimeout: durationOf(300_000),
    httpMaxConcurrentStreams: 100,
    http2InitialStreamWindowSize: 64 * 1024,
    http2InitialConnectionWindowSize: 1024 * 1024,
    httpHeadersWithUnderscoresAction: Underscores.HEADERS_WITH_UNDERSCORES_REJECT_REQUEST,
    httpMergeSlashes: true,
    httpPathWithEscapedSlashesAction: Slashes.UNESCAPE_AND_REDIRECT,
  })
);

/** Returns the settings of connections; unset fields come from their profile. */
export function connectionSettings(
  own: ConnectionSettings | undefined,
): ConnectionSettings | undefined {
  if (own?.profile !== Profile.EDGE) return own;
  const {
    httpHeadersWithUnderscoresAction: underscores,
    httpPathWithEscapedSlashesAction: slashes,
    ...given
  } = own;
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return {
    ...EDGE(),
    ...said,
    httpHeadersWithUnderscoresAction: underscores || EDGE().httpHeadersWithUnderscoresAction,
    httpPathWithEscapedSlashesAction: slashes || EDGE().httpPathWithEscapedSlashesAction,
  };
}

/**
 * Returns the connection manager with the settings merged over it.
 *
 * @param gateway true: `topology` applies, which describes the proxies in front of a gateway
 * @param believes true: the listener sets how client certificates are forwarded
 */
export function withSettings(
  base: Init,
  { topology, headers, connections: own }: ProxySettings,
  gateway: boolean,
  believes: boolean,
): Init {
  const init = headers === undefined ? { ...base } : withHeaders(base, headers, believes);
  if (gateway && topology !== undefined) {
    init.xffNumTrustedHops = topology.numTrustedProxies;
    if (FORWARD[headers?.forwardedClientCert ?? Forward.UNDEFINED] === undefined) {
      init.forwardClientCertDetails = FORWARD[topology.forwardClientCertDetails] ??
        base.forwardClientCertDetails;
    }
  }
  const connections = connectionSettings(own);
  return connections === undefined ? init : withConnections(init, connections);
}

function withHeaders(base: Init, headers: ProxyHeaders, believes: boolean): Init {
  const init = { ...base };
  const { forwardedClientCert, setCurrentClientCertDetails: details, server } = headers;
  if (believes) {
    init.forwardClientCertDetails = FORWARD[forwardedClientCert] ?? base.forwardClientCertDetails;
    if (details !== undefined) {
      init.setCurrentClientCertDetails = {
        subject: details.subject ?? true,
        cert: details.cert ?? false,
        chain: details.chain ?? false,
        dns: details.dns ?? true,
        uri: details.uri ?? true,
      };
    }
  }
  if (server?.disabled) init.serverHeaderTransformation = ServerHeader.PASS_THROUGH;
  else if (server !== undefined && server.value !== "") init.serverName = server.value;
  if (headers.requestId?.disabled) init.generateRequestId = false;
  if (headers.preserveHttp1HeaderCase === true) {
    const http1 = base.httpProtocolOptions as object | undefined;
    init.httpProtocolOptions = { ...http1, headerKeyFormat: keepingCase() };
  }
  if (headers.xForwardedPort?.enabled) init.appendXForwardedPort = true;
  return init;
}

function withConnections(base: Init, settings: ConnectionSettings): Init {
  const common = {
    ...base.commonHttpProtocolOptions as object,
    ...given({
      // The proxy's own node metadata takes precedence.
      idleTimeout: base.commonHttpProtocolOptions?.idleTimeout ?? settings.httpIdleTimeout,
      maxConnectionDuration: settings.httpMaxConnectionDuration,
      maxStreamDuration: settings.httpMaxStreamDuration,
      headersWithUnderscoresAction: UNDERSCORES[settings.httpHeadersWithUnderscoresAction],
    }),
  };
  const http2 = given({
    maxConcurrentStreams: settings.httpMaxConcurrentStreams,
    initialStreamWindowSize: settings.http2InitialStreamWindowSize,
    initialConnectionWindowSize: settings.http2InitialConnectionWindowSize,
  });
  return {
    ...base,
    ...given({
      drainTimeout: settings.httpDrainTimeout,
      requestTimeout: settings.httpRequestTimeout,
      requestHeadersTimeout: settings.httpRequestHeadersTimeout,
      streamIdleTimeout: settings.httpStreamIdleTimeout,
      mergeSlashes: settings.httpMergeSlashes,
      pathWithEscapedSlashesAction: SLASHES[settings.httpPathWithEscapedSlashesAction],
    }),
    ...Object.keys(common).length > 0 && { commonHttpProtocolOptions: common },
    ...Object.keys(http2).length > 0 && { http2ProtocolOptions: http2 },
  };
}

/** Returns the fields that are set. */
function given<T extends object>(fields: T): Partial<T> {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Partial<T>;
}
