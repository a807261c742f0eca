/**
 * Analysis in the daemon: follows the mesh in the background, logs each message once, counts them.
 *
 * @module
 */
import {
  allObjects,
  type Analysis,
  createAnalysis,
  type Message,
  renderMessage,
  workloadsOfClasses,
} from "../analyze/mod.ts";
import { type Mesh, MESH_ROW, tableOf } from "../derive/mod.ts";
import type { Ingest, ObjectChange } from "../ingest/mod.ts";
import { scope } from "../log/mod.ts";
import { gauge } from "../metrics/mod.ts";
import { isTableKind } from "../schema/mod.ts";
import type { SessionInfo } from "../serve/mod.ts";
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
  /** Connected proxies are compared this often. */
  readonly proxies: number;
  /** Time after the start from which all proxies are taken to be connected. */
  readonly connected: number;
}

/** The timing of the daemon: at most 8 % of one core. */
const DEFAULT_TIMING: AnalysisTiming = {
  every: 100,
  slice: 8,
  quiet: 1_000,
  longest: 10_000,
  proxies: 10_000,
  connected: 60_000,
};

/** Objects that are written in one transaction. */
const CHUNK = 20;
/** Messages that are logged at once; the others are counted. */
const MAX_LOGGED = 20;

/** Inputs of the analysis. */
export interface AnalysisInputs {
  readonly mesh: Mesh;
  /** Connected proxies. */
  readonly sessions: () => readonly Pick<SessionInfo, "classKey">[];
  /** Schedules work between publications. */
  readonly every: Ingest["every"];
  readonly timing?: Partial<AnalysisTiming>;
}

/** The running analysis. */
export interface RunningAnalysis extends Disposable {
  /** The messages as of the last complete round, sorted by object. */
  messages(): readonly Message[];
}

/** Starts the analysis of the objects in use. */
export function startAnalysis(inputs: AnalysisInputs): RunningAnalysis {
  const { mesh, sessions } = inputs;
  const timing = { ...DEFAULT_TIMING, ...inputs.timing };
  const now = () => performance.now();
  const follower = followMesh(mesh, timing, now);
  const started = now();
  let comparedAt = -Infinity;
  let classes = "";
  let isComplete = false;
  let messages: readonly Message[] = [];
  const report = createReporter();

  /** Passes workloads on when they differ. */
  const compareProxies = (): void => {
    if (now() - comparedAt < timing.proxies && follower.analysis !== undefined) return;
    comparedAt = now();
    const keys = [...new Set(sessions().map(({ classKey }) => classKey))].sort();
    const isAllConnected = now() - started >= timing.connected;
    if (keys.join("\n") === classes && isAllConnected === isComplete) return;
    classes = keys.join("\n");
    isComplete = isAllConnected;
    follower.setWorkloads(workloadsOfClasses(keys), isComplete);
  };
  const tick = (): void => {
    follower.look();
    compareProxies();
    if (!follower.work(timing.slice)) return;
    messages = follower.analysis!.messages();
    report(messages);
  };
  countMessages(() => messages);
  if (!MESH_ANALYSIS.get()) return { messages: () => [], [Symbol.dispose]: () => {} };
  const stop = inputs.every(timing.every, tick);
  return { messages: () => messages, [Symbol.dispose]: stop };
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

/** Logs messages that were not there before; those that went may be logged again. */
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
interface Follower {
  readonly analysis: Analysis | undefined;
  /** Looks for publications, and takes their changes after the quiet time. */
  look(): void;
  setWorkloads(workloads: ReturnType<typeof workloadsOfClasses>, isComplete: boolean): void;
  /** Works for about this time; true when a round was completed by this call. */
  work(millis: number): boolean;
}

function followMesh(mesh: Mesh, timing: AnalysisTiming, now: () => number): Follower {
  const { graph, tables, domain } = mesh;
  let analysis: Analysis | undefined;
  let workloads: Parameters<Follower["setWorkloads"]> | undefined;
  /** Revision whose changes were taken. */
  let taken = -1;
  let seen = -1;
  let firstChange = 0;
  let lastChange = 0;
  let queue: ObjectChange[] = [];
  let isDirty = false;

  const takeAll = (): void => {
    analysis = createAnalysis({ domain, now });
    queue = allObjects(mesh);
    const row = tables.mesh.peek(MESH_ROW);
    analysis.apply({
      mesh: row,
      ...workloads && { workloads: workloads[0], complete: workloads[1] },
    });
  };
  const take = (): void => {
    const edits = analysis === undefined ? undefined : graph.edits(taken);
    if (edits === undefined) takeAll();
    const changed = new Map(edits?.map((edit) => [`${edit.table}/${edit.key}`, edit]));
    for (const { table, key } of changed.values()) {
      if (table === tables.mesh.name) analysis!.apply({ mesh: tables.mesh.peek(MESH_ROW) });
      if (!isTableKind(table)) continue;
      queue.push({ kind: table, key, object: tableOf(tables, table).peek(key) });
    }
    taken = graph.revision;
    isDirty = true;
  };

  return {
    get analysis() {
      return analysis;
    },
    look() {
      if (graph.published !== seen) {
        if (seen === taken) firstChange = now();
        seen = graph.published;
        lastChange = now();
      }
      if (taken >= seen || tables.mesh.peek(MESH_ROW) === undefined) return;
      const isQuiet = now() - lastChange >= timing.quiet;
      if (isQuiet || now() - firstChange >= timing.longest) take();
    },
    setWorkloads(known, isComplete) {
      workloads = [known, isComplete];
      analysis?.apply({ workloads: known, complete: isComplete });
      isDirty ||= analysis !== undefined;
    },
    work(millis) {
      if (!isDirty || analysis === undefined) return false;
      const end = now() + millis;
      while (queue.length > 0) {
        analysis.apply({ objects: queue.splice(0, CHUNK) });
        if (now() >= end) return false;
      }
      if (!analysis.work(end - now())) return false;
      isDirty = false;
      return true;
    },
  };
}
