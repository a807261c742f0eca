/**
 * The proxies that have tunnels (HBONE).
 *
 * @module
 */
import { parseBoolean } from "../../../kit/base/mod.ts";
import { secretNames } from "../../envoy/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import type { SharedFeatures } from "./context.ts";

/** Node metadata by which a sidecar accepts tunnels. */
export const LISTENS_OPTION = "ENABLE_HBONE";

/** Node metadata by which a proxy sends through no tunnels. */
export const NOT_SENDING_OPTION = "DISABLE_HBONE_SEND";

/** Option of a waypoint behind a node proxy: the port at which it takes what that has taken out of tunnels. */
export const BEHIND_OPTION = "BEHIND_NODE_PROXY";

/** The port at which a waypoint takes connections of the node proxy in front of it; undefined: it takes tunnels. */
export function behindNodeProxy({ role, options }: Asking): number | undefined {
  const port = options[BEHIND_OPTION];
  return role === "waypoint" && port !== undefined ? Number(port) : undefined;
}

type Asking = Pick<ProxyClass, "role" | "options">;

/** Reports if a proxy sends through tunnels: it needs a certificate. */
export function sendsTunnels({ tunnels }: SharedFeatures, { role, options }: Asking): boolean {
  if (secretNames({ options }).client === undefined || options.GENERATOR !== undefined) {
    return false;
  }
  // What a waypoint behind a node proxy sends goes through the tunnels of that.
  if (role === "waypoint") return tunnels !== undefined && options[BEHIND_OPTION] === undefined;
  return tunnels?.sending === true && parseBoolean(options[NOT_SENDING_OPTION] ?? "") !== true;
}

/** Reports if a proxy sends through tunnels to other networks. */
export function sendsAcross(features: SharedFeatures, cls: Asking): boolean {
  const { networks } = features;
  if (networks === undefined || !sendsTunnels(features, cls)) return false;
  return cls.role === "sidecar" ||
    (cls.role === "waypoint" ? networks.waypoints : networks.gateways);
}

/** Reports if a sidecar accepts tunnels of other networks, which have the host of a service as authority. */
export function endsInner(features: SharedFeatures, cls: Asking): boolean {
  return features.networks !== undefined && cls.role === "sidecar" &&
    listensForTunnels(features, cls);
}

/** Reports if a proxy accepts tunnels: a waypoint, or a sidecar that asks for it. It needs a certificate. */
export function listensForTunnels({ tunnels }: SharedFeatures, { role, options }: Asking): boolean {
  if (secretNames({ options }).server === undefined || options.GENERATOR !== undefined) {
    return false;
  }
  if (role === "waypoint") return tunnels !== undefined;
  return tunnels?.listening === true && role === "sidecar" &&
    parseBoolean(options[LISTENS_OPTION] ?? "") === true;
}
