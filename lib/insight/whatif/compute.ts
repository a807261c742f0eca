/**
 * Evaluates a question: a fork applies the edit, and its views give the differences.
 *
 * @module
 */
import { allObjects } from "../analyze/mod.ts";
import { messageOf } from "../../kit/base/mod.ts";
import { MESH_ROW } from "../../mesh/derive/mod.ts";
import { diffResource, type FieldChange } from "../diff/mod.ts";
import { type Delta, type Resource, rowRef, type View } from "../../mesh/graph/mod.ts";
import { type ProxyBinding, type ProxyClass, TYPE_URLS, xdsType } from "../../mesh/model/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import type { ChangeSet } from "../../mesh/ingest/mod.ts";
import { compareMessages } from "./analysis.ts";
import type { Fork } from "./fork.ts";
import type { Pace } from "./pace.ts";
import { changeId, type ClassChange, type FoundClass, mergeChanges } from "./merge.ts";
import type { Prediction } from "./prediction.ts";

/** Result of an evaluation. */
export type Outcome = Pick<
  Prediction,
  "faults" | "analysis" | "proxies" | "classes" | "changes" | "cut"
>;

const TYPES: readonly string[] = Object.values(TYPE_URLS);
/** Maximum of resources with field differences. */
const MAX_RESOURCES = 500;

/** Proxies with equal classes and addresses, with the views of the first one. */
interface BoundProxy {
  readonly sessions: readonly SessionInfo[];
  readonly binding: ProxyBinding;
  readonly classBefore: string;
  readonly before: ReadonlyMap<string, View>;
}

/** Evaluates changes for the connected proxies. */
export async function computeWhatIf(
  { second, sessions, changes }: {
    /** A second translation without the changes, which are applied to it. */
    readonly second: Fork;
    /** The connected proxies. */
    readonly sessions: readonly SessionInfo[];
    readonly changes: ChangeSet;
  },
  pace: Pace,
): Promise<Outcome> {
  const bound = await bindAll(second, sessions, pace);
  await second.prepare(pace);
  // Without objects, nothing was published yet.
  second.graph.publish();
  await pace.pause();
  const at = second.graph.published;
  const failedBefore = new Set(second.graph.faults().map(rowRef));
  const { mesh } = second.translation;
  const [before, config] = [allObjects(mesh), mesh.tables.mesh.peek(MESH_ROW)];
  await second.apply(changes, pace);
  // A new binding may have layers that were not built yet.
  await second.prepare(pace);
  const diffs = createDiffs();
  const found: FoundClass[] = [];
  for (const group of byClass(bound)) {
    const one = await predictClass(group, at, diffs, pace);
    if (one.resources.length > 0) found.push(one);
  }
  found.sort((a, b) => (a.affected.proxies[0]! < b.affected.proxies[0]! ? -1 : 1));
  const classes = found.map(({ affected }) => affected);
  const merged = await mergeChanges(found, pace);
  const faults = second.graph.faults().filter((fault) => !failedBefore.has(rowRef(fault)));
  const sides = { before, config, after: mesh, changes, sessions };
  return {
    analysis: await compareMessages(sides, pace),
    faults: faults.map(({ table, key, error }) => ({ table, key, error: messageOf(error) })),
    proxies: {
      connected: sessions.length,
      concerned: classes.reduce((n, { proxies }) => n + proxies.length, 0),
    },
    classes,
    changes: merged,
    cut: diffs.cut,
  };
}

/** Binds one proxy for each class and set of addresses, which decide the resources of its agent. */
async function bindAll(
  second: Fork,
  sessions: readonly SessionInfo[],
  pace: Pace,
): Promise<BoundProxy[]> {
  const groups = Map.groupBy(sessions, (s) => `${s.classKey}\n${[...s.node.ips].sort().join()}`);
  const bound: BoundProxy[] = [];
  for (const group of groups.values()) {
    const binding = second.translation.source.bind(group[0]!.node, () => {});
    const before = viewsOf(binding);
    bound.push({ sessions: group, binding, classBefore: binding.classKey, before });
    await pace.pause();
  }
  return bound;
}

function viewsOf(binding: ProxyBinding): Map<string, View> {
  const views = new Map<string, View>();
  for (const typeUrl of TYPES) {
    const view = binding.view(typeUrl);
    if (view !== undefined) views.set(typeUrl, view);
  }
  return views;
}

/** Groups by class before and after; addresses do not matter. */
function byClass(bound: readonly BoundProxy[]): readonly (readonly BoundProxy[])[] {
  return [...Map.groupBy(bound, (s) => `${s.classBefore}\n${s.binding.classKey}`).values()];
}

async function predictClass(
  group: readonly BoundProxy[],
  at: number,
  diffs: Diffs,
  pace: Pace,
): Promise<FoundClass> {
  const [{ binding, classBefore, before }] = group as [BoundProxy];
  const sessions = group.flatMap((one) => one.sessions);
  const after = viewsOf(binding);
  const resources: ClassChange[] = [];
  for (const typeUrl of new Set([...before.keys(), ...after.keys()])) {
    const changes = await changesOf(before.get(typeUrl), after.get(typeUrl), at, pace);
    const holders = changes.length === 0 ? NOBODY : await holdersOf(sessions, typeUrl, pace);
    for (const change of changes) {
      resources.push(predictResource(typeUrl, change, holders, diffs));
      await pace.pause();
    }
  }
  const { role, namespace, labels } = JSON.parse(classBefore) as ProxyClass;
  return {
    affected: {
      class: { role, namespace, labels },
      moves: classBefore !== binding.classKey,
      proxies: sessions.map(({ node }) => `${node.name}.${node.namespace}`).sort(),
    },
    resources,
  };
}

interface Change {
  readonly name: string;
  readonly before: Resource | undefined;
  readonly after: Resource | undefined;
}

async function changesOf(
  before: View | undefined,
  after: View | undefined,
  at: number,
  pace: Pace,
): Promise<Change[]> {
  const { changed, removed } = deltaOf(before, after, at);
  await pace.pause();
  const changes: Change[] = [];
  const add = (name: string, now: Resource | undefined) => {
    changes.push({ name, before: before?.at(at, name) ?? undefined, after: now });
    return pace.pause();
  };
  for (const resource of changed) await add(resource.name, resource);
  for (const name of removed) await add(name, undefined);
  return changes;
}

function deltaOf(before: View | undefined, after: View | undefined, at: number): Delta {
  if (after === undefined) return { changed: [], removed: [...before?.names() ?? []] };
  if (before === undefined) return { changed: [...after.entries()], removed: [] };
  return (before === after ? after.since(at) : undefined) ?? after.diffFrom(before, at);
}

/** Cached differences, because classes share resources. */
interface Diffs {
  readonly known: Map<string, readonly FieldChange[]>;
  cut: boolean;
}

function createDiffs(): Diffs {
  return { known: new Map(), cut: false };
}

function predictResource(
  typeUrl: string,
  { name, before, after }: Change,
  holders: Holders,
  diffs: Diffs,
): ClassChange {
  const versions = { before: before?.version, after: after?.version };
  const id = changeId(typeUrl, name, versions);
  let fields = diffs.known.get(id);
  if (fields === undefined && diffs.known.size < MAX_RESOURCES) {
    diffs.known.set(id, fields = diffResource(typeUrl, before?.bytes, after?.bytes));
  }
  if (fields === undefined) diffs.cut = true;
  return {
    typeUrl,
    name,
    change: before === undefined ? "added" : after === undefined ? "removed" : "changed",
    versions,
    bytes: { before: before?.bytes.length ?? 0, after: after?.bytes.length ?? 0 },
    holders: holders.everything + (holders.named.get(name) ?? 0),
    ...(fields === undefined ? {} : { fields }),
  };
}

/** Number of proxies that requested resources of a type. */
interface Holders {
  /** Proxies with a wildcard. */
  readonly everything: number;
  /** Other proxies, by resource name. */
  readonly named: ReadonlyMap<string, number>;
}

const NOBODY: Holders = { everything: 0, named: new Map() };

/** Counts once for a type, because proxies may have thousands of names. */
async function holdersOf(
  sessions: readonly SessionInfo[],
  typeUrl: string,
  pace: Pace,
): Promise<Holders> {
  let everything = 0;
  const named = new Map<string, number>();
  for (const session of sessions) {
    const watch = session.types.find((type) => type.typeUrl === typeUrl);
    if (watch === undefined) continue;
    if (watch.wildcard || xdsType(typeUrl).wildcard) everything++;
    else for (const name of new Set(watch.names)) named.set(name, (named.get(name) ?? 0) + 1);
    await pace.pause();
  }
  return { everything, named };
}
