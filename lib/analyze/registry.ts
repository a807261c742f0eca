/**
 * The table of analyzers.
 *
 * @module
 */
import type { TableKind } from "../schema/mod.ts";
import type { Analyzer } from "./analyzer.ts";
import {
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
} from "./analyzers/mod.ts";

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
