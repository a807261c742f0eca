/**
 * Follows a call through a proxy: listener, TLS, filter chain, filters.
 *
 * @module
 */
import type { Call } from "./call.ts";
import { findChain } from "./chain.ts";
import { accept } from "./connection.ts";
import { closed, type Journey } from "./journey.ts";
import { findListener, inspect } from "./listener.ts";
import { passChain } from "./network.ts";
import type { Resources } from "./resources.ts";
import { bothSides } from "./sides.ts";
import { forwardTunnel } from "./tunnel.ts";
import type { Ending, Verdict } from "./verdict.ts";

/** Follows a call through resources. */
export function follow(resources: Resources, call: Call): Verdict {
  const journey: Journey = { call, resources, steps: [], unmodelled: new Set() };
  const endings = endingsOf(journey);
  return { steps: journey.steps, endings, unmodelled: [...journey.unmodelled] };
}

function endingsOf(journey: Journey): Ending[] {
  const { destination: { ip, port }, tunnel } = journey.call;
  if (tunnel?.authority !== undefined) return forwardTunnel(journey, tunnel.authority);
  const listener = findListener(journey);
  if (listener === undefined) {
    const why = journey.call.tunnel === undefined
      ? `nothing listens for ${ip}:${port}`
      : "it accepts no tunnels";
    return closed("the node", why);
  }
  const seen = inspect(listener, journey);
  const chain = findChain(listener, seen, journey);
  if (chain === undefined) {
    const why = `no filter chain is for it: ${bothSides(listener, journey.call)}`;
    return closed(`listener ${listener.name}`, why);
  }
  const connection = accept(chain, seen, journey);
  if (typeof connection === "string") return closed(`listener ${listener.name}`, connection);
  if (Array.isArray(connection)) return connection;
  return passChain(journey, chain, connection);
}
