/**
 * Values of Envoy's enums, and fields, that are newer than the npm package with its protos. Names
 * and numbers are those of the descriptors in Envoy 1.40.0.
 *
 * @module
 */

/** Values that are added to one enum. */
interface AddedValues {
  /** Proto file below the roots of the protos. */
  readonly file: string;
  /** Name of the enum, which is unique in its file. */
  readonly name: string;
  readonly values: Readonly<Record<string, number>>;
}

const ADDED: readonly AddedValues[] = [
  {
    file: "envoy/extensions/filters/http/ext_proc/v3/processing_mode.proto",
    name: "BodySendMode",
    values: { FULL_DUPLEX_STREAMED: 4, GRPC: 5 },
  },
  { file: "envoy/config/accesslog/v3/accesslog.proto", name: "Op", values: { NE: 3 } },
  {
    file: "envoy/data/accesslog/v3/accesslog.proto",
    name: "AccessLogType",
    values: { TcpConnectionStart: 14 },
  },
  {
    file: "envoy/config/cluster/v3/cluster.proto",
    name: "FirstAddressFamilyVersion",
    values: { PIPE: 3, INTERNAL: 4 },
  },
  {
    file: "envoy/config/route/v3/route_components.proto",
    name: "Source",
    values: { CLUSTER_ENTRY: 2, CLUSTER_LOCALITY_ENTRY: 3 },
  },
  {
    file: "envoy/extensions/filters/http/oauth2/v3/oauth.proto",
    name: "AuthType",
    values: { TLS_CLIENT_AUTH: 2, PRIVATE_KEY_JWT: 3 },
  },
  {
    file: "envoy/extensions/filters/network/redis_proxy/v3/redis_proxy.proto",
    name: "ReadPolicy",
    values: { LOCAL_ZONE_AFFINITY: 5, LOCAL_ZONE_AFFINITY_REPLICAS_AND_PRIMARY: 6 },
  },
  {
    file: "envoy/config/overload/v3/overload.proto",
    name: "TimerType",
    values: { HTTP_DOWNSTREAM_CONNECTION_MAX: 4, HTTP_DOWNSTREAM_STREAM_FLUSH: 5 },
  },
  {
    file: "envoy/admin/v3/config_dump_shared.proto",
    name: "ClientResourceStatus",
    values: { RECEIVED_ERROR: 5, TIMEOUT: 6 },
  },
];

/** Fields that are added to one message. */
interface AddedFields {
  readonly file: string;
  /** The declaration that they follow, which is unique in its file. */
  readonly after: string;
  readonly fields: readonly string[];
  /** Enums, messages and imports of the fields, added at the end of the file. */
  readonly types: string;
}

const ADDED_FIELDS: readonly AddedFields[] = [
  {
    file: "envoy/config/route/v3/route_components.proto",
    after: "repeated type.matcher.v3.MetadataMatcher dynamic_metadata = 13;",
    fields: ["repeated type.matcher.v3.FilterStateMatcher filter_state = 16;"],
    types: 'import "envoy/type/matcher/v3/filter_state.proto";',
  },
  {
    file: "envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy.proto",
    after: "TcpAccessLogOptions access_log_options = 17;",
    fields: [
      "UpstreamConnectMode upstream_connect_mode = 21;",
      "google.protobuf.UInt32Value max_early_data_bytes = 22;",
    ],
    types:
      "enum UpstreamConnectMode { IMMEDIATE = 0; ON_DOWNSTREAM_DATA = 1; ON_DOWNSTREAM_TLS_HANDSHAKE = 2; }",
  },
];

/** Files with added values or fields. */
export const EXTENDED_FILES: ReadonlySet<string> = new Set(
  [...ADDED, ...ADDED_FIELDS].map(({ file }) => file),
);

/**
 * Returns a proto file with the added values and fields.
 *
 * @throws Error if an enum or a field is missing, or the package already has an addition
 */
export function withAdditions(file: string, text: string): string {
  return withAddedFields(file, withAddedValues(file, text));
}

function withAddedFields(file: string, text: string): string {
  let result = text;
  for (const { after, fields, types } of ADDED_FIELDS.filter((one) => one.file === file)) {
    if (result.split(after).length !== 2) {
      throw new Error(`gen: ${file} has not exactly one field ${after}`);
    }
    const known = fields.filter((field) => result.includes(field));
    if (known.length > 0) {
      throw new Error(`gen: ${file} already has ${known}; remove it from gen_enums.ts`);
    }
    result = `${result.replace(after, [after, ...fields].join("\n"))}\n${types}\n`;
  }
  return result;
}

function withAddedValues(file: string, text: string): string {
  let result = text;
  for (const { name, values } of ADDED.filter((one) => one.file === file)) {
    const [head, ...more] = [
      ...result.matchAll(new RegExp(`\\benum ${name} \\{[^}]*?\\w+ = 0(?: \\[[^\\]]*\\])?;`, "g")),
    ];
    if (head === undefined || more.length > 0) {
      throw new Error(`gen: ${file} has not exactly one enum ${name}`);
    }
    const start = head.index + head[0].length;
    const body = result.slice(start, result.indexOf("}", start));
    const known = Object.keys(values).filter((value) => new RegExp(`\\b${value} = `).test(body));
    if (known.length > 0) {
      throw new Error(`gen: ${file}: ${name} already has ${known}; remove it from gen_enums.ts`);
    }
    const lines = Object.entries(values).map(([value, number]) => `\n${value} = ${number};`);
    result = result.slice(0, start) + lines.join("") + result.slice(start);
  }
  return result;
}
