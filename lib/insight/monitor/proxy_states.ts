/**
 * Reports of agents about their proxies: the last state of each, and the exits of the last time.
 * Reports come from workloads, so they are limited in number and in what is kept of them. A proxy
 * without a report is not known to be well: its agent may be older, or there may be none.
 *
 * @module
 */
import { TokenBucket } from "../../kit/async/mod.ts";
import { type Counter, counter, gauge } from "../../kit/metrics/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import {
  parseProxyState,
  PROXY_PHASES,
  type ProxyExit,
  type ProxyNode,
  type ProxyState,
} from "../../mesh/model/mod.ts";
import type { ObservedStream, StateEvent, XdsObserver } from "../../mesh/xds/mod.ts";

/** The last report about a proxy. */
export interface ReportedState {
  readonly node: Pick<ProxyNode, "id" | "name" | "namespace" | "role" | "ip" | "ips"> & {
    /** `CLUSTER_ID` of its metadata. */
    readonly clusterId?: string;
  };
  readonly state: ProxyState;
  /** Begin of its phase, and arrival of the report, ms since the epoch by this daemon's clock. */
  readonly since: number;
  readonly at: number;
}

/** An exit of a proxy that runs again. */
export interface PastExit {
  readonly exit: ProxyExit;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The reports of all proxies. */
export interface ProxyStates {
  readonly observer: XdsObserver;
  /** The last report about the proxy with a node id; `undefined`: none since it is connected. */
  of(nodeId: string): ReportedState | undefined;
  /** Exits of the proxy within the last {@link RESTART_MS}, the newest last. */
  exits(nodeId: string): readonly PastExit[];
  /** Proxies whose last report says that they exited, and that are not back, the oldest first. */
  exited(): readonly ReportedState[];
  /** Reports of connected proxies. */
  connected(): readonly ReportedState[];
  /** Calls back after each exit; returns a function that ends this. */
  onExit(exited: (reported: ReportedState) => void): () => void;
}

/** Time for which exits count as repeated, ms. */
export const RESTART_MS: number = 15 * 60_000;
/** Time after which a proxy that did not come back is forgotten, ms. */
export const EXITED_MS: number = 60 * 60_000;
/** Proxies whose exits are kept; the oldest are forgotten first. */
const MAX_EXITED = 1000;
/** Exits that are kept of a proxy. */
const MAX_EXITS = 20;
/** Reports of one proxy: as many at once, and so many a second. */
const RATE = { burst: 20, perSecond: 1 };

const log = scope("ads");

/** The proxy of a node id. */
interface Known {
  last: ReportedState | undefined;
  /** The stream of the last report. */
  stream: ObservedStream | undefined;
  exits: readonly PastExit[];
  readonly rate: TokenBucket;
}

/** A connected client. */
interface Client {
  readonly node: Pick<ProxyNode, "id" | "role" | "metadata">;
}

/** The state of a client without a report. Libraries that speak xDS themselves, and node proxies, have no Envoy. */
export function stateWithoutReport(
  { role, metadata }: Omit<Client["node"], "id">,
): "no Envoy" | "not reported" {
  return metadata.GENERATOR === "grpc" || role === "ztunnel" ? "no Envoy" : "not reported";
}

/** The end of an Envoy as a sentence without its last lines, so that equal ends have equal sentences. */
export function exitMessage({ signal, code }: ProxyExit): string {
  const how = signal === undefined ? `with exit status ${code}` : `by ${signal}`;
  return `Envoy exited ${how}, as its agent reports`;
}

/** Creates an empty list, and its metrics. */
export function createProxyStates(
  sessions: () => readonly Client[],
  now: () => number = () => Date.now(),
): ProxyStates {
  const proxies = new Map<string, Known>();
  const listeners = new Set<(reported: ReportedState) => void>();
  const { exitsTotal, refused } = declareMetrics(() => {
    prune(proxies, now());
    return countPhases(proxies, sessions());
  });
  const knownOf = (id: string): Known => {
    let known = proxies.get(id);
    if (known === undefined) {
      known = {
        last: undefined,
        stream: undefined,
        exits: [],
        rate: new TokenBucket({ ...RATE, now: () => performance.now() }),
      };
      proxies.set(id, known);
    }
    return known;
  };
  const read = ({ node, stream, text }: StateEvent): ProxyState | undefined => {
    const state = parseProxyState(text);
    // Without a stream nothing would end the state of a proxy that runs.
    const isPlaced = stream !== undefined || state?.phase === "exited";
    if (state === undefined || !isPlaced) refused.inc({ reason: "unreadable" });
    else if (knownOf(node.id).rate.take()) return state;
    else refused.inc({ reason: "rate" });
    return undefined;
  };
  const observer: XdsObserver = {
    reportedState(event) {
      const state = read(event);
      if (state === undefined) return;
      const { stream } = event;
      const node = nodeOf(event.node);
      const known = knownOf(node.id);
      const at = now();
      known.last = { node, state, since: at - state.ageMs, at };
      known.stream = stream;
      if (state.exit === undefined) return;
      noteExit(known, state.exit, at);
      exitsTotal.inc({ by: labelOf(state.exit) });
      for (const exited of listeners) exited(known.last);
      prune(proxies, at);
    },
    // A report about an earlier life says nothing about this one.
    opened({ node: { id } }) {
      const known = proxies.get(id);
      if (known?.last?.state.phase === "exited") known.last = undefined;
    },
    closed(stream) {
      const known = proxies.get(stream.node.id);
      if (known === undefined || known.stream !== stream) return;
      known.stream = undefined;
      if (known.last?.state.phase !== "exited") known.last = undefined;
      if (isOver(known, now())) proxies.delete(stream.node.id);
    },
  };
  const current = (isExited: boolean): ReportedState[] => {
    prune(proxies, now());
    return [...proxies.values()].flatMap(({ last }) =>
      last !== undefined && (last.state.phase === "exited") === isExited ? [last] : []
    );
  };
  return {
    observer,
    of: (nodeId) => proxies.get(nodeId)?.last,
    exits: (nodeId) =>
      (proxies.get(nodeId)?.exits ?? []).filter(({ at }) => at > now() - RESTART_MS),
    exited: () => current(true).sort((a, b) => a.since - b.since),
    connected: () => current(false),
    onExit(exited) {
      listeners.add(exited);
      return () => listeners.delete(exited);
    },
  };
}

function nodeOf(
  { id, name, namespace, role, ip, ips, metadata }: ProxyNode,
): ReportedState["node"] {
  const clusterId = metadata?.CLUSTER_ID;
  const cluster = typeof clusterId === "string" ? { clusterId } : {};
  return { id, name, namespace, role, ip, ips, ...cluster };
}

function noteExit(known: Known, exit: ProxyExit, at: number): void {
  known.exits = [...known.exits, { exit, at }].slice(-MAX_EXITS);
  const { node: { name, namespace } } = known.last!;
  log.warn("a proxy exited, as its agent reports", {
    proxy: `${name}.${namespace}`,
    ...exit.signal === undefined ? { code: exit.code } : { signal: exit.signal },
    lastLine: exit.lines.at(-1) ?? "",
  });
}

/** Forgets what is over: proxies without a report, and exits that are long ago or too many. */
function prune(proxies: Map<string, Known>, now: number): void {
  const gone: [id: string, at: number][] = [];
  for (const [id, known] of proxies) {
    if (known.last?.state.phase === "exited" && known.last.at <= now - EXITED_MS) {
      known.last = undefined;
    }
    if (known.stream !== undefined) continue;
    if (isOver(known, now)) proxies.delete(id);
    else gone.push([id, known.last?.at ?? lastExitOf(known)]);
  }
  if (gone.length <= MAX_EXITED) return;
  gone.sort(([, a], [, b]) => a - b);
  for (const [id] of gone.slice(0, gone.length - MAX_EXITED)) proxies.delete(id);
}

/** Nothing is known of the proxy any more that is shown. */
function isOver(known: Known, now: number): boolean {
  return known.last === undefined && lastExitOf(known) <= now - RESTART_MS;
}

function lastExitOf({ exits }: Known): number {
  return exits.at(-1)?.at ?? -Infinity;
}

/** Signals that are labels of the metric: a report must not make any number of labels. */
const SIGNALS: ReadonlySet<string> = new Set(
  ["ABRT", "BUS", "FPE", "HUP", "ILL", "INT", "KILL", "QUIT", "SEGV", "TERM"]
    .map((name) => `SIG${name}`),
);

function labelOf({ signal }: ProxyExit): string {
  if (signal === undefined) return "status";
  return SIGNALS.has(signal) ? signal : "other";
}

/** Proxies by phase. Connected ones without a report are `not_reported`. */
function countPhases(
  proxies: ReadonlyMap<string, Known>,
  sessions: readonly Client[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>(
    [...PROXY_PHASES, "not_reported"].map((phase) => [phase, 0]),
  );
  const add = (phase: string) => counts.set(phase, (counts.get(phase) ?? 0) + 1);
  for (const { last } of proxies.values()) if (last !== undefined) add(last.state.phase);
  const silent = sessions.filter(({ node }) =>
    proxies.get(node.id)?.last === undefined && stateWithoutReport(node) === "not reported"
  );
  for (const _ of new Set(silent.map(({ node }) => node.id))) add("not_reported");
  return counts;
}

function declareMetrics(count: () => ReadonlyMap<string, number>): {
  readonly exitsTotal: Counter;
  readonly refused: Counter;
} {
  gauge({
    name: "mesh_proxies",
    help: "Proxies by the state that their agents report; exited ones for up to an hour.",
    labels: ["state"],
    collect: (gauge) => {
      for (const [state, value] of count()) gauge.set({ state }, value);
    },
  });
  return {
    exitsTotal: counter({
      name: "mesh_proxy_exits_total",
      help:
        "Proxies that exited unasked, as their agents reported, by signal; status: without one.",
      labels: ["by"],
    }),
    refused: counter({
      name: "mesh_proxy_reports_refused_total",
      help: "Reports of agents about their proxies that were not taken, by reason.",
      labels: ["reason"],
    }),
  };
}
