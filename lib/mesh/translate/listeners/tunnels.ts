/**
 * Listeners of tunnels (HBONE).
 *
 * @module
 */
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import {
  acrossOriginate,
  connectOriginate,
  connectTerminate,
  type InboundPort,
  mainInternal,
  type ManagerDefaults,
  secretNames,
  TUNNEL_PORT,
} from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import { durationMs } from "../../../kit/proto/mod.ts";
import {
  endsInner,
  type ListenerVariant,
  listensForTunnels,
  sendsAcross,
  sendsTunnels,
  wildcard,
} from "../context/mod.ts";
import { securityOf, tunnelServer } from "../security/mod.ts";
import type { Context } from "./features.ts";

/** Time after which an idle tunnel is closed, ms; `undefined`: the proxy's default. */
export function tunnelIdleMs(read: Read, { mesh }: Context): number | undefined {
  const timeout = mesh.field(read, "hboneIdleTimeout");
  return timeout === undefined ? undefined : durationMs(timeout);
}

/** The listeners that open tunnels, for proxies that send through them. */
export function originateListeners(
  read: Read,
  context: Context,
  cls: ProxyClass,
  manager: ManagerDefaults,
): Listener[] {
  if (!sendsTunnels(context.features, cls)) return [];
  const input = { manager, idleTimeoutMs: tunnelIdleMs(read, context) };
  return [
    connectOriginate(input),
    ...sendsAcross(context.features, cls) ? acrossOriginate(input) : [],
  ];
}

/** Input of the listeners at which tunnels to a workload end. */
export interface EndedTunnels {
  readonly cls: ProxyClass;
  readonly variant: ListenerVariant;
  readonly manager: ManagerDefaults;
  readonly ports: readonly InboundPort[];
  /** Ports of redirected traffic. */
  readonly closed: readonly number[];
}

/** The listeners at which tunnels to a workload end, for sidecars that accept them. */
export function terminateListeners(
  read: Read,
  context: Context,
  { cls, variant, manager, ports, closed }: EndedTunnels,
): Listener[] {
  const names = secretNames(cls).server;
  if (names === undefined || !listensForTunnels(context.features, cls)) return [];
  const bound = cls.interception === "NONE";
  const all = wildcard({ family: variant.family, bound: false });
  const security = securityOf(read, context, cls, { options: cls.options, tunnelled: true });
  return [
    connectTerminate({
      bind: bound ? cls.options.BIND_IP || all.bind : all.bind,
      extraBinds: bound ? cls.options.BIND_MORE_IPS?.split(",") : all.extraBinds,
      port: TUNNEL_PORT,
      manager,
      tls: tunnelServer(read, context, names),
      idleTimeoutMs: tunnelIdleMs(read, context),
      ...(endsInner(context.features, cls) ? { routes: "on demand" as const } : {}),
    }),
    mainInternal({
      ports,
      manager,
      security,
      transparent: cls.interception === "TPROXY",
      declaredOnly: bound,
      closed: [...closed, TUNNEL_PORT],
      detectsUndeclared: read.get(context.mesh.patches.inboundHttp, cls),
      parts: read,
    }),
  ];
}
