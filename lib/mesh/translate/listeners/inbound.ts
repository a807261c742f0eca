/**
 * Listeners of the local workload.
 *
 * @module
 */
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import { type VirtualHost, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { parseBoolean } from "../../../kit/base/mod.ts";
import {
  DRAIN_OPTION,
  inboundClusterName,
  inboundHostName,
  type InboundPort as BuiltPort,
  inboundRetries,
  inboundRoute,
  ingressListener,
  type ManagerDefaults,
  type SecurityPolicies,
  virtualInbound,
  virtualOutbound,
} from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { carriesGrpc, type ProxyClass } from "../../model/mod.ts";
import { create } from "../../../kit/proto/mod.ts";
import { knownProtocol, type ListenerVariant, sidecarOf, variantOf } from "../context/mod.ts";
import type { Context } from "./features.ts";
import { securityOf } from "../security/mod.ts";
import { clusterOfPolicy, outboundPolicy } from "../destinations/mod.ts";
import { managerDefaults } from "./defaults.ts";
import { telemetryKey } from "../telemetry/mod.ts";
import { httpProxyListeners } from "./http_proxy.ts";
import type { InboundPort } from "../clusters/mod.ts";
import { originateListeners, terminateListeners } from "./tunnels.ts";

/** Default ports of redirected connections. */
const OUTBOUND_PORT = 15001;

const INBOUND_PORT = 15006;

/** Names of the listeners of redirected connections. */
export const VIRTUAL_OUTBOUND = "virtualOutbound";

export const VIRTUAL_INBOUND = "virtualInbound";

function listenerVariantOf(read: Read, context: Context, cls: ProxyClass): ListenerVariant {
  return variantOf(cls, telemetryKey(read, context, cls, sidecarOf(read, context, cls)));
}

/** Common input of the listeners of a class. */
interface PortListeners {
  readonly cls: ProxyClass;
  readonly manager: ManagerDefaults;
  readonly security: SecurityPolicies;
}

/** The defaults of a class: its agent may let the proxy outlive the workload. */
function inboundDefaults(manager: ManagerDefaults, cls: ProxyClass): ManagerDefaults {
  return cls.options[DRAIN_OPTION] === "true" ? { ...manager, outlives: true } : manager;
}

/** The listeners of a class without redirected traffic: one for each port. */
export function inboundListeners(
  read: Read,
  context: Context,
  cls: ProxyClass,
  ports: readonly InboundPort[],
): Listener[] {
  const variant = listenerVariantOf(read, context, cls);
  const manager = inboundDefaults(managerDefaults(read, context, variant), cls);
  const security = securityOf(read, context, cls, { options: cls.options });
  return [
    ...ports.map((port) => portListener(read, context, port, { cls, manager, security })),
    ...httpProxyListeners(read, context, cls, manager),
    ...originateListeners(read, context, cls, manager),
    ...terminateListeners(read, context, {
      cls,
      variant,
      manager,
      ports: ports.map((port) => inboundPort(read, context, port)),
      closed: [],
    }),
  ];
}

/**
 * The listeners of a class with redirected traffic: those of redirected connections, and those of a
 * Sidecar's ports with a listener of their own.
 */
export function virtualListeners(
  read: Read,
  context: Context,
  cls: ProxyClass,
  ports: readonly InboundPort[],
): Listener[] {
  const { mesh } = context;
  const variant = listenerVariantOf(read, context, cls);
  const manager = inboundDefaults(managerDefaults(read, context, variant), cls);
  const sidecar = sidecarOf(read, context, cls);
  const policy = outboundPolicy(read.within(VIRTUAL_OUTBOUND), context, sidecar);
  const security = securityOf(read.within(VIRTUAL_INBOUND), context, cls, { options: cls.options });
  const outboundPort = mesh.field(read, "proxyListenPort") || OUTBOUND_PORT;
  const capturedPort = mesh.field(read, "proxyInboundListenPort") || INBOUND_PORT;
  const common = {
    bind: variant.family === "v6" ? "::" : "0.0.0.0",
    transparent: cls.interception === "TPROXY",
    manager,
  };
  return [
    virtualOutbound({
      ...common,
      extraBinds: variant.family === "dual"
        ? ["::"]
        : variant.family === "v6" && context.features.ipv4Outbound
        ? ["0.0.0.0"]
        : undefined,
      exactBalance: parseBoolean(cls.options.OUTBOUND_LISTENER_EXACT_BALANCE ?? "") === true,
      port: outboundPort,
      egressCluster: clusterOfPolicy(policy),
    }),
    virtualInbound({
      ...common,
      extraBinds: variant.family === "dual" ? ["::"] : undefined,
      exactBalance: parseBoolean(cls.options.INBOUND_LISTENER_EXACT_BALANCE ?? "") === true,
      port: capturedPort,
      security,
      detectsUndeclared: read.get(mesh.patches.inboundHttp, cls),
      parts: read,
      ports: ports.filter((p) => !p.bindToPort).map((p) => inboundPort(read, context, p)),
    }),
    ...ports.filter((p) => p.bindToPort).map((p) =>
      portListener(read, context, p, { cls, manager, security })
    ),
    ...httpProxyListeners(read, context, cls, manager),
    ...originateListeners(read, context, cls, manager),
    ...terminateListeners(read, context, {
      cls,
      variant,
      manager,
      ports: ports.map((port) => inboundPort(read, context, port)),
      closed: [outboundPort, capturedPort],
    }),
  ];
}

/** A port of the workload, as builders of listeners take it. */
function inboundPort(read: Read, context: Context, port: InboundPort): BuiltPort {
  return {
    port: port.number,
    protocol: port.protocol,
    cluster: inboundClusterName(port.number),
    speaks: knownProtocol(context.features, port.protocol),
    virtualHost: inboundVirtualHost(read, context, port),
    tls: port.tls,
  };
}

function portListener(
  read: Read,
  context: Context,
  port: InboundPort,
  { cls, manager, security }: PortListeners,
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
    exactBalance: parseBoolean(cls.options.INBOUND_LISTENER_EXACT_BALANCE ?? "") === true,
    manager,
    security,
  });
}

/**
 * The virtual host of a port: every request goes to the workload. Calls of gRPC are not retried: they
 * may be streams, and their clients retry as their own policies say.
 */
function inboundVirtualHost(
  read: Read,
  { mesh, features }: Context,
  port: InboundPort,
): VirtualHost {
  const [service] = port.services;
  const host = service?.host ?? "*";
  return create(VirtualHostSchema, {
    name: inboundHostName(port.number),
    domains: ["*"],
    routes: [
      inboundRoute(
        inboundClusterName(port.number),
        `${host}:${port.number}/*`,
        carriesGrpc(port.protocol) ? undefined : inboundRetries(
          mesh.field(read, "defaultInboundHttpRetryPolicy"),
          features.inboundRetry,
        ),
      ),
    ],
  });
}
