/**
 * Analysis in the daemon: follows the mesh in the background, logs each message once, counts them.
 *
 * @module
 */
import { rowRef } from "../../mesh/graph/mod.ts";
import {
  allObjects,
  type Analysis,
  createAnalysis,
  type Message,
  renderMessage,
  workloadsOfClasses,
} from "../analyze/mod.ts";
import { type Mesh, MESH_ROW, tableOf } from "../../mesh/derive/mod.ts";
import type { Ingest, ObjectChange } from "../../mesh/ingest/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { gauge } from "../../kit/metrics/mod.ts";
import { isTableKind } from "../../mesh/schema/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import { MESH_ANALYSIS } from "./variables.ts";

const log = scope("analysis");

/** Times of the analysis, in milliseconds. */
export interface AnalysisTiming {
  /** Time between two slices of work. */
  readonly every: number;
  /** Longest work of one slice; a single object or transaction may exceed it. */
  readonly slice: number;
  /** Changes are taken when nothing was published for this time. */
  readonly quiet: number;
  /** Changes are taken after this time in any case. */
  readonly longest: number;
  /**
   * The first round begins when nothing was published and no proxy connected or was sent anything
   * for this time, at the latest after {@link connected}.
   */
  readonly first: number;
  /** Connected proxies are compared this often. */
  readonly proxies: number;
  /** Time after the start from which all proxies are taken to be connected. */
  readonly connected: number;
}

/**
 * The timing of the daemon: at most 8 % of one core. After a start all proxies connect; the first
 * round needs 0.2 CPU s for 1,000 services, which would delay them (`docs/performance.md`).
 */
const DEFAULT_TIMING: AnalysisTiming = {
  every: 100,
  slice: 8,
  quiet: 1_000,
  longest: 10_000,
  first: 5_000,
  proxies: 10_000,
  connected: 60_000,
};

/** Messages that are logged at once; the others are counted. */
const MAX_LOGGED = 20;

export interface AnalysisInputs {
  readonly mesh: Mesh;
  /** Connected proxies. */
  readonly sessions: () => readonly Pick<SessionInfo, "classKey">[];
  /** Streams of proxies, and those among them that wait for a push or are being sent one. */
  readonly load: () => { readonly size: number; readonly pushing: number };
  /** Schedules work between publications. */
  readonly every: Ingest["every"];
  readonly timing?: Partial<AnalysisTiming>;
  /**
   * Finds the lines of fields in files, in the order of the fields; unset: messages have the lines of
   * their objects.
   */
  readonly locate?: (
    fields: readonly FileField[],
  ) => Promise<readonly (FilePosition | undefined)[]>;
}

/** A field of an object that begins at a line of a file. */
export type FileField = Pick<Message, "file" | "line" | "path">;
/** 1-based line and column. */
export type FilePosition = Pick<Message, "line" | "column">;

export interface RunningAnalysis extends Disposable {
  /** The messages as of the last complete round, sorted by object. */
  messages(): readonly Message[];
}

/** Starts the analysis of the objects in use. */
export function startAnalysis(inputs: AnalysisInputs): RunningAnalysis {
  const { mesh, sessions, load } = inputs;
  const timing = { ...DEFAULT_TIMING, ...inputs.timing };
  const now = () => performance.now();
  const follower = new Follower(mesh, timing, now);
  const started = now();
  let comparedAt = -Infinity;
  let classes = "";
  let isComplete = false;
  let connected = 0;
  let isFirstRound = true;
  let messages: readonly Message[] = [];
  const report = createReporter();

  /** Passes workloads on when they differ. */
  const compareProxies = (): void => {
    if (follower.analysis === undefined || now() - comparedAt < timing.proxies) return;
    comparedAt = now();
    const keys = [...new Set(sessions().map(({ classKey }) => classKey))].sort();
    const isAllConnected = now() - started >= timing.connected;
    if (keys.join("\n") === classes && isAllConnected === isComplete) return;
    classes = keys.join("\n");
    isComplete = isAllConnected;
    follower.setWorkloads(workloadsOfClasses(keys), isComplete);
  };
  const tick = (): void => {
    const { size, pushing } = load();
    const isServing = pushing > 0 || size !== connected;
    connected = size;
    follower.look(isServing);
    compareProxies();
    if (isFirstRound && isServing && now() - started < timing.connected) return;
    if (!follower.work(timing.slice)) return;
    isFirstRound = false;
    const found = follower.analysis!.messages();
    messages = found;
    if (inputs.locate === undefined) return report(found);
    void located(found, inputs.locate).then((list) => {
      // A later round has replaced the messages.
      if (messages !== found) return;
      messages = list;
      report(list);
    });
  };
  countMessages(() => messages);
  if (!MESH_ANALYSIS.get()) return { messages: () => [], [Symbol.dispose]: () => {} };
  const stop = inputs.every(timing.every, tick);
  return { messages: () => messages, [Symbol.dispose]: stop };
}

/** Messages whose fields are looked for in one round; the others have the lines of their objects. */
const MAX_LOCATED = 1_000;

/** Messages with the positions of their fields. */
async function located(
  messages: readonly Message[],
  locate: NonNullable<AnalysisInputs["locate"]>,
): Promise<readonly Message[]> {
  const fields = messages.filter(({ file, path }) => file !== "" && path !== "")
    .slice(0, MAX_LOCATED);
  if (fields.length === 0) return messages;
  const positions = await locate(fields);
  const found = new Map(fields.map((one, i) => [one, positions[i]]));
  return messages.map((one) => ({ ...one, ...found.get(one) }));
}

/** Registers the metric. */
function countMessages(messages: () => readonly Message[]): void {
  gauge({
    name: "mesh_analysis_messages",
    help: "Likely mistakes in the configuration in use, by code; /debug/analysis lists them.",
    labels: ["code", "level"],
    collect: (gauge) => {
      for (const [code, of] of Map.groupBy(messages(), (one) => one.code)) {
        gauge.set({ code, level: of[0]!.level }, of.length);
      }
    },
  });
}

/** Logs new messages; removed ones are logged again if they return. */
function createReporter(): (messages: readonly Message[]) => void {
  let known: ReadonlySet<string> = new Set();
  return (messages) => {
    const texts = new Map(messages.map((one) => [renderMessage(one), one]));
    const added = [...texts].filter(([text]) => !known.has(text));
    for (const [text, { level }] of added.slice(0, MAX_LOGGED)) {
      if (level === "Info") log.info(text);
      else log.warn(text);
    }
    const more = added.length - MAX_LOGGED;
    if (more > 0) log.warn("more messages are listed at /debug/analysis", { more });
    known = new Set(texts.keys());
  };
}

/** Passes the changes of a mesh to an analysis, in small pieces. */
class Follower {
  readonly #mesh: Mesh;
  readonly #timing: AnalysisTiming;
  readonly #now: () => number;
  #analysis: Analysis | undefined = undefined;
  #workloads: ReturnType<typeof workloadsOfClasses> | undefined = undefined;
  /** True when {@link setWorkloads} was given all workloads of the mesh. */
  #isComplete = false;
  /** Revision whose changes were taken. */
  #taken = -1;
  #seen = -1;
  #firstChange = 0;
  #lastChange = 0;
  #queue: ObjectChange[] = [];
  #isDirty = false;

  constructor(mesh: Mesh, timing: AnalysisTiming, now: () => number) {
    this.#mesh = mesh;
    this.#timing = timing;
    this.#now = now;
  }

  get analysis(): Analysis | undefined {
    return this.#analysis;
  }

  /**
   * Looks for publications, and takes their changes after the quiet time. The first round also waits
   * while proxies are served.
   */
  look(isServing: boolean): void {
    const { graph, tables } = this.#mesh;
    const now = this.#now();
    if (graph.published !== this.#seen) {
      if (this.#seen === this.#taken) this.#firstChange = now;
      this.#seen = graph.published;
      this.#lastChange = now;
    }
    if (this.#taken >= this.#seen || tables.mesh.peek(MESH_ROW) === undefined) return;
    const { quiet, longest, first, connected } = this.#timing;
    const isFirst = this.#analysis === undefined;
    const waits = isFirst && isServing;
    if (waits) this.#lastChange = now;
    const isQuiet = !waits && now - this.#lastChange >= (isFirst ? first : quiet);
    if (isQuiet || now - this.#firstChange >= (isFirst ? connected : longest)) this.#take();
  }

  setWorkloads(known: ReturnType<typeof workloadsOfClasses>, isComplete: boolean): void {
    this.#workloads = known;
    this.#isComplete = isComplete;
    this.#analysis?.apply({ workloads: known, complete: isComplete });
    this.#isDirty ||= this.#analysis !== undefined;
  }

  /** Works for about this time; true when a round was completed by this call. */
  work(millis: number): boolean {
    if (!this.#isDirty || this.#analysis === undefined) return false;
    const end = this.#now() + millis;
    // One at a time, because a single object may take as long as the slice.
    while (this.#queue.length > 0) {
      this.#analysis.apply({ objects: this.#queue.splice(0, 1) });
      if (this.#now() >= end) return false;
    }
    if (!this.#analysis.work(end - this.#now())) return false;
    this.#isDirty = false;
    return true;
  }

  #take(): void {
    const { graph, tables } = this.#mesh;
    const edits = this.#analysis === undefined ? undefined : graph.edits(this.#taken);
    const analysis = edits === undefined ? this.#takeAll() : this.#analysis!;
    const changed = new Map(edits?.map((edit) => [rowRef(edit), edit]));
    for (const { table, key } of changed.values()) {
      if (table === tables.mesh.name) analysis.apply({ mesh: tables.mesh.peek(MESH_ROW) });
      if (!isTableKind(table)) continue;
      this.#queue.push({ kind: table, key, object: tableOf(tables, table).peek(key) });
    }
    this.#taken = graph.revision;
    this.#isDirty = true;
  }

  /** Starts a new analysis of the whole mesh. */
  #takeAll(): Analysis {
    const { tables, domain } = this.#mesh;
    const analysis = createAnalysis({ domain, now: this.#now });
    this.#analysis = analysis;
    this.#queue = allObjects(this.#mesh);
    const workloads = this.#workloads;
    analysis.apply({
      mesh: tables.mesh.peek(MESH_ROW),
      ...workloads && { workloads, complete: this.#isComplete },
    });
    return analysis;
  }
}
