/**
 * The listeners for the plugin on the node.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { type Logger, scope } from "../../kit/log/mod.ts";
import { readBody, text } from "../../kit/web/mod.ts";
import { addAmbient, readPod } from "./add.ts";
import { isObject } from "./config.ts";
import { serveSocket } from "./socket.ts";
import { podName } from "./pods.ts";
import type { PluginCall, PluginDeps, PodRef } from "./types.ts";
import { answerPlugin } from "./verbs.ts";

/** Options of {@link servePlugin}. */
export interface ServePluginOptions extends PluginDeps {
  /** `pluginevent.sock`: calls of the helper. */
  readonly socketPath: string;
  /** `log.sock`: lines that the helper wants in the log. */
  readonly logSocketPath: string;
  /** Ends the listeners. Calls in progress are answered first, within a few seconds. */
  readonly signal: AbortSignal;
}

/** The running listeners. */
export interface PluginServer {
  /** Resolves after the signal, when the listeners have ended and their sockets are removed. */
  readonly finished: Promise<void>;
}

/** A configuration of a mebibyte whose every letter is escaped. */
const MAX_CALL_BYTES = 8 << 20;
const MAX_LINE_BYTES = 64 << 10;
/** The helper asks the container runtime for another attempt when it gets no answer. */
const GRACE_MS = 5_000;
/** Calls in progress; more get status 503, and the helper asks for another attempt. */
const MAX_CALLS = 256;
/** Time for the body of a request. */
const BODY_MS = 10_000;

const log = scope("cni-plugin");

/**
 * Listens on both sockets. Sockets that an agent before this one left behind are replaced.
 *
 * @throws {MeshError} `cni-socket` when a socket cannot be made
 */
export async function servePlugin(options: ServePluginOptions): Promise<PluginServer> {
  const { socketPath, logSocketPath, signal } = options;
  const grace = { signal, graceMs: GRACE_MS };
  const lines = await serveSocket({ path: logSocketPath, ...grace, answer: writeLine });
  let calls = 0;
  const events = await serveSocket({
    path: socketPath,
    ...grace,
    async answer(request) {
      if (calls >= MAX_CALLS) return new Response("too many calls\n", { status: 503 });
      calls++;
      try {
        return await answerCall(request, options);
      } finally {
        calls--;
      }
    },
  });
  log.info("listening for the plugin", { socket: socketPath });
  return { finished: Promise.all([lines.finished, events.finished]).then(() => {}) };
}

async function answerCall(request: Request, deps: PluginDeps): Promise<Response> {
  if (new URL(request.url).pathname === AMBIENT_PATH) return await answerAmbient(request, deps);
  const call = await bodyOf(request, "/cni", MAX_CALL_BYTES);
  if (call instanceof Response) return call;
  if (!isCall(call)) return refuse(400, "the body is not a call: {env, stdin}");
  return Response.json(await answerPlugin(call, deps, request.signal));
}

/** Path for plugins that tell of pods in ambient mode alone. */
const AMBIENT_PATH = "/cmdadd";

/** An answer besides 200 asks the container runtime for another attempt. */
async function answerAmbient(request: Request, deps: PluginDeps): Promise<Response> {
  const event = await bodyOf(request, AMBIENT_PATH, MAX_LINE_BYTES);
  if (event instanceof Response) return event;
  const read = readEvent(event);
  if (read === undefined) {
    return refuse(400, "the body is no pod: {Netns, PodName, PodNamespace, IPs}");
  }
  const { ref, netns, addresses } = read;
  try {
    const pod = await readPod(ref, deps, request.signal);
    const isIn = await addAmbient({ pod, seen: deps.paths.map(netns), addresses }, deps);
    return text(isIn ? "added\n" : "not in ambient mode\n");
  } catch (error) {
    log.error(messageOf(error), { pod: podName(ref) });
    return refuse(500, messageOf(error));
  }
}

interface AmbientEvent {
  readonly ref: PodRef;
  readonly netns: string;
  readonly addresses: readonly string[];
}

function readEvent(value: unknown): AmbientEvent | undefined {
  if (!isObject(value)) return undefined;
  const { Netns: netns, PodName: name, PodNamespace: namespace, IPs: ips = [] } = value;
  if (typeof netns !== "string" || typeof name !== "string" || typeof namespace !== "string") {
    return undefined;
  }
  const listed = ips === null ? [] : ips;
  if (!Array.isArray(listed)) return undefined;
  const addresses = listed.map(addressOf).filter((one) => one !== undefined);
  return { ref: { namespace, name }, netns, addresses };
}

/** `10.0.0.1`, `10.0.0.1/24`, or an object with such a text as `address`. */
function addressOf(value: unknown): string | undefined {
  const given = isObject(value) ? value.address ?? value.Address : value;
  const address = isObject(given) ? given.IP : given;
  return typeof address === "string" ? address.replace(/\/.*/, "") : undefined;
}

/** The body of a `POST` to a path as JSON, or the answer that refuses it. */
async function bodyOf(request: Request, path: string, maxBytes: number): Promise<unknown> {
  if (new URL(request.url).pathname !== path) return refuse(404, `it takes POST ${path}`);
  if (request.method !== "POST") return refuse(405, `it takes POST ${path}`);
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(BODY_MS)]);
  try {
    return JSON.parse(await readBody(request, maxBytes, signal));
  } catch (error) {
    return refuse(400, messageOf(error));
  }
}

function refuse(status: number, reason: string): Response {
  return new Response(`${reason}\n`, { status });
}

function isCall(value: unknown): value is PluginCall {
  return isObject(value) && typeof value.stdin === "string" && isObject(value.env) &&
    Object.values(value.env).every((one) => typeof one === "string");
}

const LEVELS: ReadonlySet<string> = new Set(["debug", "info", "warn", "error"]);

async function writeLine(request: Request): Promise<Response> {
  const line = await bodyOf(request, "/log", MAX_LINE_BYTES);
  if (line instanceof Response) return line;
  if (!isObject(line) || typeof line.msg !== "string") {
    return refuse(400, "the body is not a line: {level, msg}");
  }
  const { level, msg, ...fields } = line;
  const known = typeof level === "string" && LEVELS.has(level) ? level as keyof Logger : "info";
  (log[known] as Logger["info"])(msg, fields);
  return new Response(null, { status: 204 });
}
