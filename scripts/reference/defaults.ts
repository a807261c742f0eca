/**
 * Values that the code of Mesh uses for absent fields of the kinds.
 *
 * `defaults_test.ts` proves each of them: an object with the value gives the same resources as one
 * without the field. Defaults of the proxy are not listed; the sentences of the fields name them.
 *
 * @module
 */
import type { DescField, DescMessage } from "../../lib/kit/proto/mod.ts";
import { KINDS } from "../../lib/mesh/schema/mod.ts";
import { messageOf } from "./effect.ts";
import type { Defaults } from "./page.ts";

/** Values by kind and path; `[]` is an item of a list. */
export const DEFAULT_VALUES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  DestinationRule: {
    "exportTo": ["*"],
    "trafficPolicy.loadBalancer.simple": "LEAST_REQUEST",
    "trafficPolicy.loadBalancer.consistentHash.ringHash.minimumRingSize": "1024",
    "trafficPolicy.loadBalancer.localityLbSetting.enabled": true,
    "trafficPolicy.connectionPool.tcp.connectTimeout": "10s",
    "trafficPolicy.outlierDetection.minHealthPercent": 0,
    "trafficPolicy.tls.insecureSkipVerify": false,
    "trafficPolicy.tunnel.protocol": "CONNECT",
    "trafficPolicy.retryBudget.percent": 20,
  },
  PeerAuthentication: { "mtls.mode": "PERMISSIVE" },
  RequestAuthentication: { "jwtRules[].timeout": "5s" },
  ServiceEntry: { "exportTo": ["*"], "endpoints[].weight": 1 },
  Sidecar: { "outboundTrafficPolicy": { mode: "ALLOW_ANY" } },
  Telemetry: {
    "tracing[].randomSamplingPercentage": 1,
    "tracing[].disableSpanReporting": false,
    "tracing[].enableMeshTags": true,
    "metrics[].overrides[].disabled": false,
    "accessLogging[].disabled": false,
  },
  VirtualService: {
    "exportTo": ["*"],
    "gateways": ["mesh"],
    "http[].retries": { attempts: 2 },
    "http[].retries.retryOn":
      "connect-failure,refused-stream,unavailable,cancelled,retriable-status-codes",
    "http[].retries.retryRemoteLocalities": false,
    "http[].retries.retryIgnorePreviousHosts": true,
    "http[].redirect.redirectCode": 301,
  },
  WasmPlugin: { "priority": 0, "type": "HTTP" },
};

/** The values by message and field. */
export function defaultsOfKinds(): Defaults {
  const found: Record<string, Record<string, unknown>> = {};
  for (const [kind, values] of Object.entries(DEFAULT_VALUES)) {
    const { schema } = KINDS.find((one) => one.kind === kind)!;
    for (const [path, value] of Object.entries(values)) {
      const { parent, jsonName } = fieldAt(schema, path.replaceAll("[]", "").split("."));
      (found[parent.typeName] ??= {})[jsonName] = value;
    }
  }
  return found;
}

function fieldAt(schema: DescMessage, [name, ...rest]: readonly string[]): DescField {
  const field = schema.fields.find((one) => one.jsonName === name);
  const below = field && messageOf(field);
  if (field === undefined || (rest.length > 0 && below === undefined)) {
    throw new Error(`${schema.typeName} has no field ${[name, ...rest].join(".")}`);
  }
  return rest.length === 0 ? field : fieldAt(below!, rest);
}
