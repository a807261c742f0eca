/**
 * The table of analyzers.
 *
 * @module
 */
import type { TableKind } from "../../mesh/schema/mod.ts";
import type { Analyzer } from "./analyzer.ts";
import type { DocumentAnalyzer } from "./document_set.ts";
import * as documents from "./documents/mod.ts";
import {
  ACCESS_SELECTOR,
  API_BACKENDS,
  API_GATEWAYS,
  API_LISTENER_SETS,
  API_ROUTES,
  DEPRECATED_FIELDS,
  DEPRECATED_PROVIDERS,
  DESTINATION_HOST,
  DESTINATION_SUBSET,
  EGRESS_PORTS,
  ENTRY_ADDRESSES,
  ENTRY_PROTOCOLS,
  GATEWAY_CERTIFICATES,
  GATEWAY_CONFLICTS,
  GATEWAY_WORKLOADS,
  INGRESS_SUBSETS,
  PATCH_OPERATIONS,
  POLICY_SELECTOR,
  PRINCIPALS,
  ROUTE_DELEGATE,
  ROUTE_GATEWAY,
  ROUTE_HOSTS,
  RULE_CERTIFICATES,
  RULE_SUBSETS,
  SIDECAR_SELECTORS,
  TELEMETRY_PROVIDERS,
  TELEMETRY_SELECTORS,
  TLS_CONFLICTS,
  UNREACHABLE_RULES,
} from "./analyzers/mod.ts";

/** All analyzers, by name. */
export const ANALYZERS: readonly Analyzer[] = ([
  ACCESS_SELECTOR,
  API_GATEWAYS,
  API_LISTENER_SETS,
  API_BACKENDS,
  API_ROUTES,
  DESTINATION_HOST,
  DESTINATION_SUBSET,
  ENTRY_PROTOCOLS,
  GATEWAY_CONFLICTS,
  GATEWAY_WORKLOADS,
  POLICY_SELECTOR,
  ROUTE_DELEGATE,
  ROUTE_GATEWAY,
  ROUTE_HOSTS,
  RULE_SUBSETS,
  SIDECAR_SELECTORS,
  TELEMETRY_SELECTORS,
  DEPRECATED_FIELDS,
  ENTRY_ADDRESSES,
  GATEWAY_CERTIFICATES,
  INGRESS_SUBSETS,
  PATCH_OPERATIONS,
  RULE_CERTIFICATES,
  DEPRECATED_PROVIDERS,
  TELEMETRY_PROVIDERS,
  EGRESS_PORTS,
  PRINCIPALS,
  TLS_CONFLICTS,
  UNREACHABLE_RULES,
] as readonly unknown[] as readonly Analyzer[]).toSorted((a, b) => a.name < b.name ? -1 : 1);

/** All analyzers of documents, by name. */
export const DOCUMENT_ANALYZERS: readonly DocumentAnalyzer[] = Object.values(documents)
  .toSorted((a, b) => a.name < b.name ? -1 : 1);

/** Kinds with an analyzer, each with its analyzers. */
export const ANALYZERS_OF: ReadonlyMap<TableKind, readonly Analyzer[]> = new Map(
  [...new Set(ANALYZERS.flatMap(({ kinds }) => kinds))]
    .map((kind) => [kind, ANALYZERS.filter(({ kinds }) => kinds.includes(kind))]),
);
