/**
 * Sentences about fields that have no comment in the protos.
 *
 * @module
 */

const PROVIDER = "mesh.mesh.v1alpha1.MeshConfig.ExtensionProvider.";
const CONNECTIONS = "mesh.mesh.v1alpha1.ProxyConfig.ConnectionSettings.";

/** Fields that several messages of providers share. */
const SHARED: Readonly<Record<string, string>> = {
  service: "Host of the service, or `namespace/host`.",
  port: "Port of the service.",
  max_tag_length: "Maximum length of the path in a tag of a span.",
  access_token: "Token that is sent to the service.",
  log_name: "Name of the log, sent with the entries.",
  filter_state_objects_to_log: "Names of filter state objects that entries contain.",
};

/** Sentences by the full name of the field, for fields of their own message. */
const OWN: Readonly<Record<string, string>> = {
  [`${CONNECTIONS}listener_per_connection_buffer_limit_bytes`]:
    "Soft limit of the buffers of a connection at a listener, in bytes.",
  [`${CONNECTIONS}cluster_per_connection_buffer_limit_bytes`]:
    "Soft limit of the buffers of a connection to an endpoint, in bytes.",
  [`${CONNECTIONS}http_idle_timeout`]:
    "Time without requests after which an HTTP connection is closed.",
  [`${CONNECTIONS}http_max_connection_duration`]: "Longest duration of an HTTP connection.",
  [`${CONNECTIONS}http_drain_timeout`]:
    "Time between the announcement of the end of an HTTP connection and its close.",
  [`${CONNECTIONS}http_request_timeout`]: "Time limit for receiving a whole request.",
  [`${CONNECTIONS}http_request_headers_timeout`]:
    "Time limit for receiving the headers of a request.",
  [`${CONNECTIONS}http_stream_idle_timeout`]: "Time without bytes after which a request is ended.",
  [`${CONNECTIONS}http_max_stream_duration`]: "Longest duration of a request.",
  [`${CONNECTIONS}http_max_concurrent_streams`]:
    "Maximum number of concurrent requests of an HTTP/2 connection.",
  [`${CONNECTIONS}http2_initial_stream_window_size`]:
    "Initial flow-control window of an HTTP/2 stream, in bytes.",
  [`${CONNECTIONS}http2_initial_connection_window_size`]:
    "Initial flow-control window of an HTTP/2 connection, in bytes.",
  [`${CONNECTIONS}http_merge_slashes`]: "Replace adjacent slashes of paths by one.",
  [`${CONNECTIONS}listener_connection_limit`]: "Maximum number of connections of a listener.",
  [`${CONNECTIONS}global_downstream_connection_limit`]:
    "Maximum number of connections of clients of a proxy.",
  [`${PROVIDER}DataproxyFileAccessLogProvider.path`]: "The file, for example `/dev/stdout`.",
  [`${PROVIDER}DataproxyHttpGrpcV3LogProvider.additional_request_headers_to_log`]:
    "Request headers that entries contain.",
  [`${PROVIDER}DataproxyHttpGrpcV3LogProvider.additional_response_headers_to_log`]:
    "Response headers that entries contain.",
  [`${PROVIDER}DataproxyHttpGrpcV3LogProvider.additional_response_trailers_to_log`]:
    "Response trailers that entries contain.",
  [`${PROVIDER}HttpHeader.name`]: "Name of the header.",
  [`${PROVIDER}HttpHeader.value`]: "Value of the header.",
};

/** The sentence about a field without a comment; empty if there is none. */
export function sentenceAbout(message: string, field: string): string {
  const own = OWN[`${message}.${field}`];
  if (own !== undefined) return own;
  return message.startsWith(PROVIDER) ? SHARED[field] ?? "" : "";
}
