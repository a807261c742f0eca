/**
 * Reports of the proxy's state as messages of the proxy's streams. A daemon that does not know them
 * takes them for a subscription to an unknown type and answers with an empty response. That stream
 * then carries no more of them.
 *
 * @module
 */
import { encode, fromBinary } from "../../../kit/proto/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { PROXY_STATE_TYPE_URL, type ProxyState, proxyStateText } from "../../../mesh/model/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import type { Node } from "#envoy/config/core/v3/base_pb.ts";
import { hasTypeUrl } from "../intercept.ts";
import type { StreamReports } from "../reports.ts";

const TYPE = new TextEncoder().encode(PROXY_STATE_TYPE_URL);

const log = scope("xdsproxy");

/** A report as a delta request. `node` is only for a stream without a request before. */
export function reportMessage(state: ProxyState, node?: Node): Uint8Array {
  return encode(DeltaDiscoveryRequestSchema, { node, ...contentOf(state) });
}

function contentOf(state: ProxyState) {
  return { typeUrl: PROXY_STATE_TYPE_URL, errorDetail: { message: proxyStateText(state) } };
}

/** The reports on one stream of a method. */
export function reportsOn(
  path: string,
  state: () => ProxyState | undefined,
  onChange: StreamReports["onChange"],
): StreamReports {
  const isDelta = path.includes("Delta");
  let isKnown = true;
  return {
    message() {
      const now = isKnown ? state() : undefined;
      if (now === undefined) return undefined;
      return isDelta ? reportMessage(now) : encode(DiscoveryRequestSchema, contentOf(now));
    },
    onChange,
    take(response) {
      if (!hasTypeUrl(response, TYPE)) return undefined;
      if (isKnown) log.info("the daemon does not take reports of the proxy's state; it is older");
      isKnown = false;
      // Both variants have the nonce in the same field.
      const { nonce } = fromBinary(DiscoveryResponseSchema, response);
      return isDelta
        ? encode(DeltaDiscoveryRequestSchema, {
          typeUrl: PROXY_STATE_TYPE_URL,
          responseNonce: nonce,
        })
        : encode(DiscoveryRequestSchema, {
          typeUrl: PROXY_STATE_TYPE_URL,
          responseNonce: nonce,
        });
    },
  };
}
