import { endsWithin } from "../async/mod.ts";
import { counter } from "../metrics/mod.ts";
import { intervalLogger, scope } from "../log/mod.ts";
import { formatAddress, isLoopback, type ListenAddress, parseAddress } from "./address.ts";
import { answerRequest, type Refusal, type ServerContext } from "./exchange.ts";
import type { ConnectionFault, ConnectionLimits } from "./front.ts";
import { listen } from "./listener.ts";
import { createPace } from "./pace.ts";
import type { Route } from "./route.ts";
import { createSlots, type SlotLimits } from "./slots.ts";

const log = scope("default");
const refused = counter({
  name: "mesh_web_refused_requests_total",
  help: "HTTP requests and connections that were refused or closed, by reason.",
  labels: ["listener", "reason"],
});

/** Bounds of a listener. */
export interface WebLimits extends SlotLimits, ConnectionLimits {
  /** Size of a request's body, bytes. */
  readonly maxBodyBytes: number;
}

const DEFAULT_LIMITS: WebLimits = {
  maxConnections: 512,
  maxPerAddress: 256,
  maxHeadBytes: 8 << 20,
  headersTimeoutMs: 10_000,
  // Longer than collectors of metrics usually wait between two requests.
  idleTimeoutMs: 75_000,
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
  /** Serves further routes, after the present ones. */
  add(routes: readonly Route[]): void;
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

function open({ name, ...options }: WebOptions): WebServer {
  const routes = [...options.routes];
  const wanted = parseAddress(options.address);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const warning = intervalLogger(log);
  const refuse = (reason: Refusal | ConnectionFault, peer: string) => {
    refused.inc({ listener: name, reason });
    if (reason === "stopping") return;
    warning(`${peer} ${reason}`)?.warn("refused a request", { listener: name, reason, peer });
  };
  const slots = () => createSlots(limits, () => listener.closeStalled());
  const stopping = new AbortController();
  const context: ServerContext = {
    name,
    routes,
    limits,
    slots: { probes: slots(), others: slots() },
    pace: createPace(() => performance.now()),
    loopback: isLoopback(wanted.hostname),
    stopping: stopping.signal,
    refused: refuse,
  };
  const listener = listen({
    address: wanted,
    where: `${options.address} (${name})`,
    limits,
    answer: (...given) => answerRequest(context, ...given),
    onFault: refuse,
  });
  log.debug("listening", { listener: name, address: formatAddress(listener.address) });
  return {
    address: listener.address,
    add: (more) => void routes.push(...more),
    async stop(graceMs) {
      stopping.abort();
      const { probes, others } = context.slots;
      const until = performance.now() + graceMs;
      await endsWithin(graceMs, Promise.all([probes.idle(), others.idle()]));
      await listener.close(Math.max(0, until - performance.now()));
    },
  };
}
