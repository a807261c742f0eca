/**
 * DNS rebinding: a page in the user's browser makes its own name resolve to a loopback address,
 * and then reads what listens there as if it were its own site. The name that the request carries
 * gives the attack away.
 *
 * @module
 */
import { isLoopback } from "./address.ts";

/** The host of a `Host` header, without port and brackets; empty when it is malformed. */
export function hostOf(header: string): string {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([^:\/?#\[\]\s@]+))(?::\d{1,5})?$/i
    .exec(header) ?? [];
  return bracketed ?? plain ?? "";
}

/** True for the value of a `Host` header that names this machine. */
export function isLocalHost(header: string | null): boolean {
  return isLoopback(hostOf(header ?? ""));
}
