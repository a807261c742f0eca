/**
 * DNS rebinding: a page in the user's browser makes its own name resolve to a loopback address,
 * and then reads what listens there as if it were its own site. What gives it away is the name in
 * the `Host` header.
 *
 * @module
 */
import { isLoopback } from "./address.ts";

/** The host of a `Host` header, without port and brackets; empty when it is malformed. */
export function hostOf(header: string): string {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([^:\/\[\]\s@]+))(?::\d{1,5})?$/i
    .exec(header) ?? [];
  return bracketed ?? plain ?? "";
}

/** True when a request to a loopback listener may be answered: its host is this machine's. */
export function isLocalHost(header: string | null): boolean {
  return isLoopback(hostOf(header ?? ""));
}
