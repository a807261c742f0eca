/**
 * The objects without which a request would not be refused, found in a second translation.
 *
 * @module
 */
import {
  explain,
  type Explanation,
  nameDeciding,
  type Party,
  type Question,
  type Verdict,
  verdictOf,
  type World,
} from "../explain/mod.ts";
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

/** Names the deciding objects of a refusal; other explanations are returned as they are. */
export async function decided(
  explanation: Explanation,
  asked: Asked,
  { whatIf, signal }: { readonly whatIf: WhatIf; readonly signal: AbortSignal },
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
      return verdictOf(found);
    });
  }, signal);
}

/** The verdict about the request in a mesh without each of some objects, `Kind/namespace/name`. */
export async function withoutEach(
  objects: readonly string[],
  asked: Asked,
  { whatIf, signal }: { readonly whatIf: WhatIf; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, Verdict>> {
  if (objects.length === 0) return new Map();
  return await whatIf.withFork(async (second, pace) => {
    const found = new Map<string, Verdict>();
    const world = worldIn(second, asked.world);
    const from = partyIn(second, asked.from);
    for (const ref of objects) {
      const row = rowNamed(second, ref);
      if (row === undefined) continue;
      await second.apply({ objects: [{ ...row, object: undefined }] }, pace);
      const services = allServices(second.translation);
      const explanation = explain({ ...world, services }, from, asked.question, { causes: false });
      await second.apply({ objects: [row] }, pace);
      found.set(ref, verdictOf(explanation));
    }
    return found;
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
