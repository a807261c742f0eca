/**
 * Access logs to a file, and the built-in formats.
 *
 * @module
 */
import {
  type AccessLog,
  type AccessLogFilter,
  AccessLogFilterSchema,
  AccessLogSchema,
} from "#envoy/config/accesslog/v3/accesslog_pb.ts";
import type { SubstitutionFormatStringSchema } from "#envoy/config/core/v3/substitution_format_string_pb.ts";
import { FileAccessLogSchema } from "#envoy/extensions/access_loggers/file/v3/file_pb.ts";
import { lazily } from "../../base/mod.ts";
import { create, type JsonObject, type MessageInitShape, packAny } from "../../proto/mod.ts";

/** Name of the logger to files. */
export const FILE_LOGGER = "envoy.access_loggers.file";

/** Envoy's flag of connections and requests that no chain or route takes. */
const NO_ROUTE = "NR";

/** Fields of the built-in formats, in the order of the text form. */
const FIELDS = {
  start_time: "%START_TIME%",
  method: "%REQ(:METHOD)%",
  path: "%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%",
  protocol: "%PROTOCOL%",
  response_code: "%RESPONSE_CODE%",
  response_flags: "%RESPONSE_FLAGS%",
  response_code_details: "%RESPONSE_CODE_DETAILS%",
  connection_termination_details: "%CONNECTION_TERMINATION_DETAILS%",
  upstream_transport_failure_reason: "%UPSTREAM_TRANSPORT_FAILURE_REASON%",
  bytes_received: "%BYTES_RECEIVED%",
  bytes_sent: "%BYTES_SENT%",
  duration: "%DURATION%",
  upstream_service_time: "%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%",
  x_forwarded_for: "%REQ(X-FORWARDED-FOR)%",
  user_agent: "%REQ(USER-AGENT)%",
  request_id: "%REQ(X-REQUEST-ID)%",
  authority: "%REQ(:AUTHORITY)%",
  upstream_host: "%UPSTREAM_HOST%",
  upstream_cluster: "%UPSTREAM_CLUSTER_RAW%",
  upstream_local_address: "%UPSTREAM_LOCAL_ADDRESS%",
  downstream_local_address: "%DOWNSTREAM_LOCAL_ADDRESS%",
  downstream_remote_address: "%DOWNSTREAM_REMOTE_ADDRESS%",
  requested_server_name: "%REQUESTED_SERVER_NAME%",
  route_name: "%ROUTE_NAME%",
} as const;

/**
 * The mark of AuthorizationPolicies with the action `AUDIT`: `true` where a rule held, `false`
 * where none did, nothing where there are none. The text form, which log parsers read by place,
 * is without it; own formats may name it.
 */
const AUDIT_MARK = "%DYNAMIC_METADATA(envoy.common:access_log_hint)%";

/** Fields that may hold spaces or are free text: in quotes. */
const QUOTED: ReadonlySet<string> = new Set([
  "upstream_transport_failure_reason",
  "x_forwarded_for",
  "user_agent",
  "request_id",
  "authority",
  "upstream_host",
]);

/** `[time] "method path protocol" code …`, as log parsers of the field know it. */
export const TEXT_FORMAT: string = (() => {
  const { start_time, method, path, protocol, ...rest } = FIELDS;
  const tail = Object.entries(rest).map(([key, op]) => QUOTED.has(key) ? `"${op}"` : op);
  return `[${start_time}] "${method} ${path} ${protocol}" ${tail.join(" ")}\n`;
})();

/** Only connections that no chain takes are logged. */
const UNMATCHED = lazily((): AccessLogFilter =>
  create(AccessLogFilterSchema, {
    filterSpecifier: { case: "responseFlagFilter", value: { flags: [NO_ROUTE] } },
  })
);

/** The log that the mesh configuration asks for by `accessLogFile`. */
export function fileLog(settings: AccessLogSettings): AccessLog {
  const typedConfig = packAny(FileAccessLogSchema, {
    path: settings.file,
    accessLogFormat: { case: "logFormat", value: { format: formatOf(settings) } },
  });
  return create(AccessLogSchema, {
    name: FILE_LOGGER,
    configType: { case: "typedConfig", value: typedConfig },
  });
}

/** A log of the connections alone that no chain takes. */
export function unmatchedOnly(log: AccessLog): AccessLog {
  return create(AccessLogSchema, { ...log, filter: UNMATCHED() });
}

/** A format as the loggers take it. */
export type Format = MessageInitShape<typeof SubstitutionFormatStringSchema>["format"];

/** The format of a log in a file. */
export function formatOf({ encoding, format }: Omit<AccessLogSettings, "file">): Format {
  if (encoding === "json") {
    return { case: "jsonFormat", value: jsonFormat(format) ?? { ...FIELDS, audited: AUDIT_MARK } };
  }
  const text = format === "" ? TEXT_FORMAT : format.endsWith("\n") ? format : `${format}\n`;
  return { case: "textFormatSource", value: { specifier: { case: "inlineString", value: text } } };
}

/** A format that is no JSON object is replaced by the built-in one: a log in another form is better than none. */
function jsonFormat(text: string): JsonObject | undefined {
  if (text === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? value as JsonObject : undefined;
  } catch {
    return undefined;
  }
}

/** Where requests and connections are logged, and how. */
export interface AccessLogSettings {
  /** For example `/dev/stdout`. */
  readonly file: string;
  readonly encoding: "text" | "json";
  /** Empty: the built-in format of the encoding. */
  readonly format: string;
}
