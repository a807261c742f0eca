/**
 * What clients that come back are expected to hold, in one sum: found once for each state of a view
 * and each list of names that many ask for.
 *
 * @module
 */
import type { Resource, View } from "../graph/mod.ts";
import { tell, wholesAsked } from "./parts.ts";
import { addResource, newTally, sameTally, type Tally } from "./tally.ts";
import { wireVersion } from "./version.ts";
import type { HeldVersions } from "./versions.ts";
import { wantsAll, type Watch } from "./watch.ts";

/** The content of views, as arrays: made once for each state of a view, shared by all streams. */
const contents = new WeakMap<View, { readonly changedAt: number; readonly list: Resource[] }>();

/** All effective resources of a view. */
export function contentOf(view: View): readonly Resource[] {
  const known = contents.get(view);
  if (known && known.changedAt === view.changedAt) return known.list;
  const list = [...view.entries()];
  contents.set(view, { changedAt: view.changedAt, list });
  return list;
}

/** What is expected of a client that has everything. */
export interface Expected {
  readonly tally: Tally;
  /** What it then holds, for all clients of whom that is known by the tally. */
  readonly versions: HeldVersions;
  /** Names it asks for that do not exist. */
  readonly absent: readonly string[];
}

/** Sets of wholes remembered of one view: as many as there are kinds of proxy that share it, about. */
const MOST_WHOLES = 64;

interface Known {
  readonly changedAt: number;
  all: Expected | undefined;
  readonly byList: WeakMap<readonly string[], Expected>;
  readonly byWholes: Map<string, Expected>;
}

const known = new WeakMap<View, Known>();

/** What the client of a watch is to hold; `undefined` where it is not worth finding out. */
export function expected(watch: Watch): Expected | undefined {
  const { view, names, listed, wholes } = watch;
  if (!view) return undefined;
  const of = knownOf(view);
  if (wantsAll(watch)) {
    if (names.size > 0) return undefined;
    return of.all ??= expectation(contentOf(view), []);
  }
  if (watch.wildcard) return undefined;
  if (wholes) return names.size > 0 ? undefined : ofWholes(watch, of.byWholes);
  if (!listed) return undefined;
  let found = of.byList.get(listed);
  if (!found) of.byList.set(listed, found = ofList(view, listed));
  return found;
}

/**
 * Recognises a client that came back with all it is to have: what it wrote about that is let go for
 * what all others like it hold, before it is compared.
 */
export function recognise(watch: Watch): void {
  const { versions, started } = watch;
  if (started || !versions?.tally) return;
  const known = expected(watch);
  if (known && sameTally(known.tally, versions.tally)) watch.versions = known.versions;
}

function knownOf(view: View): Known {
  const { changedAt } = view;
  let found = known.get(view);
  if (found?.changedAt === changedAt) return found;
  found = { changedAt, all: undefined, byList: new WeakMap(), byWholes: new Map() };
  known.set(view, found);
  return found;
}

function expectation(resources: readonly Resource[], absent: readonly string[]): Expected {
  const tally = newTally();
  for (const resource of resources) addResource(tally, resource);
  let byName: Map<string, string> | undefined;
  const versions = () => byName ??= new Map(resources.map((r) => [r.name, wireVersion(r)]));
  return {
    tally,
    absent,
    versions: {
      size: tally.count,
      bytes: 0,
      tally,
      has: (name, version) => versions().get(name) === version,
      names: () => versions().keys(),
    },
  };
}

function ofList(view: View, list: readonly string[]): Expected {
  const resources: Resource[] = [];
  const absent: string[] = [];
  for (const name of new Set(list)) {
    const resource = view.get(name);
    if (resource) resources.push(resource);
    else absent.push(name);
  }
  return expectation(resources, absent);
}

function ofWholes(watch: Watch, byWholes: Map<string, Expected>): Expected {
  const wholes = [...wholesAsked(watch)].sort();
  const key = wholes.join("\0");
  let found = byWholes.get(key);
  if (found) return found;
  const { resources, absent } = tell(watch, wholes);
  found = expectation(resources, absent);
  if (byWholes.size >= MOST_WHOLES) byWholes.clear();
  byWholes.set(key, found);
  return found;
}
