/**
 * Protocol detection: listener filters that read a client's first bytes.
 *
 * While such a filter waits, connections on which the server speaks first are delayed. Detection is
 * therefore enabled only on ports that need it.
 *
 * @module
 */
import {
  type ListenerFilter,
  type ListenerFilterChainMatchPredicate as Predicate,
  ListenerFilterChainMatchPredicateSchema,
  ListenerFilterSchema,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import { HttpInspectorSchema } from "#envoy/extensions/filters/listener/http_inspector/v3/http_inspector_pb.ts";
import { OriginalDstSchema } from "#envoy/extensions/filters/listener/original_dst/v3/original_dst_pb.ts";
import { OriginalSrcSchema } from "#envoy/extensions/filters/listener/original_src/v3/original_src_pb.ts";
import { ProxyProtocolSchema } from "#envoy/extensions/filters/listener/proxy_protocol/v3/proxy_protocol_pb.ts";
import { TlsInspectorSchema } from "#envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector_pb.ts";
import { type Any, create, packAny } from "../../../kit/proto/mod.ts";

/** Envoy's transport protocol of connections without TLS. */
export const RAW_BUFFER = "raw_buffer";

/** Application protocols that the inspector reports for HTTP without TLS. */
export function httpProtocols(http10: boolean): string[] {
  return [...(http10 ? ["http/1.0"] : []), "http/1.1", "h2c"];
}

/** Restores the original destination of a captured connection. */
export function originalDestination(): ListenerFilter {
  return filter("envoy.filters.listener.original_dst", packAny(OriginalDstSchema, {}));
}

/** Mark of the proxy's own packets in TPROXY capture; see `mesh-iptables`. */
const TPROXY_MARK = 1337;

/** Keeps the client's source address, so that the workload sees it. */
export function originalSource(): ListenerFilter {
  return filter(
    "envoy.filters.listener.original_src",
    packAny(OriginalSrcSchema, { mark: TPROXY_MARK }),
  );
}

/** Reads the client's address from the PROXY protocol header of a load balancer. */
export function proxyProtocol(): ListenerFilter {
  return filter("envoy.filters.listener.proxy_protocol", packAny(ProxyProtocolSchema, {}));
}

/** The same, and keeps a value of the header, of one type, in metadata of the connection. */
export function proxyProtocolWith(tlvType: number, key: string): ListenerFilter {
  return filter(
    "envoy.filters.listener.proxy_protocol",
    packAny(ProxyProtocolSchema, { rules: [{ tlvType, onTlvPresent: { key } }] }),
  );
}

/** Detects TLS and reads its server name. */
export function tlsInspector(disabled?: Predicate): ListenerFilter {
  return filter(
    "envoy.filters.listener.tls_inspector",
    packAny(TlsInspectorSchema, {}),
    disabled,
  );
}

/** Detects HTTP. It follows the TLS inspector, which excludes TLS. */
export function httpInspector(disabled?: Predicate): ListenerFilter {
  return filter(
    "envoy.filters.listener.http_inspector",
    packAny(HttpInspectorSchema, {}),
    disabled,
  );
}

function filter(name: string, config: Any, filterDisabled?: Predicate): ListenerFilter {
  return create(ListenerFilterSchema, {
    name,
    configType: { case: "typedConfig", value: config },
    filterDisabled,
  });
}

/** Matches connections to any of these ports (not empty). */
export function portIn(ports: readonly number[]): Predicate {
  const rules = ports.map((port) =>
    create(ListenerFilterChainMatchPredicateSchema, {
      rule: { case: "destinationPortRange", value: { start: port, end: port + 1 } },
    })
  );
  const [first] = rules;
  if (rules.length === 1 && first !== undefined) return first;
  return create(ListenerFilterChainMatchPredicateSchema, {
    rule: { case: "orMatch", value: { rules } },
  });
}

/** Negates a predicate. */
export function not(predicate: Predicate): Predicate {
  return create(ListenerFilterChainMatchPredicateSchema, {
    rule: { case: "notMatch", value: predicate },
  });
}
