/**
 * Cluster settings of the proxy configuration.
 *
 * @module
 */
import type { Cluster } from "#envoy/config/cluster/v3/cluster_pb.ts";
import {
  type HttpProtocolOptions,
  HttpProtocolOptionsSchema,
} from "#envoy/extensions/upstreams/http/v3/http_protocol_options_pb.ts";
import { create, fromBinary, packAny } from "../../../kit/proto/mod.ts";
import { keepingCase } from "../core/mod.ts";
import { HTTP_OPTIONS } from "./http_options.ts";

/** Writes the settings into a cluster; most proxy configurations have none. */
export function applySettings(
  cluster: Cluster,
  { keepCase, bufferBytes }: { readonly keepCase: boolean; readonly bufferBytes?: number },
): void {
  if (bufferBytes !== undefined) cluster.perConnectionBufferLimitBytes = bufferBytes;
  if (!keepCase) return;
  const packed = cluster.typedExtensionProtocolOptions[HTTP_OPTIONS];
  const options = packed === undefined
    ? create(HttpProtocolOptionsSchema, {
      upstreamProtocolOptions: {
        case: "explicitHttpConfig",
        value: { protocolConfig: { case: "httpProtocolOptions", value: {} } },
      },
    })
    : fromBinary(HttpProtocolOptionsSchema, packed.value);
  const http1 = http1Of(options);
  // HTTP/2 has only lower-case header names.
  if (http1 === undefined) return;
  http1.headerKeyFormat = keepingCase();
  cluster.typedExtensionProtocolOptions[HTTP_OPTIONS] = packAny(HttpProtocolOptionsSchema, options);
}

function http1Of({ upstreamProtocolOptions: chosen }: HttpProtocolOptions) {
  switch (chosen.case) {
    case "explicitHttpConfig": {
      const { protocolConfig } = chosen.value;
      return protocolConfig.case === "httpProtocolOptions" ? protocolConfig.value : undefined;
    }
    case "useDownstreamProtocolConfig":
      return chosen.value.httpProtocolOptions;
    default:
      return undefined;
  }
}
