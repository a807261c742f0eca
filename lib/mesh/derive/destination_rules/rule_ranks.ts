/**
 * The order in which DestinationRules are looked for: by namespace, then by host.
 *
 * @module
 */
import type { PassedOver } from "../../../kit/base/mod.ts";
import type { Read } from "../../graph/mod.ts";
import {
  byAge,
  type ConfigObject,
  coveringPatterns,
  fromObject,
  namespaceOf,
} from "../../model/mod.ts";
import type { DestinationRule } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { type MeshInputs, selectsWorkloads } from "../indexes/mod.ts";
import { visibilityOf, visibleTo } from "../inputs/mod.ts";

/** The rules of one namespace for one host or pattern. */
export interface Rank {
  readonly namespace: string;
  readonly pattern: string;
  /** Those that the client may see, oldest first. */
  readonly rows: readonly ConfigObject<DestinationRule>[];
  readonly hidden: readonly ConfigObject<DestinationRule>[];
}

/** The host, the client's namespace, and the namespaces to look in. */
export interface RankQuestion {
  readonly host: string;
  readonly client: string;
  readonly namespaces: readonly string[];
}

/** Ranks in the order of precedence, found one by one: the first one with rules decides. */
export function* ranks(
  read: Read,
  inputs: MeshInputs,
  { host, client, namespaces }: RankQuestion,
): Generator<Rank> {
  const patterns = [host, ...coveringPatterns(host)];
  for (const namespace of namespaces) {
    for (const pattern of patterns) {
      yield { namespace, pattern, ...rulesFor(read, inputs, { pattern, namespace }, client) };
    }
  }
}

function rulesFor(
  read: Read,
  { tables, indexes }: MeshInputs,
  { pattern, namespace }: Pick<Rank, "namespace" | "pattern">,
  client: string,
): Pick<Rank, "rows" | "hidden"> {
  const rows: ConfigObject<DestinationRule>[] = [];
  const hidden: ConfigObject<DestinationRule>[] = [];
  for (const key of read.members(indexes.rulesByHost, pattern)) {
    if (namespaceOf(key) !== namespace) continue;
    const row = read.get(tables.destinationRules, key);
    if (row === undefined) continue;
    // Rules for some workloads only are found by those: see `Policies.selected`.
    if (selectsWorkloads(row.spec)) continue;
    const seen = namespace === client ||
      visibleTo(visibilityOf(row.spec.exportTo, row.meta.namespace), client);
    (seen ? rows : hidden).push(row);
  }
  return { rows: rows.sort(byAge), hidden };
}

/** Rules for a host in other namespaces, where they are not looked for. */
export function elsewhere(
  read: Read,
  { tables, indexes }: MeshInputs,
  host: string,
  namespaces: readonly string[],
): PassedOver[] {
  const where = namespaces.map((namespace) => `namespace ${namespace}`).join(", ");
  const why = `rules are looked for in ${where} alone`;
  return [host, ...coveringPatterns(host)]
    .flatMap((pattern) => read.members(indexes.rulesByHost, pattern))
    .filter((key) => !namespaces.includes(namespaceOf(key)))
    .map((key) => read.get(tables.destinationRules, key))
    .filter((row) => row !== undefined)
    .map((row) => ({ ...fromObject(row, "metadata.namespace"), why }));
}
