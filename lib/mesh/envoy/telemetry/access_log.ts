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
import { lazily } from "../../../kit/base/mod.ts";
import { create, type JsonObject, type MessageInitShape, packAny } from "../../../kit/proto/mod.ts";

/** Name of the logger to files. */
export const FILE_LOGGER = "envoy.access_loggers.file";

/** Envoy's response flag of connections and requests without chain or route. */
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
 * Result of AuthorizationPolicies with the action `AUDIT`: `true` if a rule matched, `false` if
 * none did, empty without such policies. The text form does not have it, because log parsers depend
 * on its columns; custom formats may use it.
 */
const AUDIT_MARK = "%DYNAMIC_METADATA(envoy.common:access_log_hint)%";

/** Fields that may have spaces or free text: they are quoted. */
const QUOTED: ReadonlySet<string> = new Set([
  "upstream_transport_failure_reason",
  "x_forwarded_for",
  "user_agent",
  "request_id",
  "authority",
  "upstream_host",
]);

/** `[time] "method path protocol" code …`, the form that common log parsers read. */
export const TEXT_FORMAT: string = (() => {
  const { start_time, method, path, protocol, ...rest } = FIELDS;
  const tail = Object.entries(rest).map(([key, op]) => QUOTED.has(key) ? `"${op}"` : op);
  return `[${start_time}] "${method} ${path} ${protocol}" ${tail.join(" ")}\n`;
})();

/** Logs only connections that no chain matches. */
const UNMATCHED = lazily((): AccessLogFilter =>
  create(AccessLogFilterSchema, {
    filterSpecifier: { case: "responseFlagFilter", value: { flags: [NO_ROUTE] } },
  })
);

/** Builds the log for the mesh configuration's `accessLogFile`. */
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

/** Restricts a log to connections that no chain matches. */
export function unmatchedOnly(log: AccessLog): AccessLog {
  return create(AccessLogSchema, { ...log, filter: UNMATCHED() });
}

/** A log format in Envoy's type. */
export type Format = MessageInitShape<typeof SubstitutionFormatStringSchema>["format"];

/** Returns the format of a file log. */
export function formatOf({ encoding, format }: Omit<AccessLogSettings, "file">): Format {
  if (encoding === "json") {
    return { case: "jsonFormat", value: jsonFormat(format) ?? { ...FIELDS, audited: AUDIT_MARK } };
  }
  const text = format === "" ? TEXT_FORMAT : format.endsWith("\n") ? format : `${format}\n`;
  return { case: "textFormatSource", value: { specifier: { case: "inlineString", value: text } } };
}

/**
 * Parses a JSON format; if it is not a JSON object, the built-in format is used, so that there is a
 * log.
 */
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

/** Access log settings: file and format. */
export interface AccessLogSettings {
  /** For example `/dev/stdout`. */
  readonly file: string;
  readonly encoding: "text" | "json";
  /** Empty: the built-in format of the encoding. */
  readonly format: string;
}
