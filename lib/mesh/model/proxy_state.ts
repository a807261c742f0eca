/**
 * The report of an agent about its proxy: the process, its memory, its certificate. It is a text of
 * bounded size. A reader accepts only what it knows, because the text comes from a workload.
 *
 * @module
 */

/** The type URL of a request that reports the state of the client's proxy. It has no resources. */
export const PROXY_STATE_TYPE_URL: string = "type.googleapis.com/mesh.v1.ProxyState";

/** The method for reports of agents whose proxy has no stream: it is not started, or has exited. */
export const PROXY_STATE_METHOD = "/mesh.v1.ProxyStates/Report";

/**
 * `starting`: it was started and does not serve yet. `ready`: it serves. `silent`: the process runs,
 * and its admin API does not answer. `draining`: it was asked to end. `exited`: it ended unasked.
 */
export const PROXY_PHASES = ["starting", "ready", "silent", "draining", "exited"] as const;

export type ProxyPhase = typeof PROXY_PHASES[number];

/** The end of a proxy's process that nobody asked for. */
export interface ProxyExit {
  /** Exit status; for a signal, 128 and its number. */
  readonly code: number;
  /** The signal that ended it, such as `SIGKILL`. */
  readonly signal?: string;
  /** The last lines that it wrote to its log. */
  readonly lines: readonly string[];
}

/** A report. */
export interface ProxyState {
  readonly phase: ProxyPhase;
  /** Time since the phase began, ms. A time of day would need clocks that agree. */
  readonly ageMs: number;
  /** Why it is not ready; one sentence. */
  readonly reason?: string;
  readonly exit?: ProxyExit;
  /** Bytes of memory of the proxy's and of the agent's process. */
  readonly memory?: { readonly proxy?: number; readonly agent?: number };
  /** Validity of the workload's certificate, ms since the epoch. */
  readonly certificate?: { readonly notBefore: number; readonly notAfter: number };
  /** Updates that the proxy rejected since it started. */
  readonly rejected?: { readonly clusters: number; readonly listeners: number };
  /** Resources that the proxy has received and does not use yet. */
  readonly warming?: { readonly clusters: number; readonly listeners: number };
}

/** Maximum length of the text, characters: what a request's error message may have. */
export const MAX_PROXY_STATE = 4096;
const MAX_LINES = 12;
const MAX_LINE = 240;
const MAX_REASON = 300;

/** The text of a report, at most {@link MAX_PROXY_STATE} characters: the oldest lines are left out. */
export function proxyStateText(state: ProxyState): string {
  const { exit } = state;
  const lines = (exit?.lines ?? []).slice(-MAX_LINES).map((line) => line.slice(0, MAX_LINE));
  while (true) {
    const text = JSON.stringify({
      ...state,
      reason: state.reason?.slice(0, MAX_REASON),
      exit: exit && { ...exit, lines },
    });
    if (text.length <= MAX_PROXY_STATE || lines.length === 0) return text;
    lines.shift();
  }
}

/** Reads a report; `undefined` if it is none. Unknown fields are left out. */
export function parseProxyState(text: string): ProxyState | undefined {
  const value = fieldsOf(parsed(text));
  const phase = PROXY_PHASES.find((one) => one === value?.phase);
  const ageMs = count(value?.ageMs);
  if (value === undefined || phase === undefined || ageMs === undefined) return undefined;
  const exit = phase === "exited" ? exitOf(value.exit) : undefined;
  if (phase === "exited" && exit === undefined) return undefined;
  const reason = sentence(value.reason, MAX_REASON);
  const memory = fieldsOf(value.memory);
  const validity = fieldsOf(value.certificate);
  const certificate = validity && pair(validity, "notBefore", "notAfter");
  return {
    phase,
    ageMs,
    ...reason !== undefined && { reason },
    ...exit !== undefined && { exit },
    ...memory !== undefined && { memory: some(memory, "proxy", "agent") },
    ...certificate !== undefined && { certificate },
    ...optional("rejected", pair(fieldsOf(value.rejected), "clusters", "listeners")),
    ...optional("warming", pair(fieldsOf(value.warming), "clusters", "listeners")),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Fields
    : undefined;
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** A text without control characters, which might move the cursor of a terminal. */
function sentence(value: unknown, longest: number): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return value.slice(0, longest).replaceAll(/\p{Cc}/gu, " ");
}

function exitOf(value: unknown): ProxyExit | undefined {
  const fields = fieldsOf(value);
  const code = count(fields?.code);
  if (fields === undefined || code === undefined) return undefined;
  const signal = typeof fields.signal === "string" && /^SIG[A-Z0-9]{1,12}$/.test(fields.signal)
    ? fields.signal
    : undefined;
  const lines = (Array.isArray(fields.lines) ? fields.lines : []).slice(-MAX_LINES)
    .flatMap((line) => sentence(line, MAX_LINE) ?? []);
  return { code, ...signal !== undefined && { signal }, lines };
}

/** Those of two counts that are given. */
function some<A extends string>(
  fields: Fields,
  ...names: readonly A[]
): { readonly [name in A]?: number } {
  const known = names.flatMap((name) => {
    const value = count(fields[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(known) as { [name in A]?: number };
}

/** Two counts, if both are given. */
function pair<A extends string, B extends string>(
  fields: Fields | undefined,
  a: A,
  b: B,
): { readonly [name in A | B]: number } | undefined {
  const [first, second] = [count(fields?.[a]), count(fields?.[b])];
  if (first === undefined || second === undefined) return undefined;
  return { [a]: first, [b]: second } as { [name in A | B]: number };
}

function optional<N extends string, V>(name: N, value: V | undefined): { readonly [n in N]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { [n in N]?: V };
}
