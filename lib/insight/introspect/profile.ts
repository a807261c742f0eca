/**
 * `/debug/pprof`: profiles of the running process in the formats of its JavaScript engine, which
 * the developer tools of browsers open. Only for clients on this machine: profiling costs CPU time,
 * and a heap snapshot has all data of the process.
 *
 * @module
 */
import { sleep } from "../../kit/async/mod.ts";
import { Session } from "node:inspector/promises";
import process from "node:process";
import { getHeapSnapshot, getHeapStatistics } from "node:v8";
import { MeshError } from "../../kit/base/mod.ts";
import { answer, h, json, page, type Route, table, text, type WebCall } from "../../kit/web/mod.ts";
import { readingHere } from "./access.ts";
import { redactUrls } from "./redact.ts";

const DEFAULT_SECONDS = 30;
const MAX_SECONDS = 60;

/**
 * Request timeout that a listener with these routes needs: the longest profile and its transfer.
 */
export const PROFILE_LIMITS: { readonly handlerTimeoutMs: number } = {
  handlerTimeoutMs: (MAX_SECONDS + 30) * 1000,
};

/** Profiles: name below `/debug/pprof/`, and description. */
const PROFILES: readonly (readonly [name: string, gives: string])[] = [
  ["cmdline", "the command line, words separated by NUL"],
  ["profile", `where CPU time goes, sampled for ?seconds=${DEFAULT_SECONDS}: a .cpuprofile`],
  ["allocs", `where memory is allocated, sampled for ?seconds=${DEFAULT_SECONDS}: a .heapprofile`],
  ["heap", "all objects: a .heapsnapshot; stops the process meanwhile. ?debug=1: sizes alone"],
];

/** Unsupported profiles, with the reason. */
const ABSENT: Readonly<Record<string, string>> = {
  block: "one thread runs the program, and it never waits for another one",
  goroutine: "the runtime has no list of what is waiting; heap shows the promises",
  mutex: "one thread runs the program, so there are no locks to wait for",
  symbol: "profiles of this runtime hold names, so there is nothing to look up",
  threadcreate: "the threads belong to the runtime, which does not say who asked for them",
  trace: "the runtime has no execution traces; profile shows where time goes",
};

/** Routes for the listener of `--profile`, and for introspection. */
export function profileRoutes(): Route[] {
  const sample = oneAtATime();
  return [
    ...readingHere("/debug/pprof", index),
    ...readingHere("/debug/pprof/cmdline", () => text(process.argv.map(redactUrls).join("\0"))),
    ...readingHere("/debug/pprof/profile", (call) => sample(call, CPU)),
    ...readingHere("/debug/pprof/allocs", (call) => sample(call, ALLOCATIONS)),
    ...readingHere("/debug/pprof/heap", heap),
    ...readingHere("/debug/pprof/:name", ({ params }) => {
      const name = params.name ?? "";
      const why = Object.hasOwn(ABSENT, name) ? ABSENT[name] : undefined;
      if (why === undefined) return text(`there is no profile ${name}\n`, { status: 404 });
      return text(`there is no profile ${name} in this runtime: ${why}\n`, { status: 501 });
    }),
  ];
}

function index(): Response {
  return page({
    title: "Mesh: profiles",
    body: [
      table({
        caption: "Profiles",
        columns: ["Name", "What it gives"],
        rows: PROFILES.map(([name, gives]) => [
          h("a", { href: `/debug/pprof/${name}` }, name),
          gives,
        ]),
      }),
      table({
        caption: "Without a counterpart in this runtime",
        columns: ["Name", "Why"],
        rows: Object.entries(ABSENT),
      }),
    ],
  });
}

/** A sampling profiler of the engine. */
interface Sampler {
  readonly enable: string;
  readonly start: string;
  readonly parameters?: Readonly<Record<string, boolean>>;
  readonly stop: string;
  readonly file: string;
}

const CPU: Sampler = {
  enable: "Profiler.enable",
  start: "Profiler.start",
  stop: "Profiler.stop",
  file: "mesh.cpuprofile",
};

const ALLOCATIONS: Sampler = {
  enable: "HeapProfiler.enable",
  start: "HeapProfiler.startSampling",
  // Freed allocations are included; the snapshot has retained ones.
  parameters: { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true },
  stop: "HeapProfiler.stopSampling",
  file: "mesh.heapprofile",
};

/** One profile at a time, because two would show each other's work. */
function oneAtATime(): (call: WebCall, sampler: Sampler) => Promise<Response> {
  let busy = false;
  return async (call, sampler) => {
    const seconds = secondsOf(call.url);
    if (seconds === undefined) {
      return text(`give ?seconds= as a whole number from 1 to ${MAX_SECONDS}\n`, { status: 400 });
    }
    if (busy) return text("another profile is being taken\n", { status: 409 });
    busy = true;
    try {
      return download(JSON.stringify(await take(sampler, seconds, call.signal)), sampler.file);
    } catch (error) {
      if (error instanceof MeshError) return text(`${error.message}\n`, { status: 501 });
      throw error;
    } finally {
      busy = false;
    }
  };
}

function secondsOf(url: URL): number | undefined {
  const given = url.searchParams.get("seconds") ?? String(DEFAULT_SECONDS);
  const seconds = Number(given);
  return /^\d{1,3}$/.test(given) && seconds >= 1 && seconds <= MAX_SECONDS ? seconds : undefined;
}

/** Samples until the time is over or the client disconnects. */
async function take(sampler: Sampler, seconds: number, signal: AbortSignal): Promise<unknown> {
  const session = connect();
  const post = session.post.bind(session) as (
    method: string,
    parameters?: Sampler["parameters"],
  ) => Promise<object>;
  try {
    await post(sampler.enable);
    await post(sampler.start, sampler.parameters);
    await sleep(seconds * 1000, signal);
    signal.throwIfAborted();
    const result = await post(sampler.stop);
    return "profile" in result ? result.profile : undefined;
  } finally {
    session.disconnect();
  }
}

function connect(): Session {
  const session = new Session();
  try {
    session.connect();
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotCapable)) throw cause;
    throw new MeshError(
      "profile-not-permitted",
      "the process may not profile itself, as its permission set leaves out the inspector; run it " +
        "with --allow-sys",
      { cause },
    );
  }
  return session;
}

function heap({ url }: WebCall): Response {
  const debug = url.searchParams.get("debug");
  if (debug !== null && debug !== "0") return json(getHeapStatistics());
  return download(ReadableStream.from(bytes(getHeapSnapshot())), "mesh.heapsnapshot");
}

async function* bytes(parts: AsyncIterable<unknown>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  for await (const part of parts) {
    yield typeof part === "string" ? encoder.encode(part) : Uint8Array.from(part as Uint8Array);
  }
}

function download(body: string | ReadableStream<Uint8Array<ArrayBuffer>>, file: string): Response {
  const { headers } = answer(null, "");
  headers.set("content-type", "application/json");
  headers.set("content-disposition", `attachment; filename="${file}"`);
  return new Response(body, { headers });
}
