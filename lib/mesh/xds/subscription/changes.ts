/**
 * Computes the changes of one type for a client, in either variant: the difference between its
 * resources and its view, and the responses to its requests.
 *
 * @module
 */
import type { Delta, Resource } from "../../graph/mod.ts";
import { expected, expectedOfRequest } from "./expected_state.ts";
import { diffFromSnapshot, logReaches } from "./snapshot.ts";
import { RpcError } from "../../../kit/rpc/mod.ts";
import {
  childrenOfAll,
  childrenOfNewParents,
  noteNewParents,
  subscribedParents,
} from "./child_resources.ts";
import { sameChecksum, wireVersion } from "../wire/mod.ts";
import { noteFound, resourcesNamed } from "./aliases.ts";
import { type Subscription, wants, wantsAll, wantsResource } from "./subscription.ts";
import { planned, stateOf } from "./transitions.ts";
import { contentOf } from "./view_content.ts";

/** Pending changes of one type. */
export interface Change {
  readonly subscription: Subscription;
  /** Revision of the client's resources before. */
  readonly from: number;
  /** New or changed resources, or all of them for SotW types that need it. */
  readonly resources: readonly Resource[];
  /** Those that differ from the client's. */
  readonly differing: readonly Resource[];
  /** Delta: subscribed names that do not exist; sent at once. */
  readonly absent: readonly string[];
  /** Removed names; sent when nothing refers to them any more. */
  readonly removed: readonly string[];
  /** Respond even if there is nothing in it. */
  readonly respond: boolean;
  /** True: the client requested something, so it gets a response even without changes. */
  readonly asking: boolean;
  /**
   * Reports if the client requested a name, so that it is sent regardless of its previous version.
   */
  asked(name: string): boolean;
  /** Reports if the client requested a resource that it did not report. */
  lacks(resource: Resource): boolean;
  /** Returns the previous resource of a name; `undefined` if it is no longer known. */
  before(name: string): Resource | undefined;
}

/** A change without its previous versions. */
type Draft =
  & Omit<Change, "subscription" | "from" | "before" | "differing" | "asking" | "asked" | "lacks">
  & Partial<Pick<Change, "differing">>;

const NOTHING: Delta = Object.freeze({ changed: [], removed: [] });

/** Returns all subscribed resources that exist. */
export function wanted(subscription: Subscription): readonly Resource[] {
  const { view } = subscription;
  if (!view) return [];
  if (wantsAll(subscription)) return contentOf(view);
  if (subscription.wildcard) return contentOf(view).filter(({ name }) => wants(subscription, name));
  return named(subscription).resources;
}

/** The resources and the missing names of a subscription without the wildcard. */
interface Named {
  readonly resources: readonly Resource[];
  readonly absent: readonly string[];
}

/** Looks up the subscribed names, and the children of the subscribed parents. */
function named(subscription: Subscription): Named {
  const resources: Resource[] = [];
  const absent: string[] = [];
  for (const name of [...subscription.names]) lookUp(subscription, name, resources, absent);
  for (const name of subscription.wildcard ? [] : subscription.unasked) {
    for (const resource of resourcesNamed(subscription.view, name)) {
      if (!resources.includes(resource)) resources.push(resource);
    }
  }
  const children = childrenOfAll(subscription, subscribedParents(subscription));
  // Children on demand are among the names.
  if (subscription.onDemand === undefined) {
    for (const child of children.resources) resources.push(child);
  }
  for (const name of children.absent) absent.push(name);
  return { resources, absent };
}

/** Adds the resources of a subscribed name, or the name to those that are absent. */
function lookUp(
  subscription: Subscription,
  name: string,
  resources: Resource[],
  absent: string[],
): void {
  const { view, type } = subscription;
  if (type.aliased) {
    const found = resourcesNamed(view, name);
    noteFound(subscription, found);
    if (found.length === 0) absent.push(name);
    for (const resource of found) if (!resources.includes(resource)) resources.push(resource);
    return;
  }
  const refusal = subscription.onDemand?.refusal;
  const resource = view?.get(name) ??
    (subscription.refused.has(name) ? refusal?.(name) : undefined);
  if (resource) resources.push(resource);
  // A resource that is made on demand comes with a publication: Envoy would take its absence as final.
  else if (refusal === undefined) absent.push(name);
}

/**
 * Computes the changes of a subscription as of a revision and marks them as sent: the
 * subscription's position advances and its pending requests are cleared. `undefined` if there is
 * nothing to send. Throws `RpcError` UNAVAILABLE if the resources of a delta client are no longer
 * known.
 */
export function collect(
  subscription: Subscription,
  variant: "sotw" | "delta",
  revision: number,
): Change | undefined {
  const { held, heldAt, at, started, requestedAll, versions, snapshot } = subscription;
  const heldBefore = (name: string): Resource | undefined => {
    const was = held?.at(heldAt, name);
    return was === null ? snapshot?.content?.find((one) => one.name === name) : was;
  };
  const { requestedNames } = stateOf(subscription);
  const ofNewParents = childrenOfNewParents(subscription);
  const draft = !subscription.started
    ? first(subscription, variant)
    : variant === "delta"
    ? nextDelta(subscription)
    : nextSotw(subscription);
  noteNewParents(subscription, draft.resources);
  // A view that was made after the publication, for edits that are not published yet, has no older log.
  const isOlder = !subscription.view || logReaches(subscription.view, revision);
  const answers = requestedNames.take();
  const isRequested = (name: string): boolean => answers.has(name) || ofNewParents?.(name) === true;
  planned(subscription, revision, isOlder ? revision : subscription.view!.changedAt);
  const { resources, absent, removed, respond } = draft;
  const any = resources.length > 0 || absent.length > 0 || removed.length > 0;
  if (!any && !respond) return undefined;
  return {
    subscription,
    from: at,
    differing: resources,
    ...draft,
    asking: !started || requestedAll || answers.size > 0 || !!ofNewParents,
    asked: (name) => !started || requestedAll || isRequested(name),
    lacks: (resource) =>
      started
        ? requestedAll || isRequested(resource.name)
        : ofNewParents?.(resource.name) || !versions?.has(resource.name, wireVersion(resource)),
    before: (name) => started ? heldBefore(name) : undefined,
  };
}

function first(subscription: Subscription, variant: "sotw" | "delta"): Draft {
  const { versions, requestedNames } = subscription;
  const ofNewParents = childrenOfNewParents(subscription);
  const known = versions && requestedNames.size === 0 && !ofNewParents && expected(subscription);
  if (known && versions.checksum && sameChecksum(known.checksum, versions.checksum)) {
    return { resources: [], absent: known.absent, removed: [], respond: false };
  }
  // Clients that ask for the same list are sent the same arrays.
  const listed = variant === "delta" && isAlike(subscription) ? expected(subscription) : undefined;
  if (listed && !versions) {
    const { resources, absent } = listed;
    return { resources, absent, removed: [], respond: true };
  }
  if (variant === "sotw") {
    return { resources: wanted(subscription), absent: [], removed: [], respond: true };
  }
  const { resources: found, absent } = named(subscription);
  const all = listed?.resources ?? (subscription.wildcard ? wanted(subscription) : found);
  if (!versions) return { resources: all, absent, removed: [], respond: true };
  const resources = all.filter((resource) =>
    !versions.has(resource.name, wireVersion(resource)) || requestedNames.has(resource.name) ||
    ofNewParents?.(resource.name)
  );
  const removed: string[] = [];
  for (const name of versions.names()) {
    if (subscription.names.has(name)) continue;
    // A reconnected client does not need children of parents that it is not subscribed to.
    const known = subscription.wildcard || subscription.parents !== undefined;
    if (known && !(subscription.view?.get(name) && wants(subscription, name))) removed.push(name);
  }
  return { resources, absent, removed, respond: false };
}

/** Reports if what a client asks for is a list, or children of parents, as others ask for it. */
function isAlike({ listed, parents, names, unasked, onDemand, wildcard }: Subscription): boolean {
  if (!parents) return listed !== undefined;
  return names.size === 0 && unasked.length === 0 && onDemand === undefined && !wildcard;
}

function nextDelta(subscription: Subscription): Draft {
  const found = difference(subscription);
  if (!found) {
    throw new RpcError(
      "UNAVAILABLE",
      "the stream fell behind too far; open another and name the versions that you hold",
    );
  }
  const { changed } = found;
  const removed = [...found.removed, ...subscription.lost];
  const resources = subscription.requestedAll
    ? wanted(subscription)
    : filtered(subscription, changed);
  const parents = subscription.parents?.newParents;
  if (subscription.requestedNames.size === 0 && !parents?.size) {
    return { resources, absent: [], removed: filteredNames(subscription, removed), respond: false };
  }
  if (resources.length === 0 && !subscription.parents) {
    const alike = expectedOfRequest(subscription);
    if (alike) {
      const gone = filteredNames(subscription, removed).filter((name) =>
        !subscription.requestedNames.has(name)
      );
      return { resources: alike.resources, absent: alike.absent, removed: gone, respond: false };
    }
  }
  const newChildren = childrenOfAll(subscription, parents ?? []);
  const absent = [...newChildren.absent];
  const extra = new Map([...resources, ...newChildren.resources].map((r) => [r.name, r]));
  for (const name of subscription.requestedNames) {
    // The client does not need a child whose parent it has unsubscribed from.
    if (subscription.parents && !wants(subscription, name)) continue;
    const found: Resource[] = [];
    lookUp(subscription, name, found, absent);
    for (const resource of found) extra.set(resource.name, resource);
  }
  const drained = filteredNames(subscription, removed).filter((name) =>
    !subscription.requestedNames.has(name)
  );
  return { resources: [...extra.values()], absent, removed: drained, respond: false };
}

function nextSotw(subscription: Subscription): Draft {
  // A client that fell behind too far is sent everything.
  const { changed, removed } = difference(subscription) ??
    { changed: subscription.view ? contentOf(subscription.view) : [], removed: [] };
  const respond = subscription.requestedAll;
  const differs = filtered(subscription, changed);
  const gone = filteredNames(subscription, removed);
  if (subscription.type.fullState) {
    const any = respond || differs.length > 0 || subscription.requestedNames.size > 0;
    const resources = any ? wanted(subscription) : [];
    return { resources, differing: differs, absent: [], removed: gone, respond: any };
  }
  if (respond) return { resources: wanted(subscription), absent: [], removed: [], respond };
  const resources = new Map(differs.map((resource) => [resource.name, resource]));
  for (const name of subscription.requestedNames) {
    const resource = subscription.view?.get(name);
    if (resource) resources.set(name, resource);
  }
  const answering = subscription.requestedNames.size > 0;
  return { resources: [...resources.values()], absent: [], removed: [], respond: answering };
}

/**
 * Returns the difference between the client's resources and its view, subscribed or not;
 * `undefined` if the client's resources are no longer known.
 */
function difference({ held, heldAt, view, snapshot }: Subscription): Delta | undefined {
  if (!held) return view ? { changed: contentOf(view), removed: [] } : NOTHING;
  if (!logReaches(held, heldAt)) {
    return snapshot?.content && diffFromSnapshot(snapshot.content, view);
  }
  if (!view) return { changed: [], removed: [...held.names()] };
  return view === held ? view.since(heldAt) : view.diffFrom(held, heldAt);
}

function filtered(subscription: Subscription, resources: readonly Resource[]): readonly Resource[] {
  if (wantsAll(subscription) || resources.length === 0) return resources;
  return resources.filter((resource) => wantsResource(subscription, resource));
}

function filteredNames(subscription: Subscription, names: readonly string[]): readonly string[] {
  if (wantsAll(subscription) || names.length === 0) return names;
  const { type, held, heldAt } = subscription;
  return names.filter((name) => {
    if (!type.aliased || wants(subscription, name)) return wants(subscription, name);
    if (subscription.lost.has(name)) return true;
    const before = held?.at(heldAt, name);
    return before !== undefined && before !== null && wantsResource(subscription, before);
  });
}
