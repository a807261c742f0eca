/**
 * What a client is to be sent of one type, in either variant: the difference between what it
 * holds and what it is to see, and the answers it waits for.
 *
 * @module
 */
import type { Delta, Resource } from "../../graph/mod.ts";
import { expected } from "./expected_state.ts";
import { diffFromSnapshot, logReaches } from "./snapshot.ts";
import { RpcError } from "../../rpc/mod.ts";
import {
  childrenOfAll,
  childrenOfNewParents,
  noteNewParents,
  subscribedParents,
} from "./child_resources.ts";
import { sameChecksum } from "../wire/checksum.ts";
import { wireVersion } from "../wire/wire_version.ts";
import { type Subscription, wants, wantsAll } from "./subscription.ts";
import { planned } from "./transitions.ts";
import { contentOf } from "./view_content.ts";

/** What is to be sent of one type. */
export interface Change {
  readonly subscription: Subscription;
  /** Revision of what the client held before. */
  readonly from: number;
  /** New or changed resources, or, in SotW for types that need it, all of them. */
  readonly resources: readonly Resource[];
  /** Those of them that differ from what the client holds. */
  readonly differing: readonly Resource[];
  /** Delta: names that were asked for and do not exist; told at once. */
  readonly absent: readonly string[];
  /** Names that ceased to exist; told when nothing refers to them any more. */
  readonly removed: readonly string[];
  /** Respond even if there is nothing in it. */
  readonly respond: boolean;
  /** Whether the client asked for something, so that it is answered even if nothing differs. */
  readonly asking: boolean;
  /** Whether the client asked for a name, so that it is sent whatever it was before. */
  asked(name: string): boolean;
  /** Whether the client asked for a resource that it does not say to hold. */
  lacks(resource: Resource): boolean;
  /** What stood there before under a name; `undefined` where that is not known any more. */
  before(name: string): Resource | undefined;
}

/** A change before it is tied to what came before it. */
type Draft =
  & Omit<Change, "subscription" | "from" | "before" | "differing" | "asking" | "asked" | "lacks">
  & Partial<Pick<Change, "differing">>;

const NOTHING: Delta = Object.freeze({ changed: [], removed: [] });

/** Everything a subscription asks for that exists. */
export function wanted(subscription: Subscription): readonly Resource[] {
  const { view } = subscription;
  if (!view) return [];
  if (wantsAll(subscription)) return contentOf(view);
  if (subscription.wildcard) return contentOf(view).filter(({ name }) => wants(subscription, name));
  const resources: Resource[] = [];
  for (const name of subscription.names) {
    const resource = view.get(name);
    if (resource) resources.push(resource);
  }
  for (const part of childrenOfAll(subscription, subscribedParents(subscription)).resources) {
    resources.push(part);
  }
  return resources;
}

/**
 * Finds what a subscription is to be sent as of a revision, and takes it as sent: the subscription's position
 * rebinds on and its answers are forgotten. `undefined` when there is nothing to say. Throws
 * `RpcError` UNAVAILABLE when it is not known any more what a delta client holds.
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
  const answers = subscription.requestedNames.size > 0
    ? new Set(subscription.requestedNames)
    : undefined;
  const ofNewParents = childrenOfNewParents(subscription);
  const isRequested = (name: string): boolean =>
    answers?.has(name) === true || ofNewParents?.(name) === true;
  const draft = !subscription.started
    ? first(subscription, variant)
    : variant === "delta"
    ? nextDelta(subscription)
    : nextSotw(subscription);
  noteNewParents(subscription, draft.resources);
  // A view that was made after the publication, for edits that are not published yet, has no older log.
  const isOlder = !subscription.view || logReaches(subscription.view, revision);
  planned(subscription, revision, isOlder ? revision : subscription.view!.changedAt);
  const { resources, absent, removed, respond } = draft;
  const any = resources.length > 0 || absent.length > 0 || removed.length > 0;
  if (!any && !respond) return undefined;
  return {
    subscription,
    from: at,
    differing: resources,
    ...draft,
    asking: !started || requestedAll || !!answers || !!ofNewParents,
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
  const all = wanted(subscription);
  if (variant === "sotw") return { resources: all, absent: [], removed: [], respond: true };
  const absent: string[] = [];
  for (const name of subscription.names) if (!subscription.view?.get(name)) absent.push(name);
  absent.push(...childrenOfAll(subscription, subscribedParents(subscription)).absent);
  if (!versions) return { resources: all, absent, removed: [], respond: true };
  const resources = all.filter((resource) =>
    !versions.has(resource.name, wireVersion(resource)) || requestedNames.has(resource.name) ||
    ofNewParents?.(resource.name)
  );
  const removed: string[] = [];
  for (const name of versions.names()) {
    if (subscription.names.has(name)) continue;
    // Parts of what the client did not come back for are of no use to it.
    const known = subscription.wildcard || subscription.parents !== undefined;
    if (known && !(subscription.view?.get(name) && wants(subscription, name))) removed.push(name);
  }
  return { resources, absent, removed, respond: false };
}

function nextDelta(subscription: Subscription): Draft {
  const found = difference(subscription);
  if (!found) {
    throw new RpcError(
      "UNAVAILABLE",
      "the stream fell behind too far; open another and name the versions that you hold",
    );
  }
  const { changed, removed } = found;
  const resources = subscription.requestedAll
    ? wanted(subscription)
    : filtered(subscription, changed);
  const parents = subscription.parents?.newParents;
  if (subscription.requestedNames.size === 0 && !parents?.size) {
    return { resources, absent: [], removed: filteredNames(subscription, removed), respond: false };
  }
  const newChildren = childrenOfAll(subscription, parents ?? []);
  const absent = [...newChildren.absent];
  const extra = new Map([...resources, ...newChildren.resources].map((r) => [r.name, r]));
  for (const name of subscription.requestedNames) {
    // A part whose parent the client gave up meanwhile is of no use to it.
    if (subscription.parents && !wants(subscription, name)) continue;
    const resource = subscription.view?.get(name);
    if (resource) extra.set(name, resource);
    else absent.push(name);
  }
  const drained = filteredNames(subscription, removed).filter((name) =>
    !subscription.requestedNames.has(name)
  );
  return { resources: [...extra.values()], absent, removed: drained, respond: false };
}

function nextSotw(subscription: Subscription): Draft {
  // Sent all of it, a client that fell behind too far has what it is to have.
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
 * Between what the client holds and what it is to see, whether asked for or not; `undefined` when
 * what it holds is not known any more.
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
  return resources.filter((resource) => wants(subscription, resource.name));
}

function filteredNames(subscription: Subscription, names: readonly string[]): readonly string[] {
  if (wantsAll(subscription) || names.length === 0) return names;
  return names.filter((name) => wants(subscription, name));
}
