/**
 * Ingest: the one path of configuration from all sources into the tables. Sources report changes;
 * they are queued, debounced, written in pieces and published. In the first stage sources report
 * their initial sets; {@linkcode Ingest.build} then writes all of them in one transaction.
 *
 * @module
 */
import type { ConfigObject } from "../model/mod.ts";
import { deletionOf, type ObjectChange, upsertOf } from "./changes.ts";
import {
  type Batch,
  createDebouncer,
  type Debouncer,
  type DebounceSettings,
  type Trigger,
} from "./debounce.ts";
import { createPrecedence, type Precedence } from "./precedence.ts";
import { createPublisher, type Publisher, type PublishTarget } from "./publisher.ts";
import { createQueue, type InboundType, type Queue } from "./queue.ts";
import type { Intake, ObjectChanges, SourceState } from "./source.ts";
import type { TableWriter } from "./writer.ts";

/** Clock and timers of ingest. */
export interface IngestClock {
  /** Milliseconds since any moment, monotonic. */
  now(): number;
  /** Milliseconds since the epoch. */
  time(): number;
  /** Runs a function after a delay; returns a function that cancels it. */
  timer(run: () => void, ms: number): () => void;
  /** Resolves after timers and sockets had a turn. */
  pause(): Promise<void>;
}

/** Is called by ingest, for metrics and logs. */
export interface IngestObserver {
  /** An object changed. */
  changed?(type: InboundType): void;
  /** The publication of a batch begins. */
  publishing?(batch: Batch): void;
  /** Called at the end of a publication, with its duration in milliseconds. */
  published?(ms: number): void;
}

/** Dependencies of ingest. */
export interface IngestOptions {
  readonly writer: TableWriter;
  readonly target: PublishTarget;
  readonly debounce: DebounceSettings;
  readonly clock: IngestClock;
  readonly observer?: IngestObserver;
}

/** Ingest at work. */
export interface Ingest {
  /**
   * Adds a source. If several sources have an object of one name, the version of the source that
   * was opened first is used.
   *
   * @param name `meta.origin.source` of its objects
   */
  open(name: string): Intake;
  /**
   * Calls back when a source reports changes of objects, before they are written. Returns a function
   * that ends it.
   */
  subscribe(listener: (source: string, changes: ObjectChanges) => void): () => void;
  /**
   * Writes the initial sets in one transaction and publishes them. From then on changes are
   * debounced and published.
   *
   * @throws Error when a source is not synced
   */
  build(): void;
  /** State of all sources, in the order in which they were opened. */
  sources(): SourceState[];
  /** When the latest published change of an object was first seen; milliseconds since the epoch. */
  seenAt(kind: string, key: string): number | undefined;
  /** During a publication: when the first of its changes was seen, by `now` of the clock. */
  readonly publishingSince: number | undefined;
  /**
   * Runs a function regularly, but not during a publication: `skipped` intervals are not made up for.
   * Returns a function that ends it.
   */
  every(ms: number, run: () => void): () => void;
  /**
   * Runs a function that writes and publishes by itself: at once, or when the publication in progress
   * has ended.
   */
  between(run: () => void): void;
  /** Drops waiting changes; resolves when no publication is in progress. */
  close(): Promise<void>;
}

/**
 * Creates ingest without sources.
 *
 * @example
 * ```ts
 * import { createIngest, createTableWriter } from "./mod.ts";
 * import { createMesh } from "../derive/mod.ts";
 * import { createGraph } from "../graph/mod.ts";
 * import { defaultMeshConfig } from "../schema/mod.ts";
 *
 * const mesh = createMesh(createGraph(), { domain: "cluster.local" });
 * const ingest = createIngest({
 *   writer: createTableWriter(mesh, { scoping: false }),
 *   target: { precompute: () => true, publish: () => {}, tidy: () => true },
 *   debounce: { after: 100, max: 10_000, endpointsWait: true },
 *   clock: {
 *     now: () => performance.now(),
 *     time: () => Date.now(),
 *     timer: (run, ms) => {
 *       const id = setTimeout(run, ms);
 *       return () => clearTimeout(id);
 *     },
 *     pause: () => new Promise((done) => setTimeout(done)),
 *   },
 * });
 * const files = ingest.open("files");
 * files.settings({ mesh: defaultMeshConfig() });
 * files.synced();
 * ingest.build(); // the graph has what the sources reported
 * await ingest.close();
 * ```
 */
export function createIngest(options: IngestOptions): Ingest {
  const { writer, target, clock } = options;
  const sources = new Map<string, Source>();
  const listeners = new Set<Listener>();
  const path = createPath(options, sources);
  return {
    open: (name) => {
      if (sources.has(name)) throw new Error(`source ${name} is open already`);
      const state: Source = { synced: false, expecting: false };
      sources.set(name, state);
      path.precedence.add(name);
      return openIntake(name, state, path, listeners);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    build: () => {
      const late = [...sources].filter(([, { synced }]) => !synced).map(([name]) => name);
      if (late.length > 0) throw new Error(`not synced yet: ${late.join(", ")}`);
      path.built = true;
      writer.write(path.queue.take());
      target.publish();
    },
    sources: () => [...sources].map(([name, { synced, fault }]) => ({ name, synced, fault })),
    seenAt: path.queue.seenAt,
    get publishingSince() {
      return path.publisher.since;
    },
    every: (ms, run) => {
      const tick = (): void => {
        cancel = clock.timer(tick, ms);
        if (!path.publisher.busy) run();
      };
      let cancel = clock.timer(tick, ms);
      return () => cancel();
    },
    between: (run) => path.publisher.between(run),
    close: async () => {
      path.debouncer.stop();
      await path.publisher.idle();
    },
  };
}

type Listener = (source: string, changes: ObjectChanges) => void;

/** State of a source. */
interface Source {
  synced: boolean;
  expecting: boolean;
  fault?: string;
}

/** The stages that a change passes, in this order. */
interface Path {
  readonly now: () => number;
  readonly writer: TableWriter;
  readonly precedence: Precedence;
  readonly queue: Queue;
  readonly debouncer: Debouncer;
  readonly publisher: Publisher;
  /** True after the initial sets were written; changes are published from then on. */
  built: boolean;
}

function createPath(
  { writer, target, clock, observer, debounce }: IngestOptions,
  sources: ReadonlyMap<string, Source>,
): Path {
  const queue = createQueue({
    current: (kind, key) => writer.original(kind, key),
    time: clock.time,
    onChange: (type) => observer?.changed?.(type),
  });
  const publisher = createPublisher({
    writer,
    target,
    take: queue.take,
    now: clock.now,
    pause: clock.pause,
    onPublished: (ms) => observer?.published?.(ms),
  });
  const debouncer = createDebouncer({
    ...debounce,
    now: clock.now,
    timer: clock.timer,
    moreExpected: () => [...sources.values()].some(({ expecting }) => expecting),
    publish: (batch) => {
      observer?.publishing?.(batch);
      publisher.publish(batch.since);
    },
  });
  const precedence = createPrecedence();
  return { now: clock.now, writer, precedence, queue, debouncer, publisher, built: false };
}

/** The intake of one source. */
function openIntake(
  name: string,
  state: Source,
  path: Path,
  listeners: ReadonlySet<Listener>,
): Intake {
  return {
    objects: (changes, seenAt = path.now()) => {
      const added: Added = { triggers: new Set(), alone: path.built };
      for (const object of changes.upserts) queueChange(path, name, upsertOf(object), added);
      for (const identity of changes.deletes) queueChange(path, name, deletionOf(identity), added);
      startDebounce(path, added, seenAt);
      for (const listener of listeners) listener(name, changes);
    },
    settings: (changes) =>
      startDebounce(path, { triggers: path.queue.addSettings(changes), alone: true }, path.now()),
    synced: () => {
      state.synced = true;
    },
    expecting: (more) => {
      state.expecting = more;
    },
    health: (fault) => {
      state.fault = fault;
    },
  };
}

/** Changes that were queued together. */
interface Added {
  readonly triggers: Set<Trigger>;
  /** True: each of them can be published without others. */
  alone: boolean;
}

/** Queues the change of one source, unless the row keeps the version of another source. */
function queueChange(
  { precedence, queue, writer }: Path,
  source: string,
  change: ObjectChange | undefined,
  added: Added,
): void {
  if (change === undefined) return;
  const row: ConfigObject | undefined = queue.latest(change.kind, change.key);
  const applied = precedence.apply(source, change, row);
  if (applied === undefined) return;
  added.triggers.add(queue.add(applied));
  added.alone &&= writer.standsAlone(applied, row);
}

function startDebounce(path: Path, { triggers, alone }: Readonly<Added>, at: number): void {
  if (path.built && triggers.size > 0) path.debouncer.changedAt(at, triggers, alone);
}
