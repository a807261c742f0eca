/**
 * Selects the listener of a connection and runs its listener filters.
 *
 * @module
 */
import {
  type Address,
  SocketAddress_Protocol as SocketProtocol,
} from "#envoy/config/core/v3/address_pb.ts";
import { TrafficDirection } from "#envoy/config/core/v3/base_pb.ts";
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import type { ListenerFilterChainMatchPredicate } from "#envoy/config/listener/v3/listener_components_pb.ts";
import { isIpv4 } from "../../kit/text/mod.ts";
import { MAIN_INTERNAL } from "../../mesh/envoy/mod.ts";
import { type Journey, note } from "./journey.ts";
import { every, negated, some, type Ternary } from "./ternary.ts";

/** Properties of a connection before a filter chain is selected. */
export interface Seen {
  readonly transport: "tls" | "raw_buffer";
  readonly serverName: string;
  readonly protocols: readonly string[];
}

/**
 * Returns the listener of a connection: one that binds the address or, with capture, the one to
 * which the capturing listener passes it.
 */
export function findListener(journey: Journey): Listener | undefined {
  const { call: { direction, destination, tunnel }, resources } = journey;
  if (tunnel !== undefined) {
    const inside = resources.listeners.find(({ name }) => name === MAIN_INTERNAL);
    if (inside !== undefined) note(journey, "listener", MAIN_INTERNAL, "takes what tunnels carry");
    return inside;
  }
  const wanted = direction === "inbound" ? TrafficDirection.INBOUND : TrafficDirection.OUTBOUND;
  const all = resources.listeners.filter((one) => one.trafficDirection === wanted);
  const bound = all.filter((one) => one.bindToPort !== false);
  const chosen = (one: Listener, why: string): Listener => {
    note(journey, "listener", one.name, why);
    return one;
  };
  const at = `${destination.ip}:${destination.port}`;
  const own = bound.find((one) => binds(one, destination.ip, destination.port));
  if (own !== undefined) return chosen(own, `binds ${at}`);
  const capturing = all.find((one) => one.useOriginalDst === true);
  if (capturing !== undefined) {
    const exact = all.find((one) => binds(one, destination.ip, destination.port));
    if (exact !== undefined) return chosen(exact, `is for ${at}, handed over by ${capturing.name}`);
    const any = all.find((one) => one !== capturing && bindsAny(one, destination));
    if (any !== undefined) {
      return chosen(any, `is for port ${destination.port}, handed over by ${capturing.name}`);
    }
    return chosen(capturing, `captures what no other listener is for: ${at}`);
  }
  const any = bound.find((one) => bindsAny(one, destination));
  if (any !== undefined) return chosen(any, `binds port ${destination.port} of any address`);
  const inbound = bound.find(restoresDestination);
  return inbound && chosen(inbound, `captures what comes to the workload: ${at}`);
}

const ORIGINAL_DST = "envoy.filters.listener.original_dst";

/** Reports if a listener uses the original destination of redirected connections. */
function restoresDestination({ listenerFilters }: Listener): boolean {
  return listenerFilters.some(({ name }) => name === ORIGINAL_DST);
}

function addressesOf(listener: Listener): (Address | undefined)[] {
  return [listener.address, ...listener.additionalAddresses.map(({ address }) => address)];
}

function binds(listener: Listener, ip: string, port: number): boolean {
  return addressesOf(listener).some((one) =>
    one?.address.case === "socketAddress" && one.address.value.address === ip &&
    one.address.value.protocol === SocketProtocol.TCP &&
    one.address.value.portSpecifier.value === port
  );
}

function bindsAny(
  listener: Listener,
  { ip, port }: { readonly ip: string; readonly port: number },
): boolean {
  return binds(listener, isIpv4(ip) ? "0.0.0.0" : "::", port);
}

const TLS_INSPECTOR = "envoy.filters.listener.tls_inspector";
const HTTP_INSPECTOR = "envoy.filters.listener.http_inspector";
const MODELLED: ReadonlySet<string> = new Set([ORIGINAL_DST, TLS_INSPECTOR, HTTP_INSPECTOR]);

/** Returns what the listener filters detect. */
export function inspect(listener: Listener, journey: Journey): Seen {
  const { call: { destination, tls, http }, unmodelled } = journey;
  const acts = (name: string): boolean =>
    listener.listenerFilters.some((one) => {
      if (one.name !== name) return false;
      const off = one.filterDisabled === undefined
        ? false
        : holds(one.filterDisabled, destination.port);
      if (off === undefined) unmodelled.add(`when ${name} acts`);
      return off !== true;
    });
  for (const { name } of listener.listenerFilters) {
    if (!MODELLED.has(name)) unmodelled.add(`listener filter ${name}`);
  }
  if (tls !== undefined && acts(TLS_INSPECTOR)) {
    return {
      transport: "tls",
      serverName: (tls.serverName ?? "").toLowerCase(),
      protocols: tls.alpn ?? [],
    };
  }
  const found = tls === undefined && http !== undefined && acts(HTTP_INSPECTOR);
  const version = http?.version ?? "1.1";
  return {
    transport: "raw_buffer",
    serverName: "",
    protocols: found ? [version === "2" ? "h2c" : `http/${version}`] : [],
  };
}

function holds({ rule }: ListenerFilterChainMatchPredicate, port: number): Ternary {
  switch (rule.case) {
    case "anyMatch":
      return rule.value;
    case "notMatch":
      return negated(holds(rule.value, port));
    case "orMatch":
      return some(rule.value.rules, (one) => holds(one, port));
    case "andMatch":
      return every(rule.value.rules, (one) => holds(one, port));
    case "destinationPortRange":
      return port >= rule.value.start && port < rule.value.end;
    default:
      return undefined;
  }
}
