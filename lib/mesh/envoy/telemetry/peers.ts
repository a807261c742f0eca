/**
 * Exchange of workload identities between proxies: a header has the client's workload, an
 * endpoint's metadata has the server's. Both are labels with parts separated by `;`. A filter
 * splits them once per request, and formats refer to the parts.
 *
 * @module
 */
import { HeaderValueOption_HeaderAppendAction as Append } from "#envoy/config/core/v3/base_pb.ts";
import { HeaderMutationSchema } from "#envoy/extensions/filters/http/header_mutation/v3/header_mutation_pb.ts";
import {
  Config_KeyValuePairSchema as PairSchema,
  type Config_Rule as Rule,
  Config_RuleSchema as RuleSchema,
  ConfigSchema as HeaderToMetadataSchema,
} from "#envoy/extensions/filters/http/header_to_metadata/v3/header_to_metadata_pb.ts";
import {
  type HttpFilter,
  HttpFilterSchema,
} from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { lazily } from "../../../kit/base/mod.ts";
import {
  create,
  type DescMessage,
  type MessageInitShape,
  packAny,
} from "../../../kit/proto/mod.ts";
import { MESH_METADATA, PEER_HEADER, WORKLOAD_KEY } from "../core/mod.ts";

/**
 * Keys of the parts in dynamic metadata, in the order of a label; short, because every metric label
 * uses one.
 */
export const PIECES = ["w", "n", "s", "r", "c", "a", "v"] as const;

/** The part with the namespace. */
export const NAMESPACE_PIECE: typeof PIECES[1] = PIECES[1];

/** The parts that endpoints have. */
const OF_ENDPOINTS = PIECES.slice(0, 4);

/**
 * The part with the cluster. Endpoints do not have it, because their cluster is always the daemon's
 * own.
 */
const CLUSTER_PIECE = PIECES[4];

/** Key of the request's protocol. */
export const PROTOCOL_PIECE = "p";

/** Endpoint metadata with the label. */
const ENDPOINT_LABEL = `%UPSTREAM_METADATA(${MESH_METADATA}:${WORKLOAD_KEY})%`;

/** The proxy's own label; the agent sets it. */
const OWN_LABEL = "%ENVIRONMENT(MESH_SELF_LABEL)%";

const UNKNOWN = "unknown";

function filter<D extends DescMessage>(
  name: string,
  schema: D,
  config: MessageInitShape<D>,
): HttpFilter {
  return create(HttpFilterSchema, {
    name,
    configType: { case: "typedConfig", value: packAny(schema, config) },
  });
}

/** Rules that split a label into parts and remove the header. */
function pieces(keys: readonly string[]): Rule[] {
  return keys.map((key, at) =>
    create(RuleSchema, {
      header: PEER_HEADER,
      onHeaderPresent: piece(key, `^(?:[^;]*;){${at}}([^;]*).*$`),
      onHeaderMissing: { metadataNamespace: MESH_METADATA, key, value: UNKNOWN },
      remove: at === keys.length - 1,
    })
  );
}

function piece(key: string, regex: string): MessageInitShape<typeof PairSchema> {
  return {
    metadataNamespace: MESH_METADATA,
    key,
    regexValueRewrite: { pattern: { regex }, substitution: "\\1" },
  };
}

/** gRPC is HTTP with its own content type. An empty value keeps the previous one. */
const PROTOCOL = lazily((): readonly Rule[] => [
  create(RuleSchema, {
    header: ":method",
    onHeaderPresent: { metadataNamespace: MESH_METADATA, key: PROTOCOL_PIECE, value: "http" },
  }),
  create(RuleSchema, {
    header: "content-type",
    onHeaderPresent: piece(PROTOCOL_PIECE, "^(?:application/(grpc).*|.*)$"),
  }),
]);

const HEADER_TO_METADATA = "envoy.filters.http.header_to_metadata";

/** Server side: reads the client's label. */
export const READ_CLIENT_LABEL: () => HttpFilter = lazily(() =>
  filter(HEADER_TO_METADATA, HeaderToMetadataSchema, {
    requestRules: [...PROTOCOL(), ...pieces(PIECES)],
  })
);

/**
 * Client side: reads the server's label, which {@link SEND_CLIENT_LABEL} has put into the response.
 *
 * @param clusterId cluster id of all endpoints with a label
 */
export function readServerLabel(clusterId: string): HttpFilter {
  return filter(HEADER_TO_METADATA, HeaderToMetadataSchema, {
    requestRules: [...PROTOCOL()],
    responseRules: [clusterOf(clusterId), ...pieces(OF_ENDPOINTS)],
  });
}

function clusterOf(clusterId: string): Rule {
  const pair = { metadataNamespace: MESH_METADATA, key: CLUSTER_PIECE };
  return create(RuleSchema, {
    header: PEER_HEADER,
    // With an empty value the filter would use the header's value.
    onHeaderPresent: clusterId === "" ? undefined : { ...pair, value: clusterId },
    onHeaderMissing: { ...pair, value: UNKNOWN },
  });
}

/** Reads no peer's label. */
export const NO_PEER: () => HttpFilter = lazily(() =>
  filter(HEADER_TO_METADATA, HeaderToMetadataSchema, {
    requestRules: [...PROTOCOL()],
  })
);

function set(value: string) {
  return {
    action: {
      case: "append" as const,
      value: {
        header: { key: PEER_HEADER, value },
        appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD,
      },
    },
  };
}

const REMOVE = { action: { case: "remove" as const, value: PEER_HEADER } };

/**
 * Client side: sends the client's label to servers, and sets the endpoint's label in the response,
 * replacing an existing one.
 */
export const SEND_CLIENT_LABEL: () => HttpFilter = lazily(() =>
  filter(
    "envoy.filters.http.header_mutation",
    HeaderMutationSchema,
    {
      mutations: {
        requestMutations: [REMOVE, set(OWN_LABEL)],
        responseMutations: [REMOVE, set(ENDPOINT_LABEL)],
      },
    },
  )
);
