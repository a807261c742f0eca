/**
 * Filters of routes that come from the Gateway API: sessions, and servers that are asked about requests.
 *
 * @module
 */
import { ApiVersion } from "#envoy/config/core/v3/config_source_pb.ts";
import { ExtensionWithMatcherPerRouteSchema } from "#envoy/extensions/common/matching/v3/extension_matcher_pb.ts";
import { ExecuteFilterActionSchema } from "#envoy/extensions/filters/http/composite/v3/composite_pb.ts";
import { ExtAuthzSchema } from "#envoy/extensions/filters/http/ext_authz/v3/ext_authz_pb.ts";
import {
  type ListStringMatcher,
  ListStringMatcherSchema,
} from "#envoy/type/matcher/v3/string_pb.ts";
import { DestinationSchema, type HTTPRoute } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import {
  type Any,
  create,
  durationOf,
  type MessageInitShape,
  packAny,
} from "../../../kit/proto/mod.ts";
import { apiRuleOf, type RuleAuthorizer } from "../../model/mod.ts";
import { AUTHORIZER_FILTER, SESSION_FILTER, sessionOfRoute } from "../core/mod.ts";
import type { RouteScope } from "./scope.ts";

/** Time for an answer of a server, ms; later the request is refused. */
const ANSWER_MS = 10_000;

/**
 * Headers of an answer that are about the answer itself. They do not become headers of the request, even
 * if all others do.
 */
const OF_ANSWERS =
  "content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailer|date|server|set-cookie";

/** The filter configurations of a rule, by name of the filter. */
export function ruleFilters(rule: HTTPRoute, scope: RouteScope): Record<string, Any> {
  const { session, authorizer, object, rule: path } = apiRuleOf(rule) ?? {};
  const configs: Record<string, Any> = {};
  if (session !== undefined) {
    configs[SESSION_FILTER] = sessionOfRoute(session);
    scope.decisions?.decide?.({
      group: "session",
      source: "object",
      object: object!,
      field: `${path}.sessionPersistence`,
      value: session.name,
    });
  }
  if (authorizer !== undefined) configs[AUTHORIZER_FILTER] = asking(authorizer, scope);
  return configs;
}

/** Puts the filter that asks in the place of the listener's, which does nothing. */
function asking(authorizer: RuleAuthorizer, scope: RouteScope): Any {
  const { host, port } = authorizer;
  const destination = create(DestinationSchema, { host, port: { number: port } });
  const { cluster } = scope.resolve(destination, scope.vsNamespace);
  const filter = {
    name: "ext_authz",
    typedConfig: packAny(ExtAuthzSchema, asks(authorizer, cluster)),
  };
  const action = {
    name: "composite",
    typedConfig: packAny(ExecuteFilterActionSchema, { typedConfig: filter }),
  };
  return packAny(ExtensionWithMatcherPerRouteSchema, {
    xdsMatcher: { onNoMatch: { onMatch: { case: "action", value: action } } },
  });
}

function asks(
  { protocol, host, path, requestHeaders, responseHeaders, bodyBytes }: RuleAuthorizer,
  cluster: string,
): MessageInitShape<typeof ExtAuthzSchema> {
  const timeout = durationOf(ANSWER_MS);
  const common = {
    transportApiVersion: ApiVersion.V3,
    allowedHeaders: requestHeaders.length === 0 ? undefined : namesIn(requestHeaders),
    // Bodies that are longer are refused with 413.
    withRequestBody: bodyBytes === 0 ? undefined : { maxRequestBytes: bodyBytes },
  };
  if (protocol === "GRPC") {
    return {
      ...common,
      services: {
        case: "grpcService",
        value: {
          targetSpecifier: { case: "envoyGrpc", value: { clusterName: cluster, authority: host } },
          timeout,
        },
      },
    };
  }
  const all = responseHeaders.length === 0;
  const upstream = create(ListStringMatcherSchema, {
    patterns: [{ matchPattern: { case: "safeRegex", value: { regex: "[^:].*" } } }],
  });
  return {
    ...common,
    services: {
      case: "httpService",
      value: {
        pathPrefix: path,
        serverUri: {
          uri: `http://${host}`,
          httpUpstreamType: { case: "cluster", value: cluster },
          timeout,
        },
        authorizationResponse: {
          allowedUpstreamHeaders: all ? upstream : namesIn(responseHeaders),
        },
      },
    },
    ...(all ? { decoderHeaderMutationRules: { disallowExpression: { regex: OF_ANSWERS } } } : {}),
  };
}

function namesIn(names: readonly string[]): ListStringMatcher {
  return create(ListStringMatcherSchema, {
    patterns: names.map((value) => ({
      matchPattern: { case: "exact" as const, value },
      ignoreCase: true,
    })),
  });
}
