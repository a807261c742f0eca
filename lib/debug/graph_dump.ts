/**
 * Everything that the engine keeps, but for what is secret.
 *
 * @module
 */
import type { Graph } from "../graph/mod.ts";

/** Tables that hold keys: credentials as they were found, and the secrets that are made of them. */
const SECRET_TABLES: ReadonlySet<string> = new Set(["Credential", "sds.gateway"]);
/** What the names of collections of secrets begin with, those that carry their provenance included. */
const SECRET_COLLECTIONS = /^(explained\/)?secret\//;
const REDACTED = "[redacted]";

/** By key: what is known of a row or a cell. */
type Entries = Record<string, { value?: unknown }>;

interface Dump {
  readonly inputs: Record<string, Entries>;
  readonly derived: Record<string, Entries>;
  readonly collections: Record<string, { readonly resources: Record<string, unknown> }>;
}

/** The engine's tables, cells and collections as plain JSON; `values` with what they hold. */
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
