import { counter } from "../metrics/mod.ts";
import { intervalLogger, scope } from "../log/mod.ts";
import { formatAddress, isLoopback, type ListenAddress, parseAddress } from "./address.ts";
import { answerRequest, type Refusal, type ServerContext } from "./exchange.ts";
import { listen } from "./listener.ts";
import { createPace } from "./pace.ts";
import type { Route } from "./route.ts";
import { createSlots, type SlotLimits, type SlotsOptions } from "./slots.ts";

const log = scope("default");
const refused = counter({
  name: "mesh_web_refused_requests_total",
  help: "HTTP requests that were refused, by reason; with `stalled` and `accept`, how often all " +
    "connections were closed, because clients took no answers or none could be accepted.",
  labels: ["listener", "reason"],
});

/** Bounds of a listener. */
export interface WebLimits extends SlotLimits {
  /** Size of a request's body, bytes. */
  readonly maxBodyBytes: number;
  /** Time for a handler, milliseconds. */
  readonly handlerTimeoutMs: number;
}

const DEFAULT_LIMITS: WebLimits = {
  maxRequests: 128,
  maxPendingBytes: 32 << 20,
  maxBodyBytes: 1 << 20,
  handlerTimeoutMs: 30_000,
  sendTimeoutMs: 30_000,
  stallTimeoutMs: 5_000,
};

/** Options of a listener. */
export interface WebOptions {
  /** `host:port` or `:port`. */
  readonly address: string;
  readonly routes: readonly Route[];
  /** The purpose of the listener, in messages and metrics; for example `debug`. */
  readonly name: string;
  readonly limits?: Partial<WebLimits>;
}

/** A running listener. */
export interface WebServer {
  /** The bound address; with port 0, the port that the system chose. */
  readonly address: ListenAddress;
  /**
   * Refuses new requests with 503, waits until requests in progress are answered, at most for
   * `graceMs` milliseconds, and closes all connections.
   */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts an HTTP listener. Bound to loopback, it answers only requests that name this machine.
 *
 * @throws {MeshError} `address-invalid`, or `listen-failed` naming the address and the remedy.
 */
export function startWeb(options: WebOptions): Promise<WebServer> {
  return Promise.try(() => open(options));
}

function open({ name, routes, ...options }: WebOptions): WebServer {
  const wanted = parseAddress(options.address);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const warning = intervalLogger(log);
  const refuse = (reason: Refusal | "accept" | "stalled", peer: string, fields = {}) => {
    refused.inc({ listener: name, reason });
    if (reason === "stopping") return;
    const logger = warning(`${peer} ${reason}`);
    logger?.warn("refused a request", { listener: name, reason, peer, ...fields });
  };
  const pool: SlotsOptions = {
    limits,
    now: () => performance.now(),
    memory: () => Deno.memoryUsage().rss,
    onStalled() {
      refuse("stalled", "");
      listener.cutConnections();
    },
  };
  const stopping = new AbortController();
  const context: ServerContext = {
    name,
    routes,
    limits,
    slots: { probes: createSlots(pool), others: createSlots(pool) },
    pace: createPace(() => performance.now()),
    loopback: isLoopback(wanted.hostname),
    stopping: stopping.signal,
    refused: refuse,
  };
  const listener = listen({
    address: wanted,
    where: `${options.address} (${name})`,
    answer: (request, info) => answerRequest(context, request, info),
    onAcceptFailed: (error) => refuse("accept", "", { error }),
  });
  log.debug("listening", { listener: name, address: formatAddress(listener.address) });
  return {
    address: listener.address,
    async stop(graceMs) {
      stopping.abort();
      const { probes, others } = context.slots;
      await atMost(graceMs, Promise.all([probes.idle(), others.idle()]));
      await listener.close();
    },
  };
}

async function atMost(ms: number, ended: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([ended, over.promise]);
  clearTimeout(timer);
}
