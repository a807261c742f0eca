/**
 * External authorization: extension providers of the mesh that authorize requests.
 *
 * @module
 */
import { ApiVersion } from "#envoy/config/core/v3/config_source_pb.ts";
import { GrpcServiceSchema } from "#envoy/config/core/v3/grpc_service_pb.ts";
import { HttpUriSchema } from "#envoy/config/core/v3/http_uri_pb.ts";
import {
  type BufferSettings,
  BufferSettingsSchema,
  ExtAuthzSchema,
  HttpServiceSchema,
} from "#envoy/extensions/filters/http/ext_authz/v3/ext_authz_pb.ts";
import { ExtAuthzSchema as TcpExtAuthzSchema } from "#envoy/extensions/filters/network/ext_authz/v3/ext_authz_pb.ts";
import { StatusCode } from "#envoy/type/v3/http_status_pb.ts";
import type { MetadataMatcher } from "#envoy/type/matcher/v3/metadata_pb.ts";
import {
  type ListStringMatcher,
  ListStringMatcherSchema,
} from "#envoy/type/matcher/v3/string_pb.ts";
import type {
  MeshConfig_ExtensionProvider as ExtensionProvider,
  MeshConfig_ExtensionProvider_DataproxyExternalAuthorizationGrpcProvider as GrpcProvider,
  MeshConfig_ExtensionProvider_DataproxyExternalAuthorizationHttpProvider as HttpProvider,
  MeshConfig_ExtensionProvider_DataproxyExternalAuthorizationRequestBody as RequestBody,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  type Any,
  create,
  type Duration,
  durationOf,
  type MessageInitShape,
  packAny,
} from "../../../kit/proto/mod.ts";
import { textMatch } from "./text.ts";
import { metadataMatch, textValue } from "./tokens.ts";

/** Prefix of statistics, and of the metadata in which the selecting rules store their result. */
export const ASK_PREFIX = "mesh_ext_authz_";

/** Prefix of the names of the rules that select requests for external authorization. */
export const ASK_POLICY_PREFIX = "mesh-ext-authz-";

/** Metadata key under which the RBAC filter writes the shadow rule that matched. */
const VERDICT = `${ASK_PREFIX}shadow_effective_policy_id`;

/** Timeout for providers that do not set one, ms. */
const TIMEOUT_MS = 600_000;

/**
 * Finds a service by `namespace/host` or `host`; `undefined` if there is none, or more than one.
 */
export type FindService = (
  service: string,
  port: number,
) => { readonly host: string; readonly cluster: string } | undefined;

/** The filters that call a provider. */
export interface Asking {
  readonly http: Any;
  /** `undefined`: the provider supports only HTTP. */
  readonly tcp?: Any;
}

/**
 * Returns the configuration of the filters that call a provider.
 *
 * @param find finds the provider's service
 * @returns an error text if the provider cannot be called
 */
export function extAuthzConfig(
  { provider }: ExtensionProvider,
  find: FindService,
): Asking | string {
  if (provider.case !== "dataproxyExtAuthzGrpc" && provider.case !== "dataproxyExtAuthzHttp") {
    return "it does not authorise";
  }
  const { service, port, statusOnError } = provider.value;
  const found = find(service, port);
  if (found === undefined) return `its service ${JSON.stringify(service)} is not known`;
  if (port < 1 || port > 65_535) return `its port ${port} is none`;
  if (statusOnError !== "" && !isStatus(statusOnError)) {
    return `its statusOnError ${JSON.stringify(statusOnError)} is no status that the proxy knows`;
  }
  const { host, cluster } = found;
  const why = provider.case === "dataproxyExtAuthzHttp" ? wrongHttp(provider.value) : undefined;
  if (why !== undefined) return why;
  return provider.case === "dataproxyExtAuthzGrpc"
    ? byGrpc(provider.value, host, cluster)
    : { http: byHttp(provider.value, host, cluster) };
}

/** Reports if a text is the number of a status that Envoy has a name for; it rejects others. */
function isStatus(text: string): boolean {
  return /^[1-5]\d\d$/.test(text) && StatusCode[Number(text)] !== undefined;
}

/** Lists of header names, with wildcards at one end. */
const HEADER_LISTS = [
  "includeHeadersInCheck",
  "includeRequestHeadersInCheck",
  "headersToUpstreamOnAllow",
  "headersToDownstreamOnDeny",
  "headersToDownstreamOnAllow",
] as const satisfies readonly (keyof HttpProvider)[];

/** Returns the fault of a provider that speaks HTTP; `undefined`: there is none. */
function wrongHttp(provider: HttpProvider): string | undefined {
  const { pathPrefix } = provider;
  if (pathPrefix !== "" && !pathPrefix.startsWith("/")) {
    return `its pathPrefix ${JSON.stringify(pathPrefix)} does not begin with a slash`;
  }
  const list = HEADER_LISTS.find((name) => provider[name].includes("*"));
  return list === undefined ? undefined : `its ${list} has "*", which is no name of a header`;
}

type Common = Pick<
  MessageInitShape<typeof ExtAuthzSchema>,
  | "failureModeAllow"
  | "filterEnabledMetadata"
  | "transportApiVersion"
  | "clearRouteCache"
  | "statusOnError"
  | "withRequestBody"
>;

function common(provider: GrpcProvider | HttpProvider): Common {
  const { statusOnError } = provider;
  return {
    failureModeAllow: provider.failOpen,
    filterEnabledMetadata: askedBy("envoy.filters.http.rbac"),
    transportApiVersion: ApiVersion.V3,
    clearRouteCache: provider.clearRouteCache,
    statusOnError: statusOnError === "" ? undefined : { code: Number(statusOnError) },
    withRequestBody: bodyOf(provider.includeRequestBodyInCheck),
  };
}

/** Matches requests that a selecting rule matched before. */
function askedBy(filter: string): MetadataMatcher {
  const prefix = ASK_POLICY_PREFIX.slice(0, -1);
  return metadataMatch(filter, [VERDICT], textValue(textMatch(`${prefix}*`)));
}

function bodyOf(body: RequestBody | undefined): BufferSettings | undefined {
  return body && create(BufferSettingsSchema, {
    maxRequestBytes: body.maxRequestBytes,
    allowPartialMessage: body.allowPartialMessage,
    packAsBytes: body.packAsBytes,
  });
}

function byGrpc(provider: GrpcProvider, host: string, cluster: string): Asking {
  const grpcService = create(GrpcServiceSchema, {
    targetSpecifier: { case: "envoyGrpc", value: { clusterName: cluster, authority: host } },
    timeout: limit(provider.timeout),
  });
  return {
    http: packAny(ExtAuthzSchema, {
      ...common(provider),
      services: { case: "grpcService", value: grpcService },
    }),
    tcp: packAny(TcpExtAuthzSchema, {
      statPrefix: "tcp.",
      failureModeAllow: provider.failOpen,
      filterEnabledMetadata: askedBy("envoy.filters.network.rbac"),
      transportApiVersion: ApiVersion.V3,
      grpcService,
    }),
  };
}

function limit(timeout: Duration | undefined): Duration {
  return timeout ?? durationOf(TIMEOUT_MS);
}

function byHttp(provider: HttpProvider, host: string, cluster: string): Any {
  const named = Object.entries(provider.includeAdditionalHeadersInCheck)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const value = create(HttpServiceSchema, {
    pathPrefix: provider.pathPrefix,
    serverUri: create(HttpUriSchema, {
      uri: `http://${host}`,
      httpUpstreamType: { case: "cluster", value: cluster },
      timeout: limit(provider.timeout),
    }),
    authorizationRequest: named.length === 0 ? undefined : {
      headersToAdd: named.map(([key, value]) => ({ key, value })),
    },
    authorizationResponse: responseOf(provider),
  });
  return packAny(ExtAuthzSchema, {
    ...common(provider),
    services: { case: "httpService", value },
    allowedHeaders: headers(provider.includeRequestHeadersInCheck) ??
      headers(provider.includeHeadersInCheck),
  });
}

function responseOf(
  provider: HttpProvider,
): MessageInitShape<typeof HttpServiceSchema>["authorizationResponse"] {
  const response = {
    allowedUpstreamHeaders: headers(provider.headersToUpstreamOnAllow),
    allowedClientHeaders: headers(provider.headersToDownstreamOnDeny),
    allowedClientHeadersOnSuccess: headers(provider.headersToDownstreamOnAllow),
  };
  return Object.values(response).some((list) => list !== undefined) ? response : undefined;
}

/** Matches header names, with wildcards. */
function headers(names: readonly string[]): ListStringMatcher | undefined {
  if (names.length === 0) return undefined;
  return create(ListStringMatcherSchema, {
    patterns: names.map((name) => textMatch(name, "", true)),
  });
}
