/**
 * The order of a push. Additions and changes go out as clusters, endpoints, listeners, routes,
 * then the rest; removals the other way round, and only when the client has accepted what
 * replaces them: make before break.
 *
 * @module
 */
import type { Resource } from "../graph/mod.ts";
import { type Change, collect, wanted } from "./diff.ts";
import { isPremature } from "./parts.ts";
import { isEdsCluster } from "./eds_clusters.ts";
import { type Origin, wants, type Watch } from "./watch.ts";
import { TYPE_URLS } from "../model/mod.ts";

/** What is sent of one type in one go; in slices if it is large. */
export interface Parcel {
  readonly watch: Watch;
  readonly resources: readonly Resource[];
  readonly removed: readonly string[];
  /** Revision of what the client held before it. */
  readonly from: number;
  /** What its resources are sent for; `undefined` when the client had them all. */
  readonly origin?: Origin;
  /** Sent again, to find the reason of a rejection. */
  readonly probe?: boolean;
}

/** What planning needs of a stream. */
export interface Planned {
  readonly variant: "sotw" | "delta";
  /** In the order of their types. */
  readonly watches: readonly Watch[];
  /** Clusters sent before the client asked for endpoints, when it may hold those already. */
  readonly early: Set<string>;
  /** New clusters whose endpoints the client has not taken yet; until it did, it would answer 503 for routes to them. */
  readonly cold: Set<string>;
  /** Whether there are endpoints of a name for this stream's proxy. */
  readonly hasEndpoints: (name: string) => boolean;
  /** A change without what is held back from the client; `undefined` when nothing is left. */
  readonly screened: (change: Change) => Change | undefined;
  /** What is sent for resources in a full response, in view of what is held back. */
  readonly shown: (watch: Watch, resources: readonly Resource[]) => readonly Resource[];
}

/**
 * Collects all that is due in a stream, as of one revision. Removals that something may still
 * refer to are put aside in `Watch.doomed`; see {@link drain}. They may be referred to when other
 * types change in the same push, or when the stream is still `busy` with an earlier one.
 */
export function plan(stream: Planned, revision: number, busy: boolean): Parcel[] {
  const changes: Change[] = [];
  for (const name of stream.cold) if (!stream.hasEndpoints(name)) stream.cold.delete(name);
  for (const watch of stream.watches) {
    if (!watch.due || isHeldBack(stream, watch) || isPremature(watch)) continue;
    if (!watch.started) answerEarly(stream, watch);
    const knowing = watch.started || watch.versions !== undefined;
    const found = collect(watch, stream.variant, revision);
    const change = found && stream.screened(found);
    if (!change) continue;
    changes.push(change);
    revive(change);
    if (watch.type.url === TYPE_URLS.cluster && knowing) warm(stream, change);
    if (watch.type.url === TYPE_URLS.listener) {
      for (const other of stream.watches) {
        if (other.type.name === watch.type.dependent) other.answerNext = true;
      }
    }
  }
  const parcels: Parcel[] = [];
  const drains: Parcel[] = [];
  for (const change of changes) {
    const { watch, resources, absent, removed, respond, from } = change;
    if (watch.type.atomic) {
      parcels.push({ watch, resources, removed: [...absent, ...removed], from, origin: change });
      continue;
    }
    const keep = removed.length > 0 &&
      (busy || stream.cold.size > 0 ||
        changes.some((other) => other !== change && replaces(other)));
    if (keep) {
      if (watch.doomed.size === 0) watch.doomedFrom = change.from;
      for (const name of removed) watch.doomed.set(name, change.before(name));
    }
    const now = keep ? [] : removed;
    if (resources.length > 0 || absent.length > 0 || respond) {
      const merged = changes.length === 1 ? [...absent, ...now] : absent;
      const all = withDoomed(stream, watch, resources);
      parcels.push({ watch, resources: all, removed: merged, from, origin: change });
      if (changes.length === 1) continue;
    }
    const told = stream.variant === "sotw" && respond;
    if (now.length > 0 && !told) drains.push(drainParcel(stream, watch, now, from));
  }
  return [...parcels, ...drains.reverse()];
}

/** Whether a change may take the place of what is removed of other types. What is atomic is removed in the midst of it. */
function replaces({ watch, resources, removed }: Change): boolean {
  return resources.length > 0 || (watch.type.atomic === true && removed.length > 0);
}

/** Whether what is due of a type waits for clusters to become warm. What a client without knowledge asks for does not. */
export function isHeldBack({ cold }: Planned, { type, started, versions }: Watch): boolean {
  return cold.size > 0 && type.refersToClusters && (started || versions !== undefined);
}

/** The removals put aside, once nothing is under way that the client did not answer yet. */
export function drain(stream: Planned): Parcel[] {
  const parcels: Parcel[] = [];
  for (const watch of stream.watches) {
    if (watch.doomed.size === 0) continue;
    const names = [...watch.doomed.keys()].filter((name) => wants(watch, name));
    watch.doomed.clear();
    if (names.length > 0) parcels.push(drainParcel(stream, watch, names, watch.doomedFrom));
  }
  return parcels.reverse();
}

function drainParcel(
  { variant, shown }: Planned,
  watch: Watch,
  names: readonly string[],
  from: number,
): Parcel {
  return variant === "delta"
    ? { watch, resources: [], removed: names, from }
    : { watch, resources: shown(watch, wanted(watch)), removed: [], from };
}

/** What was to be removed and came back is no longer doomed. */
function revive({ watch }: Change): void {
  for (const name of watch.doomed.keys()) if (watch.view?.get(name)) watch.doomed.delete(name);
}

/** In SotW what a full response leaves out is gone, so it holds what is not to go yet. */
function withDoomed(
  { variant }: Planned,
  watch: Watch,
  resources: readonly Resource[],
): readonly Resource[] {
  if (variant === "delta" || watch.doomed.size === 0) return resources;
  return [...resources, ...[...watch.doomed.values()].filter((resource) => resource !== undefined)];
}

/**
 * Envoy warms a changed cluster until endpoints of its name arrive, and in delta it does not ask
 * for those it holds: they are sent again. Clusters it is to ask for are {@link Planned.cold}.
 */
function warm(stream: Planned, { differing }: Change): void {
  const endpoints = stream.watches.find((other) => other.type.url === TYPE_URLS.endpoint);
  for (const cluster of differing) {
    const asked = endpoints !== undefined && wants(endpoints, cluster.name);
    if (asked || !isEdsCluster(cluster) || !stream.hasEndpoints(cluster.name)) continue;
    stream.cold.add(cluster.name);
  }
  if (!endpoints) {
    if (stream.variant === "delta") { for (const { name } of differing) stream.early.add(name); }
    return;
  }
  if (stream.variant === "sotw") endpoints.answerNext = true;
  for (const { name } of differing) {
    if (!wants(endpoints, name)) continue;
    endpoints.answers.add(name);
    endpoints.due = true;
  }
}

/** Endpoints the client says to hold, of clusters that were sent before it said so. */
function answerEarly(stream: Planned, watch: Watch): void {
  if (watch.type.url !== TYPE_URLS.endpoint) return;
  if (watch.versions) { for (const name of stream.early) watch.answers.add(name); }
  stream.early.clear();
}
