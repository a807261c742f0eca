/**
 * Dump of the engine without secrets.
 *
 * @module
 */
import type { Graph } from "../../mesh/graph/mod.ts";

/** Tables with private keys: credentials, and the secrets made from them. */
const SECRET_TABLES: ReadonlySet<string> = new Set(["Credential", "sds.gateway"]);
/** Prefixes of the names of secret collections, including those with provenance. */
const SECRET_COLLECTIONS = /^(explained\/)?secret\//;
const REDACTED = "[redacted]";

/** Rows or cells by key. */
type Entries = Record<string, { value?: unknown }>;

interface Dump {
  readonly inputs: Record<string, Entries>;
  readonly derived: Record<string, Entries>;
  readonly collections: Record<string, { readonly resources: Record<string, unknown> }>;
}

/** Returns the engine's tables, cells and collections as JSON; `values` includes their content. */
export function graphDump(graph: Pick<Graph, "dump">, values: boolean): unknown {
  const whole = graph.dump({ values });
  if (!values) return whole;
  const { inputs, derived, collections } = whole as Dump;
  for (const tables of [inputs, derived]) {
    for (const [table, entries] of Object.entries(tables)) {
      if (!SECRET_TABLES.has(table)) continue;
      for (const entry of Object.values(entries)) entry.value = REDACTED;
    }
  }
  for (const [name, { resources }] of Object.entries(collections)) {
    if (!SECRET_COLLECTIONS.test(name)) continue;
    for (const resource of Object.keys(resources)) resources[resource] = REDACTED;
  }
  return whole;
}
