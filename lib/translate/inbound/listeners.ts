/**
 * Listeners of the workload beside a proxy.
 *
 * @module
 */
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import { type VirtualHost, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { type Tell, within } from "../../derive/mod.ts";
import {
  type Guard,
  inboundClusterName,
  inboundRetries,
  inboundRoute,
  ingressListener,
  type ManagerDefaults,
  virtualInbound,
  virtualOutbound,
} from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import { create } from "../../proto/mod.ts";
import { type Context, type Flavour, flavourOf, knownProtocol } from "../context/mod.ts";
import { guardOf } from "../security/mod.ts";
import { clusterOutside, managerDefaults, outboundPolicy, telemetryKey } from "../settings/mod.ts";
import { httpProxyListeners } from "./http_proxy.ts";
import type { InboundPort } from "./ports.ts";

/** Ports that captured connections arrive at, unless the mesh configuration says otherwise. */
const OUTBOUND_PORT = 15001;

const INBOUND_PORT = 15006;

/** Names of the listeners that captured connections arrive at. */
export const VIRTUAL_OUTBOUND = "virtualOutbound";

export const VIRTUAL_INBOUND = "virtualInbound";

export function sidecarOf(read: Read, { mesh }: Context, cls: ProxyClass): string {
  return read.get(mesh.scopes.sidecar, { namespace: cls.namespace, labels: cls.labels });
}

function flavourFor(read: Read, context: Context, cls: ProxyClass): Flavour {
  return flavourOf(cls, telemetryKey(read, context, cls, sidecarOf(read, context, cls)));
}

/** Where nothing redirects traffic: a listener of its own for each port. */
export function inboundListeners(
  read: Read,
  context: Context,
  cls: ProxyClass,
  ports: readonly InboundPort[],
  tell?: Tell,
): Listener[] {
  const manager = managerDefaults(read, context, flavourFor(read, context, cls), tell);
  const guard = guardOf(read, context, cls, cls.options, tell);
  return [
    ...ports.map((port) => ownListener(read, context, cls, port, manager, guard)),
    ...httpProxyListeners(read, context, cls, manager),
  ];
}

/** Where traffic is redirected: the listeners it arrives at, and those of a Sidecar that open their own port. */
export function virtualListeners(
  read: Read,
  context: Context,
  cls: ProxyClass,
  ports: readonly InboundPort[],
  tell?: Tell,
): Listener[] {
  const { mesh } = context;
  const flavour = flavourFor(read, context, cls);
  const manager = managerDefaults(read, context, flavour, tell);
  const sidecar = sidecarOf(read, context, cls);
  const outside = outboundPolicy(read, context, sidecar, within(tell, VIRTUAL_OUTBOUND));
  const guard = guardOf(read, context, cls, cls.options, within(tell, VIRTUAL_INBOUND));
  const place = {
    bind: flavour.family === "v6" ? "::" : "0.0.0.0",
    transparent: cls.interception === "TPROXY",
    manager,
  };
  return [
    virtualOutbound({
      ...place,
      extraBinds: flavour.family === "dual"
        ? ["::"]
        : flavour.family === "v6" && context.features.ipv4Outbound
        ? ["0.0.0.0"]
        : undefined,
      exactBalance: isTrue(cls.options.OUTBOUND_LISTENER_EXACT_BALANCE),
      port: mesh.field(read, "proxyListenPort") || OUTBOUND_PORT,
      egressCluster: clusterOutside(outside),
    }),
    virtualInbound({
      ...place,
      extraBinds: flavour.family === "dual" ? ["::"] : undefined,
      exactBalance: isTrue(cls.options.INBOUND_LISTENER_EXACT_BALANCE),
      port: mesh.field(read, "proxyInboundListenPort") || INBOUND_PORT,
      guard,
      ports: ports.filter((p) => !p.bindToPort).map((p) => ({
        port: p.number,
        protocol: p.protocol,
        cluster: inboundClusterName(p.number),
        speaks: knownProtocol(context.features, p.protocol),
        virtualHost: inboundVirtualHost(read, context, p),
        tls: p.tls,
      })),
    }),
    ...ports.filter((p) => p.bindToPort).map((p) =>
      ownListener(read, context, cls, p, manager, guard)
    ),
    ...httpProxyListeners(read, context, cls, manager),
  ];
}

function ownListener(
  read: Read,
  context: Context,
  cls: ProxyClass,
  port: InboundPort,
  manager: ManagerDefaults,
  guard: Guard,
): Listener {
  const wildcard = cls.ipv4 || !cls.ipv6 ? "0.0.0.0" : "::";
  return ingressListener({
    bind: port.bind || cls.options.BIND_IP || wildcard,
    extraBinds: port.bind === "" ? cls.options.BIND_MORE_IPS?.split(",") : undefined,
    port: port.number,
    protocol: port.protocol,
    cluster: inboundClusterName(port.number),
    speaks: knownProtocol(context.features, port.protocol),
    virtualHost: inboundVirtualHost(read, context, port),
    tls: port.tls,
    exactBalance: isTrue(cls.options.INBOUND_LISTENER_EXACT_BALANCE),
    manager,
    guard,
  });
}

function isTrue(option: string | undefined): boolean {
  return option === "true" || option === "1";
}

/** Every request goes to the workload. */
function inboundVirtualHost(
  read: Read,
  { mesh, features }: Context,
  port: InboundPort,
): VirtualHost {
  const [service] = port.services;
  const host = service?.host ?? "*";
  return create(VirtualHostSchema, {
    name: `inbound|http|${port.number}`,
    domains: ["*"],
    routes: [
      inboundRoute(
        inboundClusterName(port.number),
        `${host}:${port.number}/*`,
        inboundRetries(mesh.field(read, "defaultInboundHttpRetryPolicy"), features.inboundRetry),
      ),
    ],
  });
}
