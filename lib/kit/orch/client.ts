/**
 * The client of an API server: requests at a limited rate, repeated when the server asks for it.
 *
 * @module
 */
import { sleep } from "../async/mod.ts";
import { MeshError } from "../base/mod.ts";
import { type Access } from "./access.ts";
import { OrchError } from "./error.ts";
import { createFollowedTypes, type FollowedTypes } from "./follow_state.ts";
import { createRateLimit, type RateClock, type RateLimit, type RateOptions } from "./rate.ts";
import { createTransport, type OrchRequest, type Transport } from "./transport.ts";

/** Attempts of a request that the server throttles (429, or 503 with a time). */
const ATTEMPTS = 6;
/** Longest pause that the server can ask for, in milliseconds. */
const LONGEST_PAUSE_MS = 30_000;

export interface ClientOptions {
  readonly rate: RateOptions;
  /** Clock of the rate limit; default the system's. */
  readonly clock?: RateClock;
}

/** A client of one API server. */
export interface OrchClient extends Disposable {
  readonly access: Pick<Access, "server" | "name" | "namespace">;
  /** The resource types that are followed by this client. */
  readonly followed: FollowedTypes;
  /**
   * Sends a request and returns the text of the answer. A request that the server throttles is
   * repeated after the time that it names; one with a refused token is repeated once.
   *
   * @throws OrchError
   */
  text(request: OrchRequest): Promise<string>;
  /** Like `text`; returns the JSON of the answer. The type is the caller's claim. */
  json<T>(request: OrchRequest): Promise<T>;
  /** Like `text`; returns a stream. Its body must be read to its end or cancelled. */
  stream(request: OrchRequest): Promise<ReadableStream<Uint8Array>>;
  /** Drops the connections, after a server was found to be stuck. */
  renew(): void;
}

/** Rate of tools without flags for it: the defaults of `--orchApiQPS` and `--orchApiBurst`. */
export const DEFAULT_RATE: RateOptions = { qps: 80, burst: 160 };

/** Creates a client. It opens no connection before the first request. */
export function createClient(
  access: Access,
  { rate, clock }: ClientOptions = { rate: DEFAULT_RATE },
): OrchClient {
  const transport = createTransport(access);
  const limit = createRateLimit(rate, clock);
  const text = (request: OrchRequest): Promise<string> =>
    repeat({ transport, limit, request, attempt: () => transport.read(request) });
  const { server, name, namespace } = access;
  return {
    access: { server, name, namespace },
    followed: createFollowedTypes(),
    text,
    json: async (request) => JSON.parse(await text(request)),
    stream: async (request) => {
      const attempt = (): Promise<Response> => transport.open(request);
      const { body } = await repeat({ transport, limit, request, attempt });
      return body ?? new ReadableStream({ start: (controller) => controller.close() });
    },
    renew: () => transport.renew(),
    [Symbol.dispose]: () => transport[Symbol.dispose](),
  };
}

/** The same client; each attempt of a write waits for `guard` right before it is sent. */
export function guardWrites(client: OrchClient, guard: () => Promise<void>): OrchClient {
  const guarded = (request: OrchRequest): OrchRequest =>
    (request.method ?? "GET") === "GET" ? request : { ...request, guard };
  return {
    access: client.access,
    followed: client.followed,
    text: (request) => client.text(guarded(request)),
    json: (request) => client.json(guarded(request)),
    stream: (request) => client.stream(guarded(request)),
    renew: () => client.renew(),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}

interface Repeated<T> {
  readonly transport: Transport;
  readonly limit: RateLimit;
  readonly request: OrchRequest;
  readonly attempt: () => Promise<T>;
}

async function repeat<T>({ transport, limit, request, attempt: send }: Repeated<T>): Promise<T> {
  let refused = false;
  for (let attempt = 1;; attempt++) {
    await limit.take(request.signal);
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof OrchError)) throw asUnreadable(request, error);
      if (error.status === 0) transport.renew();
      if (error.status === 401 && !refused) {
        refused = true;
        // A client certificate may have been replaced, too.
        transport.renew();
        continue;
      }
      const pause = pauseAfter(error, attempt);
      if (pause === undefined) throw error;
      await sleep(pause, request.signal);
      request.signal?.throwIfAborted();
    }
  }
}

/** Milliseconds until the next attempt; `undefined`: none. */
function pauseAfter({ status, retryAfterMs }: OrchError, attempt: number): number | undefined {
  const throttled = status === 429 || status === 503 && retryAfterMs !== undefined;
  if (!throttled || attempt >= ATTEMPTS) return undefined;
  const asked = Math.min(LONGEST_PAUSE_MS, retryAfterMs ?? 1000);
  // Clients that were throttled together do not come back together.
  return asked + Math.random() * asked / 2;
}

/** Files of tokens and certificates that cannot be read. */
function asUnreadable({ path, signal }: OrchRequest, error: unknown): unknown {
  if (error instanceof MeshError || signal?.aborted) return error;
  return new MeshError("orch-credentials", `${path}: the credentials cannot be read`, {
    remedy: "Check the files that the configuration names.",
    cause: error,
  });
}
