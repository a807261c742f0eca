/**
 * Addresses of ServiceEntries.
 *
 * @module
 */
import { protocolOf } from "../../derive/mod.ts";
import type { Analyzer } from "../analyzer.ts";

/** A TCP port without address: all connections to the port are taken for the host. */
export const ENTRY_ADDRESSES: Analyzer<"ServiceEntry"> = {
  name: "serviceentry.Analyzer",
  kinds: ["ServiceEntry"],
  codes: ["MSH0134"],
  *analyze(_context, { spec }) {
    if (spec.addresses.length > 0) return;
    for (const [at, { protocol }] of spec.ports.entries()) {
      if (protocol !== "" && protocolOf(protocol) !== "TCP") continue;
      yield { code: "MSH0134", args: [], path: `spec.ports[${at}].protocol` };
    }
  },
};
