/**
 * Where proxies fetch dynamic resources.
 *
 * @module
 */
import {
  ApiVersion,
  type ConfigSource,
  ConfigSourceSchema,
} from "#envoy/config/core/v3/config_source_pb.ts";
import { create, durationOf } from "../../proto/mod.ts";

/**
 * The aggregated stream that the proxy has open anyway. A fetch never times
 * out: a listener or cluster that went on without its content would answer with
 * errors in place of waiting.
 */
export function adsSource(): ConfigSource {
  return create(ConfigSourceSchema, {
    configSourceSpecifier: { case: "ads", value: {} },
    initialFetchTimeout: durationOf(0),
    resourceApiVersion: ApiVersion.V3,
  });
}

/** How long a request waits for a cluster that was asked for because of it, ms; Envoy's own default. */
export const ON_DEMAND_MS = 5000;
