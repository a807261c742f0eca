/**
 * Collecting rules.
 *
 * @module
 */
import { isIpv4, parseCidr } from "../../kit/text/mod.ts";
import type { Chain, Family, Match, Table, Target } from "./rule.ts";
import type { CaptureSettings } from "./settings.ts";

/** Source address of connections that the proxy makes to its own workload, by IP version. */
export const PASSTHROUGH_ADDRESS: Readonly<Record<Family, string>> = {
  4: "127.0.0.6/32",
  6: "::6/128",
};

/** Collects the rules of one IP version. */
export interface RuleSink {
  readonly settings: CaptureSettings;
  readonly family: Family;
  /** Loopback range of this IP version. */
  readonly loopback: string;
  /** Appends a rule; `log` names the trace rule that goes before it. */
  add(position: RulePosition, matches: readonly Match[], target: Target, log?: string): void;
}

/** Position and purpose of a rule. */
export interface RulePosition {
  readonly table: Table;
  readonly chain: Chain;
  readonly insert?: number;
  readonly why: string;
}

/** The ranges of an IP version. */
export function rangesOf(ranges: readonly string[], family: Family): readonly string[] {
  return ranges.filter((range) => (parseCidr(range)?.family ?? 4) === family);
}

/** The addresses of an IP version as ranges of one address. */
export function hostsOf(addresses: readonly string[], family: Family): readonly string[] {
  return addresses
    .filter((address) => isIpv4(address) === (family === 4))
    .map((address) => `${address}/${family === 4 ? 32 : 128}`);
}
