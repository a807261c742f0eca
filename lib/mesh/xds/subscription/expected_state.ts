/**
 * Checksums of the expected resources of reconnecting clients, computed once for each state of a
 * view and each shared list of names.
 *
 * @module
 */
import type { Resource, View } from "../../graph/mod.ts";
import { childrenOfAll, subscribedParents } from "./child_resources.ts";
import {
  addResource,
  type Checksum,
  type HeldVersions,
  newChecksum,
  sameChecksum,
  wireVersion,
} from "../wire/mod.ts";
import { type Subscription, wantsAll } from "./subscription.ts";
import { replaceVersions } from "./transitions.ts";
import { contentOf } from "./view_content.ts";

/** The expected state of a client that has everything. */
export interface Expected {
  /** Subscribed resources that exist. */
  readonly resources: readonly Resource[];
  /** Computed when it is first asked for. */
  readonly checksum: Checksum;
  /** Its versions, shared by all clients with the same checksum. */
  readonly versions: HeldVersions;
  /** Subscribed names that do not exist. */
  readonly absent: readonly string[];
}

/** Sets of parents remembered of one view: as many as there are kinds of proxy that share it, about. */
const MOST_PARENT_SETS = 64;

interface Known {
  readonly changedAt: number;
  all: Expected | undefined;
  readonly byList: WeakMap<readonly string[], Expected>;
  readonly byRequest: WeakMap<readonly string[], Expected>;
  readonly byParents: Map<string, Expected>;
}

const known = new WeakMap<View, Known>();
/** Lists of absent names that many subscriptions use. */
const shared = new WeakSet<readonly string[]>();

/**
 * Reports if a list of names is used by many subscriptions, so that it takes no memory of its own
 * for one.
 */
export function isShared(names: readonly string[]): boolean {
  return shared.has(names);
}

/**
 * Returns the expected state of the client of a subscription; `undefined` if it is not worth
 * computing.
 */
export function expected(subscription: Subscription): Expected | undefined {
  const { view, names, listed, parents } = subscription;
  if (!view) return undefined;
  const of = knownOf(view);
  if (wantsAll(subscription)) {
    if (names.size > 0) return undefined;
    return of.all ??= expectation(contentOf(view), []);
  }
  if (subscription.wildcard) return undefined;
  if (parents) return names.size > 0 ? undefined : ofParents(subscription, of.byParents);
  if (!listed) return undefined;
  let found = of.byList.get(listed);
  if (!found) of.byList.set(listed, found = ofNames(view, names));
  return found;
}

/**
 * The answer to a client that asked for one more list, shared by all that ask for it; `undefined` if
 * it asked for something else.
 */
export function expectedOfRequest(
  { view, requestedNames, onDemand, type }: Subscription,
): Pick<Expected, "resources" | "absent"> | undefined {
  const { list } = requestedNames;
  if (!view || !list || onDemand !== undefined || type.aliased) return undefined;
  const of = knownOf(view);
  let found = of.byRequest.get(list);
  if (!found) of.byRequest.set(list, found = ofNames(view, new Set(list)));
  return found;
}

/**
 * Recognizes a reconnected client that has everything: its reported versions are replaced by the
 * shared ones before they are compared.
 */
export function matchExpected(subscription: Subscription): void {
  const { versions, started } = subscription;
  if (started || !versions?.checksum) return;
  const known = expected(subscription);
  if (known && sameChecksum(known.checksum, versions.checksum)) {
    replaceVersions(subscription, known.versions);
  }
}

function knownOf(view: View): Known {
  const { changedAt } = view;
  let found = known.get(view);
  if (found?.changedAt === changedAt) return found;
  found = {
    changedAt,
    all: undefined,
    byList: new WeakMap(),
    byRequest: new WeakMap(),
    byParents: new Map(),
  };
  known.set(view, found);
  return found;
}

function expectation(resources: readonly Resource[], absent: readonly string[]): Expected {
  shared.add(absent);
  let checksum: Checksum | undefined;
  let byName: Map<string, string> | undefined;
  const versions = () => byName ??= new Map(resources.map((r) => [r.name, wireVersion(r)]));
  return {
    resources,
    absent,
    get checksum() {
      return checksum ??= checksumOf(resources);
    },
    versions: {
      size: resources.length,
      bytes: 0,
      get checksum() {
        return checksum ??= checksumOf(resources);
      },
      has: (name, version) => versions().get(name) === version,
      names: () => versions().keys(),
    },
  };
}

function checksumOf(resources: readonly Resource[]): Checksum {
  const checksum = newChecksum();
  for (const resource of resources) addResource(checksum, resource);
  return checksum;
}

/** In the order of the name table: clients that list the same names in another order get the same batches. */
function ofNames(view: View, names: Iterable<string>): Expected {
  const resources: Resource[] = [];
  const absent: string[] = [];
  for (const name of names) {
    const resource = view.get(name);
    if (resource) resources.push(resource);
    else absent.push(name);
  }
  return expectation(resources, absent);
}

function ofParents(subscription: Subscription, byParents: Map<string, Expected>): Expected {
  const parents = [...subscribedParents(subscription)].sort();
  const key = parents.join("\0");
  let found = byParents.get(key);
  if (found) return found;
  const { resources, absent } = childrenOfAll(subscription, parents);
  found = expectation(resources, absent);
  if (byParents.size >= MOST_PARENT_SETS) byParents.clear();
  byParents.set(key, found);
  return found;
}
