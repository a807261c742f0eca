/**
 * The node proxies of a node: usually one, two while one follows the other. The newest gets new pods; all are
 * told of pods that are gone.
 *
 * @module
 */
import { pauseAfter, sleep } from "../../../kit/async/mod.ts";
import { MeshError, messageOf } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { gauge } from "../../../kit/metrics/mod.ts";
import { type Bridge, openBridge } from "./bridge.ts";
import { type ConnectionTimes, NodeProxyConnection } from "./connection.ts";
import { Roster, type RosterPod } from "./roster.ts";

const log = scope("ambient");

const connected = gauge({
  name: "ztunnel_connected",
  help: "Node proxies that are connected to the agent of this node.",
});

/** Options of {@link NodeProxies}. */
export interface NodeProxiesOptions {
  /** Path of the program that has the socket. */
  readonly helper: string;
  readonly socketPath: string;
  readonly times?: Partial<ConnectionTimes>;
}

const TIMES: ConnectionTimes = { helloMs: 10_000, answerMs: 10_000 };
/** Pauses between starts of the helper, milliseconds. */
const STARTS = { first: 200, longest: 10_000, growth: 2 };

/** The node proxies, and the pods that they are told of. */
export class NodeProxies {
  readonly #options: NodeProxiesOptions;
  readonly #roster = new Roster();
  /** By the order in which they connected. */
  readonly #connections = new Map<number, NodeProxyConnection>();
  readonly #waiting = new Set<() => void>();

  constructor(options: NodeProxiesOptions) {
    this.#options = options;
    connected.set(0);
  }

  /** Listens until the signal. A helper that ends is started again. */
  async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.#serve(signal);
        failures = 0;
      } catch (error) {
        log.error("node proxies cannot connect", { reason: messageOf(error) });
      }
      if (!signal.aborted) await sleep(pauseAfter(++failures, STARTS), signal);
    }
  }

  /** Writes a pod; `again`: it is sent once more. */
  put(pod: RosterPod, again = false): void {
    this.#roster.put(pod, again);
    this.#wake();
  }

  /** Takes a pod away. */
  drop(uid: string): void {
    if (this.#roster.delete(uid)) this.#wake();
  }

  /** All pods of the node were written: node proxies can be told that others are not of the mesh. */
  complete(): void {
    this.#roster.isComplete = true;
    this.#wake();
  }

  /** The number of node proxies that are connected. */
  get count(): number {
    return [...this.#connections.values()].filter((one) => one.isReady).length;
  }

  /**
   * Waits until the newest node proxy serves a pod.
   *
   * @throws {MeshError} `ambient-node-proxy` if it refuses it, or does not say so in time
   */
  async served(uid: string, timeoutMs: number): Promise<void> {
    let refusal: string | undefined;
    const isDone = () => {
      const entry = this.#roster.get(uid);
      if (entry === undefined) {
        refusal = "the pod was taken away";
        return true;
      }
      const state = this.#newest()?.stateOf(entry);
      if (typeof state === "string") refusal = state;
      return state !== undefined;
    };
    const why = () => this.count === 0 ? "no node proxy is connected" : "it has not answered";
    if (!await this.#until(isDone, timeoutMs)) refusal = why();
    if (refusal === undefined) return;
    throw new MeshError("ambient-node-proxy", `the node proxy does not serve the pod: ${refusal}`, {
      remedy: "It is tried again. Check the pod of the DaemonSet ztunnel on this node.",
    });
  }

  /** Waits until no node proxy has a pod any longer, or until the time is over. */
  async forgotten(uid: string, timeoutMs: number): Promise<void> {
    await this.#until(
      () => [...this.#connections.values()].every((one) => !one.knows(uid)),
      timeoutMs,
    );
  }

  async #serve(signal: AbortSignal): Promise<void> {
    const { helper, socketPath } = this.#options;
    await using bridge = await openBridge(helper, socketPath, {
      opened: (id, bridge) => this.#opened(id, bridge),
      message: (id, data) => this.#connections.get(id)?.message(data),
      closed: (id, reason) => this.#closed(id, reason),
    });
    log.info("listening for node proxies", { socket: socketPath });
    const end = new Promise<undefined>((resolve) => {
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const reason = await Promise.race([bridge.ended, end]);
    for (const id of [...this.#connections.keys()]) this.#closed(id, "the helper has ended");
    if (reason !== undefined) throw new Error(`the helper has ended: ${reason}`);
  }

  #opened(id: number, bridge: Bridge): void {
    const connection: NodeProxyConnection = new NodeProxyConnection({
      id,
      bridge,
      roster: this.#roster,
      times: { ...TIMES, ...this.#options.times },
      isServing: () => this.#newest() === connection,
      changed: () => this.#changed(),
    });
    this.#connections.set(id, connection);
  }

  #closed(id: number, reason: string): void {
    const connection = this.#connections.get(id);
    if (connection === undefined) return;
    this.#connections.delete(id);
    if (connection.isReady) {
      log.warn("a node proxy has disconnected", { connection: id, ...reason !== "" && { reason } });
    }
    connection.closed();
    // The one before it serves again.
    this.#wake();
  }

  #newest(): NodeProxyConnection | undefined {
    return [...this.#connections.values()].findLast((one) => one.isReady);
  }

  #wake(): void {
    for (const one of this.#connections.values()) one.wake();
    this.#changed();
  }

  #changed(): void {
    connected.set(this.count);
    for (const check of this.#waiting) check();
  }

  /** Waits for a condition; false: the time is over. */
  async #until(isDone: () => boolean, timeoutMs: number): Promise<boolean> {
    if (isDone()) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const check = () => {
      if (isDone()) resolve(true);
    };
    this.#waiting.add(check);
    const timer = setTimeout(() => resolve(false), timeoutMs);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(check);
    }
  }
}
