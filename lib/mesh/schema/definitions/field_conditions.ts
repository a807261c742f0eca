/**
 * Conditions of single fields in definitions of custom resources: ranges, lengths, patterns.
 *
 * @module
 */

/** Conditions of a field's value; for lists and maps of its items, except those of the list itself. */
export interface FieldConditions {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  /** Most items of the list. It also bounds the cost of the rules of items. */
  readonly maxItems?: number;
  /** Fewest entries of the map, or fewest fields of the message. */
  readonly minProperties?: number;
  /** Name of the field that identifies an item: items are merged by it, and duplicates are refused. */
  readonly mapKey?: string;
}

/**
 * Bound of lists whose items have rules. The API server estimates the cost of a rule by the longest
 * list; without bounds the estimate exceeds its limit. Objects with so many items are larger than the
 * 1.5 MB that etcd stores.
 */
const LONG_LIST = 65_536;
/** Bound of lists whose items have lists of items with rules. */
const OUTER_LIST = 2_048;
/** Bound of lists within lists of {@link OUTER_LIST}. */
const INNER_LIST = 128;

/** Most targets of a policy. */
const MAX_TARGETS = 16;
const PORT: FieldConditions = { minimum: 1, maximum: 65_535 };
const PORT_OR_UNSET: FieldConditions = { minimum: 0, maximum: 65_535 };
const PERCENT: FieldConditions = { minimum: 0, maximum: 100 };
const STATUS: FieldConditions = { minimum: 200, maximum: 599 };
const COUNT: FieldConditions = { minimum: 0 };
const FILLED: FieldConditions = { minLength: 1 };
/** Longer texts are no protocols; the bound keeps the estimated cost of rules low. */
const PROTOCOL: FieldConditions = { maxLength: 32 };

/** Pattern of durations: those of Go, with an optional sign, and `0`. */
export const DURATION_PATTERN =
  "^[-+]?(0|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$";

const N = "mesh.networking.v1alpha3";
const S = "mesh.security.v1beta1";

function each(prefix: string, names: string, conditions: FieldConditions) {
  return Object.fromEntries(names.split(" ").map((name) => [`${prefix}.${name}`, conditions]));
}

/** Conditions by the full name of the field, with its name in the proto. */
export const FIELD_CONDITIONS: Readonly<Record<string, FieldConditions>> = {
  ...each(`${N}.VirtualService`, "http tls tcp", { maxItems: LONG_LIST }),
  ...each(`${N}.StringMatch`, "prefix regex", FILLED),
  ...each(`${N}.RegexRewrite`, "match rewrite", FILLED),
  ...each(`${N}.HTTPMatchRequest`, "port", PORT_OR_UNSET),
  ...each(`${N}.L4MatchAttributes`, "port", PORT_OR_UNSET),
  ...each(`${N}.TLSMatchAttributes`, "port", PORT_OR_UNSET),
  ...each(`${N}.PortSelector`, "number", PORT),
  ...each(`${N}.HTTPRedirect`, "port", PORT),
  ...each(`${N}.HTTPRedirect`, "scheme", { enum: ["", "http", "https"] }),
  ...each(`${N}.HTTPDirectResponse`, "status", STATUS),
  ...each(`${N}.HTTPRouteDestination`, "weight", COUNT),
  ...each(`${N}.RouteDestination`, "weight", COUNT),
  ...each(`${N}.HTTPRetry`, "attempts", COUNT),
  ...each(`${N}.HTTPRoute`, "mirror_percent", PERCENT),
  ...each(`${N}.HTTPFaultInjection.Delay`, "percent", PERCENT),
  ...each(`${N}.HTTPFaultInjection.Abort`, "http_status", STATUS),
  ...each(`${N}.Percent`, "value", PERCENT),
  ...each(`${N}.DestinationRule`, "subsets", { maxItems: OUTER_LIST, mapKey: "name" }),
  ...each(`${N}.TrafficPolicy`, "port_level_settings", { maxItems: INNER_LIST }),
  ...each(`${N}.TrafficPolicy.TunnelSettings`, "protocol", { enum: ["", "CONNECT", "POST"] }),
  ...each(`${N}.TrafficPolicy.TunnelSettings`, "target_port", PORT),
  ...each(`${N}.TrafficPolicy.RetryBudget`, "percent", PERCENT),
  ...each(`${N}.WarmupConfiguration`, "minimum_percent", PERCENT),
  ...each(`${N}.WarmupConfiguration`, "aggression", { minimum: 1 }),
  ...each(`${N}.ConnectionPoolSettings.TCPSettings`, "max_connections", COUNT),
  ...each(
    `${N}.ConnectionPoolSettings.HTTPSettings`,
    "http1_max_pending_requests http2_max_requests max_requests_per_connection max_retries " +
      "max_concurrent_streams",
    COUNT,
  ),
  ...each(`${N}.OutlierDetection`, "max_ejection_percent min_health_percent", PERCENT),
  ...each(`${N}.OutlierDetection`, "consecutive_errors", COUNT),
  ...each(`${N}.Gateway`, "servers", { maxItems: OUTER_LIST }),
  ...each(`${N}.Port`, "number", PORT_OR_UNSET),
  ...each(`${N}.Port`, "protocol", PROTOCOL),
  ...each(`${N}.Sidecar`, "ingress egress", { maxItems: OUTER_LIST }),
  ...each(`${N}.SidecarPort`, "number", PORT),
  ...each(`${N}.SidecarPort`, "protocol", PROTOCOL),
  ...each(`${N}.ServiceEntry`, "addresses", { maxItems: LONG_LIST, maxLength: 64 }),
  ...each(`${N}.ServiceEntry`, "ports", { mapKey: "name" }),
  ...each(`${N}.ServiceEntry`, "endpoints", { maxItems: LONG_LIST }),
  ...each(`${N}.ServicePort`, "number", PORT),
  ...each(`${N}.ServicePort`, "target_port", PORT_OR_UNSET),
  ...each(`${N}.ServicePort`, "protocol", PROTOCOL),
  ...each(`${N}.WorkloadEntry`, "ports", PORT),
  ...each(
    `${N}.ReadinessProbe`,
    "initial_delay_seconds timeout_seconds period_seconds success_threshold failure_threshold",
    COUNT,
  ),
  ...each(`${N}.HTTPHealthCheckConfig`, "path", { pattern: "^(/.*)?$" }),
  ...each(`${N}.HTTPHealthCheckConfig`, "scheme", { enum: ["", "HTTP", "HTTPS"] }),
  ...each(`${N}.HTTPHealthCheckConfig`, "port", PORT),
  ...each(`${N}.TCPHealthCheckConfig`, "port", PORT),
  ...each(`${N}.GrpcHealthCheckConfig`, "port", PORT),
  ...each(`${S}.AuthorizationPolicy`, "target_refs", { maxItems: MAX_TARGETS }),
  ...each(`${S}.RequestAuthentication`, "target_refs", { maxItems: MAX_TARGETS }),
  ...each(`${S}.RequestAuthentication`, "jwt_rules", { maxItems: OUTER_LIST }),
  ...each(`${S}.Rule.From`, "source", { minProperties: 1 }),
  ...each(`${S}.Rule.To`, "operation", { minProperties: 1 }),
  ...each(`${S}.PeerAuthentication`, "port_level_mtls", { minProperties: 1 }),
  ...each("mesh.telemetry.v1alpha1.Telemetry", "target_refs", { maxItems: MAX_TARGETS }),
  ...each("mesh.telemetry.v1alpha1.Tracing", "random_sampling_percentage", PERCENT),
  ...each("mesh.networking.v1beta1.ProxyConfig", "concurrency", COUNT),
  ...each("mesh.extensions.v1alpha1.WasmPlugin", "target_refs", { maxItems: MAX_TARGETS }),
  ...each("mesh.extensions.v1alpha1.WasmPlugin", "sha256", { pattern: "^([a-f0-9]{64})?$" }),
  ...each("mesh.extensions.v1alpha1.WasmPlugin", "plugin_name", { maxLength: 256 }),
  ...each("mesh.extensions.v1alpha1.WasmPlugin", "image_pull_secret", { maxLength: 253 }),
  ...each("mesh.extensions.v1alpha1.VmConfig", "env", { maxItems: 256 }),
  ...each("mesh.extensions.v1alpha1.EnvVar", "name", { maxLength: 256 }),
  ...each("mesh.extensions.v1alpha1.EnvVar", "value", { maxLength: 2048 }),
  ...each("mesh.type.v1beta1.PortSelector", "number", PORT),
};
