/**
 * Protocol detection: listener filters that look at a client's first bytes.
 *
 * Clients that wait for the server to speak first are not served while a filter
 * waits for them, so detection runs on those ports alone that need it.
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
import { type Any, create, packAny } from "../../proto/mod.ts";

/** What Envoy calls connections without TLS. */
export const RAW_BUFFER = "raw_buffer";

/** The names by which the inspector reports HTTP without TLS. */
export function httpProtocols(http10: boolean): string[] {
  return [...(http10 ? ["http/1.0"] : []), "http/1.1", "h2c"];
}

/** Restores the address that a captured connection was meant for. */
export function originalDestination(): ListenerFilter {
  return filter("envoy.filters.listener.original_dst", packAny(OriginalDstSchema, {}));
}

/** The mark by which the rules of TPROXY capture know the proxy's own packets; see `mesh-iptables`. */
const TPROXY_MARK = 1337;

/** Goes on in the name of the client: the workload sees whom it deals with. */
export function originalSource(): ListenerFilter {
  return filter(
    "envoy.filters.listener.original_src",
    packAny(OriginalSrcSchema, { mark: TPROXY_MARK }),
  );
}

/** Takes the client's address from the header that a load balancer puts before the connection's bytes. */
export function proxyProtocol(): ListenerFilter {
  return filter("envoy.filters.listener.proxy_protocol", packAny(ProxyProtocolSchema, {}));
}

/** Tells TLS from other traffic and reads its server name. */
export function tlsInspector(disabled?: Predicate): ListenerFilter {
  return filter(
    "envoy.filters.listener.tls_inspector",
    packAny(TlsInspectorSchema, {}),
    disabled,
  );
}

/** Tells HTTP from other traffic; stands behind the TLS inspector, which rules TLS out. */
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

/** Holds for connections to any of these ports (not empty). */
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

/** Holds where another predicate does not. */
export function not(predicate: Predicate): Predicate {
  return create(ListenerFilterChainMatchPredicateSchema, {
    rule: { case: "notMatch", value: predicate },
  });
}
