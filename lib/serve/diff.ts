/**
 * What a client is to be sent of one type, in either variant: the difference between what it
 * holds and what it is to see, and the answers it waits for.
 *
 * @module
 */
import type { Delta, Resource } from "../graph/mod.ts";
import { contentOf, expected } from "./expected.ts";
import { differenceTo, isTold } from "./kept.ts";
import { RpcError } from "../rpc/mod.ts";
import { freshParts, noteFresh, tell, wholesAsked } from "./parts.ts";
import { sameTally } from "./tally.ts";
import { wireVersion } from "./version.ts";
import { wants, wantsAll, type Watch } from "./watch.ts";

/** What is to be sent of one type. */
export interface Change {
  readonly watch: Watch;
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
  & Omit<Change, "watch" | "from" | "before" | "differing" | "asking" | "asked" | "lacks">
  & Partial<Pick<Change, "differing">>;

const NOTHING: Delta = Object.freeze({ changed: [], removed: [] });

/** Everything a watch asks for that exists. */
export function wanted(watch: Watch): readonly Resource[] {
  const { view } = watch;
  if (!view) return [];
  if (wantsAll(watch)) return contentOf(view);
  if (watch.wildcard) return contentOf(view).filter(({ name }) => wants(watch, name));
  const resources: Resource[] = [];
  for (const name of watch.names) {
    const resource = view.get(name);
    if (resource) resources.push(resource);
  }
  for (const part of tell(watch, wholesAsked(watch)).resources) resources.push(part);
  return resources;
}

/**
 * Finds what a watch is to be sent as of a revision, and takes it as sent: the watch's position
 * moves on and its answers are forgotten. `undefined` when there is nothing to say. Throws
 * `RpcError` UNAVAILABLE when it is not known any more what a delta client holds.
 */
export function collect(
  watch: Watch,
  variant: "sotw" | "delta",
  revision: number,
): Change | undefined {
  const { held, heldAt, at, started, answerAll, versions, kept } = watch;
  const heldBefore = (name: string): Resource | undefined => {
    const was = held?.at(heldAt, name);
    return was === null ? kept?.content?.find((one) => one.name === name) : was;
  };
  const answers = watch.answers.size > 0 ? new Set(watch.answers) : undefined;
  const ofFresh = freshParts(watch);
  const answered = (name: string): boolean =>
    answers?.has(name) === true || ofFresh?.(name) === true;
  const draft = !watch.started
    ? first(watch, variant)
    : variant === "delta"
    ? nextDelta(watch)
    : nextSotw(watch);
  noteFresh(watch, draft.resources);
  watch.due = watch.answerAll = false;
  watch.started = true;
  watch.answers.clear();
  watch.wholes?.fresh.clear();
  watch.versions = watch.kept = undefined;
  watch.held = watch.view;
  watch.at = revision;
  // What was made after the publication, for edits that are not published yet, is known since then.
  const isOlder = !watch.view || isTold(watch.view, revision);
  watch.heldAt = isOlder ? revision : watch.view!.changedAt;
  const { resources, absent, removed, respond } = draft;
  const any = resources.length > 0 || absent.length > 0 || removed.length > 0;
  if (!any && !respond) return undefined;
  return {
    watch,
    from: at,
    differing: resources,
    ...draft,
    asking: !started || answerAll || !!answers || !!ofFresh,
    asked: (name) => !started || answerAll || answered(name),
    lacks: (resource) =>
      started
        ? answerAll || answered(resource.name)
        : ofFresh?.(resource.name) || !versions?.has(resource.name, wireVersion(resource)),
    before: (name) => started ? heldBefore(name) : undefined,
  };
}

function first(watch: Watch, variant: "sotw" | "delta"): Draft {
  const { versions, answers } = watch;
  const ofFresh = freshParts(watch);
  const known = versions && answers.size === 0 && !ofFresh && expected(watch);
  if (known && versions.tally && sameTally(known.tally, versions.tally)) {
    return { resources: [], absent: known.absent, removed: [], respond: false };
  }
  const all = wanted(watch);
  if (variant === "sotw") return { resources: all, absent: [], removed: [], respond: true };
  const absent: string[] = [];
  for (const name of watch.names) if (!watch.view?.get(name)) absent.push(name);
  absent.push(...tell(watch, wholesAsked(watch)).absent);
  if (!versions) return { resources: all, absent, removed: [], respond: true };
  const resources = all.filter((resource) =>
    !versions.has(resource.name, wireVersion(resource)) || answers.has(resource.name) ||
    ofFresh?.(resource.name)
  );
  const removed: string[] = [];
  for (const name of versions.names()) {
    if (watch.names.has(name)) continue;
    // Parts of what the client did not come back for are of no use to it.
    const known = watch.wildcard || watch.wholes !== undefined;
    if (known && !(watch.view?.get(name) && wants(watch, name))) removed.push(name);
  }
  return { resources, absent, removed, respond: false };
}

function nextDelta(watch: Watch): Draft {
  const found = difference(watch);
  if (!found) {
    throw new RpcError(
      "UNAVAILABLE",
      "the stream fell behind too far; open another and name the versions that you hold",
    );
  }
  const { changed, removed } = found;
  const resources = watch.answerAll ? wanted(watch) : filtered(watch, changed);
  const wholes = watch.wholes?.fresh;
  if (watch.answers.size === 0 && !wholes?.size) {
    return { resources, absent: [], removed: filteredNames(watch, removed), respond: false };
  }
  const fresh = tell(watch, wholes ?? []);
  const absent = [...fresh.absent];
  const extra = new Map([...resources, ...fresh.resources].map((r) => [r.name, r]));
  for (const name of watch.answers) {
    // A part whose whole the client gave up meanwhile is of no use to it.
    if (watch.wholes && !wants(watch, name)) continue;
    const resource = watch.view?.get(name);
    if (resource) extra.set(name, resource);
    else absent.push(name);
  }
  const drained = filteredNames(watch, removed).filter((name) => !watch.answers.has(name));
  return { resources: [...extra.values()], absent, removed: drained, respond: false };
}

function nextSotw(watch: Watch): Draft {
  // Sent all of it, a client that fell behind too far has what it is to have.
  const { changed, removed } = difference(watch) ??
    { changed: watch.view ? contentOf(watch.view) : [], removed: [] };
  const respond = watch.answerAll;
  const differs = filtered(watch, changed);
  const gone = filteredNames(watch, removed);
  if (watch.type.fullState) {
    const any = respond || differs.length > 0 || watch.answers.size > 0;
    const resources = any ? wanted(watch) : [];
    return { resources, differing: differs, absent: [], removed: gone, respond: any };
  }
  if (respond) return { resources: wanted(watch), absent: [], removed: [], respond };
  const resources = new Map(differs.map((resource) => [resource.name, resource]));
  for (const name of watch.answers) {
    const resource = watch.view?.get(name);
    if (resource) resources.set(name, resource);
  }
  const answering = watch.answers.size > 0;
  return { resources: [...resources.values()], absent: [], removed: [], respond: answering };
}

/**
 * Between what the client holds and what it is to see, whether asked for or not; `undefined` when
 * what it holds is not known any more.
 */
function difference({ held, heldAt, view, kept }: Watch): Delta | undefined {
  if (!held) return view ? { changed: contentOf(view), removed: [] } : NOTHING;
  if (!isTold(held, heldAt)) return kept?.content && differenceTo(kept.content, view);
  if (!view) return { changed: [], removed: [...held.names()] };
  return view === held ? view.since(heldAt) : view.diffFrom(held, heldAt);
}

function filtered(watch: Watch, resources: readonly Resource[]): readonly Resource[] {
  if (wantsAll(watch) || resources.length === 0) return resources;
  return resources.filter((resource) => wants(watch, resource.name));
}

function filteredNames(watch: Watch, names: readonly string[]): readonly string[] {
  if (wantsAll(watch) || names.length === 0) return names;
  return names.filter((name) => wants(watch, name));
}
