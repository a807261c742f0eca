/**
 * The table of analyzers.
 *
 * @module
 */
import type { TableKind } from "../schema/mod.ts";
import type { Analyzer } from "./analyzer.ts";
import { DESTINATION_HOST } from "./analyzers/destination_host.ts";
import { DESTINATION_SUBSET } from "./analyzers/destination_subset.ts";
import { ENTRY_PROTOCOLS } from "./analyzers/entry_protocols.ts";
import { GATEWAY_CONFLICTS } from "./analyzers/gateway_conflicts.ts";
import { SIDECAR_SELECTORS, TELEMETRY_SELECTORS } from "./analyzers/level_selectors.ts";
import { ACCESS_SELECTOR, POLICY_SELECTOR } from "./analyzers/policy_selectors.ts";
import { ROUTE_DELEGATE } from "./analyzers/route_delegate.ts";
import { ROUTE_GATEWAY } from "./analyzers/route_gateway.ts";
import { ROUTE_HOSTS } from "./analyzers/route_hosts.ts";
import { RULE_SUBSETS } from "./analyzers/rule_subsets.ts";

/** All analyzers, by name. */
export const ANALYZERS: readonly Analyzer[] = ([
  ACCESS_SELECTOR,
  DESTINATION_HOST,
  DESTINATION_SUBSET,
  ENTRY_PROTOCOLS,
  GATEWAY_CONFLICTS,
  POLICY_SELECTOR,
  ROUTE_DELEGATE,
  ROUTE_GATEWAY,
  ROUTE_HOSTS,
  RULE_SUBSETS,
  SIDECAR_SELECTORS,
  TELEMETRY_SELECTORS,
] as readonly unknown[] as readonly Analyzer[]).toSorted((a, b) => a.name < b.name ? -1 : 1);

/** Kinds with an analyzer, each with its analyzers. */
export const ANALYZERS_OF: ReadonlyMap<TableKind, readonly Analyzer[]> = new Map(
  [...new Set(ANALYZERS.flatMap(({ kinds }) => kinds))]
    .map((kind) => [kind, ANALYZERS.filter(({ kinds }) => kinds.includes(kind))]),
);
