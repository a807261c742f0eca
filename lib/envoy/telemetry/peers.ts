/**
 * How proxies come to know whom they deal with: a header tells the server of the
 * client's workload, an endpoint's metadata tells the client of the server's.
 * Both are labels of parts set apart by `;`, which a filter takes to pieces once
 * for each request; formats then name the pieces.
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
import { lazily } from "../../base/mod.ts";
import { create, type DescMessage, type MessageInitShape, packAny } from "../../proto/mod.ts";
import { MESH_METADATA, PEER_HEADER, WORKLOAD_KEY } from "../core/mod.ts";

/** Keys of the pieces in dynamic metadata, in the order of a label's parts; short, because every label of a metric names one. */
export const PIECES = ["w", "n", "s", "r", "c", "a", "v"] as const;

/** Of these, those that endpoints tell. */
const OF_ENDPOINTS = PIECES.slice(0, 4);

/** The piece that is the cluster; endpoints do not tell theirs, for it is always the daemon's own. */
const CLUSTER_PIECE = PIECES[4];

/** Where the request's protocol is found. */
export const PROTOCOL_PIECE = "p";

/** The metadata of an endpoint that holds its label. */
const ENDPOINT_LABEL = `%UPSTREAM_METADATA(${MESH_METADATA}:${WORKLOAD_KEY})%`;

/** What the proxy says of itself; see the agent. */
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

/** Rules that take a label to pieces, and the header away. */
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

/** gRPC is HTTP with a content type of its own. An empty piece leaves what was there. */
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

/** On the server's side: learns of the client. */
export const OF_CLIENTS: () => HttpFilter = lazily(() =>
  filter(HEADER_TO_METADATA, HeaderToMetadataSchema, {
    requestRules: [...PROTOCOL(), ...pieces(PIECES)],
  })
);

/**
 * On the client's side: learns of the server from what {@link TELL_SERVERS} put into the response.
 *
 * @param clusterId of all endpoints that tell anything
 */
export function ofServers(clusterId: string): HttpFilter {
  return filter(HEADER_TO_METADATA, HeaderToMetadataSchema, {
    requestRules: [...PROTOCOL()],
    responseRules: [clusterOf(clusterId), ...pieces(OF_ENDPOINTS)],
  });
}

function clusterOf(clusterId: string): Rule {
  const pair = { metadataNamespace: MESH_METADATA, key: CLUSTER_PIECE };
  return create(RuleSchema, {
    header: PEER_HEADER,
    // An empty value would stand for the header's.
    onHeaderPresent: clusterId === "" ? undefined : { ...pair, value: clusterId },
    onHeaderMissing: { ...pair, value: UNKNOWN },
  });
}

/** Learns of no peer. */
export const OF_NOBODY: () => HttpFilter = lazily(() =>
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

/** On the client's side: tells servers of the client, and puts the endpoint's label into the response, in place of what was said there. */
export const TELL_SERVERS: () => HttpFilter = lazily(() =>
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
