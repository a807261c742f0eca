/**
 * The objects without which a request would not be refused, found in a second translation.
 *
 * @module
 */
import { explain, nameDeciding, type Party, type Question, type World } from "../explain/mod.ts";
import { type Explanation, type Verdict, verdictOf } from "../verdict/mod.ts";
import type { ObjectChange } from "../../mesh/ingest/mod.ts";
import { type ProxyBinding, rowOfObject } from "../../mesh/model/mod.ts";
import { isTableKind } from "../../mesh/schema/mod.ts";
import type { Fork, WhatIf } from "../whatif/mod.ts";
import { allServices } from "./config.ts";

/** A question with its first proxy. */
export interface Asked {
  readonly world: World;
  readonly from: Party;
  readonly question: Question;
}

/** Surroundings of {@linkcode decided}. */
export interface DecidingOptions {
  readonly whatIf: WhatIf;
  readonly signal: AbortSignal;
  /** Receives the verdict without each object that was left out alone. */
  readonly tried?: Map<string, Verdict> | undefined;
}

/** Names the deciding objects of a refusal; other explanations are returned as they are. */
export async function decided(
  explanation: Explanation,
  asked: Asked,
  { whatIf, signal, tried }: DecidingOptions,
): Promise<Explanation> {
  if (verdictOf(explanation).outcome !== "denied") return explanation;
  return await whatIf.withFork((second, pace) => {
    const world = worldIn(second, asked.world);
    const from = partyIn(second, asked.from);
    return nameDeciding(explanation, async (objects) => {
      const rows = objects.flatMap((ref) => rowNamed(second, ref) ?? []);
      await second.apply({ objects: rows.map((one) => ({ ...one, object: undefined })) }, pace);
      const services = allServices(second.translation);
      const found = explain({ ...world, services }, from, asked.question, { causes: false });
      await second.apply({ objects: rows }, pace);
      const verdict = verdictOf(found);
      const [first] = objects;
      if (objects.length === 1 && first !== undefined) tried?.set(first, verdict);
      return verdict;
    });
  }, signal);
}

/** The same proxies, which are bound in the second translation when they are on the way. */
function worldIn(second: Fork, { parties, now, keys, assumedAddresses }: World): World {
  return {
    mesh: second.translation.mesh,
    services: [],
    parties: parties.map((one) => partyIn(second, one)),
    ...(now === undefined ? {} : { now }),
    ...(keys === undefined ? {} : { keys }),
    ...(assumedAddresses === undefined ? {} : { assumedAddresses }),
  };
}

function partyIn({ translation }: Fork, { node }: Party): Party {
  let binding: ProxyBinding | undefined;
  const bound = (): ProxyBinding => binding ??= translation.source.bind(node, () => {});
  return {
    node,
    get classKey() {
      return bound().classKey;
    },
    view: (typeUrl) => bound().view(typeUrl),
  };
}

function rowNamed(second: Fork, ref: string): ObjectChange | undefined {
  const slash = ref.indexOf("/");
  const row = rowOfObject({ table: ref.slice(0, slash), key: ref.slice(slash + 1) });
  if (!isTableKind(row.table)) return undefined;
  const object = second.original(row.table, row.key);
  return object && { kind: row.table, key: row.key, object };
}
