/**
 * The objects without which a request would not be refused, found in a second translation.
 *
 * @module
 */
import {
  explain,
  nameDeciding,
  nodeProxyIn,
  type Origin,
  type Party,
  type Question,
  removalOf,
  type World,
  writtenParts,
} from "../explain/mod.ts";
import { type Explanation, type Verdict, verdictOf } from "../verdict/mod.ts";
import type { ProxyBinding } from "../../mesh/model/mod.ts";
import type { Fork, WhatIf } from "../whatif/mod.ts";
import { allServices } from "./config.ts";

/** A question with its first proxy. */
export interface Asked {
  readonly world: World;
  readonly from: Party | Origin;
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
    const from = "node" in asked.from ? partyIn(second, asked.from) : asked.from;
    const written = second.original.bind(second);
    return nameDeciding(explanation, async (parts) => {
      const { without, before } = removalOf(written, parts);
      await second.apply({ objects: without }, pace);
      const services = allServices(second.translation);
      const found = explain({ ...world, services }, from, asked.question, { causes: false });
      await second.apply({ objects: before }, pace);
      const verdict = verdictOf(found);
      const [first] = parts;
      if (parts.length === 1 && first !== undefined && first.item === undefined) {
        tried?.set(first.object, verdict);
      }
      return verdict;
    }, (object) => writtenParts(object, written));
  }, signal);
}

/** The same proxies, which are bound in the second translation when they are on the way. */
function worldIn(
  second: Fork,
  { parties, nodeProxy, now, keys, assumedAddresses }: World,
): World {
  return {
    ...(nodeProxy === undefined ? {} : { nodeProxy: nodeProxiesIn(second) }),
    mesh: second.translation.mesh,
    services: [],
    parties: parties.map((one) => partyIn(second, one)),
    ...(now === undefined ? {} : { now }),
    ...(keys === undefined ? {} : { keys }),
    ...(assumedAddresses === undefined ? {} : { assumedAddresses }),
  };
}

function nodeProxiesIn(second: Fork): NonNullable<World["nodeProxy"]> {
  const found = new Map<string, Party>();
  return (typeUrl, network) => {
    const party = found.get(network) ?? partyIn(second, { node: nodeProxyIn(network) });
    found.set(network, party);
    return party.view(typeUrl);
  };
}

function partyIn({ translation }: Fork, { node }: Pick<Party, "node">): Party {
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
