/**
 * A stream of the proxy while the daemon cannot be reached: a proxy without configuration is served
 * from the saved one.
 *
 * @module
 */
import { sleep } from "../../../kit/async/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { AGENT_TYPE_URLS } from "../../../mesh/model/mod.ts";
import { type RpcCall, RpcError } from "../../../kit/rpc/mod.ts";
import type { Interception } from "../intercept.ts";
import { DELTA_REPLAY, type Replay, type ReplayedRequest, type ReplayVariant } from "./replay.ts";
import type { SavedConfiguration } from "./saved.ts";
import { SOTW_REPLAY } from "./sotw_replay.ts";
import type { Variant } from "./types.ts";

const log = scope("xdsproxy");

const REPLAYS: Readonly<Record<Variant, ReplayVariant>> = {
  delta: DELTA_REPLAY,
  sotw: SOTW_REPLAY,
};

/** A stream that waits for the daemon. */
export interface WaitingStream {
  readonly call: RpcCall;
  /** Resolves when the daemon accepts connections, with false when the wait was given up. */
  readonly connected: Promise<boolean>;
  /** Aborted when the stream is over. */
  readonly signal: AbortSignal;
  /** The agent's own subscriptions, which are served too. */
  readonly interception: Interception;
}

/**
 * Waits for the daemon, and serves the proxy meanwhile if it has no configuration.
 *
 * @returns the messages of the proxy from the first one; undefined: the stream is over
 * @throws RpcError `UNAVAILABLE` when the daemon is back after the proxy was served: it connects again
 * and, on a delta stream, names the versions that it has
 */
export async function untilConnected(
  saved: SavedConfiguration,
  stream: WaitingStream,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const { call, connected, signal, interception } = stream;
  const early = new AbortController();
  await Promise.race([
    connected.then(() => early.abort()),
    sleep(saved.patienceMs, AbortSignal.any([signal, early.signal])),
  ]);
  if (early.signal.aborted || saved.configuration.size === 0) {
    return await connected ? call.messages : undefined;
  }
  const incoming = call.messages[Symbol.asyncIterator]();
  const first = incoming.next();
  const begin = await Promise.race([first, connected]);
  if (typeof begin === "boolean") return begin ? resumed(first, incoming) : undefined;
  const replay = REPLAYS[saved.variant].replay(saved.configuration);
  const request = begin.done ? undefined : readRequest(replay, begin.value);
  // A proxy that has configuration keeps it.
  if (!request?.isFresh || request.typeUrl === "") {
    return await connected ? resumed(first, incoming) : undefined;
  }
  serveAgent(saved, interception);
  log.warn("the daemon is away: the proxy is served from the saved configuration");
  await serve(replay, { call, connected, incoming, request });
  return undefined;
}

/** A request; undefined for bytes that are none. */
function readRequest(replay: Replay, message: Uint8Array): ReplayedRequest | undefined {
  try {
    return replay.read(message);
  } catch {
    return undefined;
  }
}

/** The name table of the DNS proxy. */
function serveAgent(
  { configuration, variant }: SavedConfiguration,
  interception: Interception,
): void {
  const typeUrl = AGENT_TYPE_URLS.nameTable;
  const resources = configuration.get(typeUrl);
  if (resources?.size) {
    interception.take(REPLAYS[variant].agentResponse(typeUrl, resources));
  }
}

interface ServedStream extends Pick<WaitingStream, "call" | "connected"> {
  readonly incoming: AsyncIterator<Uint8Array>;
  readonly request: ReplayedRequest;
}

async function serve(replay: Replay, stream: ServedStream): Promise<void> {
  const { call, connected, incoming } = stream;
  let request: ReplayedRequest | undefined = stream.request;
  for (;;) {
    if (request?.rejection !== undefined) {
      const { typeUrl, rejection: reason } = request;
      log.warn("the proxy rejects the saved configuration", { typeUrl, reason });
    }
    for (const answer of request?.answer() ?? []) {
      if (!call.send(answer)) await call.drained();
    }
    const next = await Promise.race([incoming.next(), connected]);
    if (typeof next === "boolean") {
      if (!next) return;
      log.info("the daemon is back");
      throw new RpcError("UNAVAILABLE", "the daemon is back");
    }
    if (next.done) return;
    request = readRequest(replay, next.value);
  }
}

/** All messages from the first one, which was asked for. */
async function* resumed(
  first: Promise<IteratorResult<Uint8Array>>,
  incoming: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let next = await first; !next.done; next = await incoming.next()) yield next.value;
}
