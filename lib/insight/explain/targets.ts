/**
 * Endpoints of a cluster: those that are used, and their addresses.
 *
 * @module
 */
import type { Target } from "../simulate/mod.ts";

/** Envoy's overprovisioning factor: a priority with this part of healthy endpoints takes all calls. */
const OVERPROVISIONED = 1.4;

/** Returns the endpoints that are used, by priority and health. */
export function usedTargets(targets: readonly Target[]): readonly Target[] {
  const used: Target[] = [];
  const priorities = [...new Set(targets.map(({ priority }) => priority))].sort((a, b) => a - b);
  let capacity = 0;
  for (const priority of priorities) {
    const own = targets.filter((one) => one.priority === priority);
    const healthy = own.filter((one) => one.healthy);
    used.push(...healthy);
    capacity += OVERPROVISIONED * healthy.length / own.length;
    if (capacity >= 1) break;
  }
  return used.length === 0 ? targets : used;
}

/** The address and port of an endpoint. */
export function addressOf(
  { address }: Pick<Target, "address">,
): { readonly ip: string; readonly port: number } {
  const colon = address.lastIndexOf(":");
  const ip = address.slice(0, Math.max(0, colon)).replace(/^\[|\]$/g, "");
  return { ip, port: Number(address.slice(colon + 1)) };
}
