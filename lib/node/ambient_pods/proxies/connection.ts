/**
 * The connection of one node proxy: what it knows is brought to what the roster has, one message after the
 * other.
 *
 * @module
 */
import { scope } from "../../../kit/log/mod.ts";
import type { Bridge } from "./bridge.ts";
import {
  ackError,
  addMessage,
  delMessage,
  isHello,
  keepMessage,
  snapshotSentMessage,
} from "./messages.ts";
import type { Roster, RosterEntry } from "./roster.ts";

const log = scope("ambient");

/** Times of a connection, milliseconds. */
export interface ConnectionTimes {
  /** For the first message. */
  readonly helloMs: number;
  /** For the answer to a message. */
  readonly answerMs: number;
}

/** Dependencies of a connection. */
export interface ConnectionOptions {
  readonly id: number;
  readonly bridge: Bridge;
  readonly roster: Roster;
  readonly times: ConnectionTimes;
  /** It gets new pods: it is the newest one that has said hello. */
  isServing(): boolean;
  /** Called after each change of what is known. Must not throw. */
  changed(): void;
}

/** The state of a pod at a node proxy: the version of the entry, and why it refused it. */
interface Known {
  readonly version: number;
  readonly kind: "added" | "kept" | "refused";
  readonly reason?: string;
}

type Step =
  | { readonly kind: "add" | "keep"; readonly entry: RosterEntry }
  | { readonly kind: "del"; readonly uid: string }
  | { readonly kind: "snapshot" };

/** The state of what one node proxy knows, with the work on it. */
export class NodeProxyConnection {
  readonly id: number;
  readonly #options: ConnectionOptions;
  readonly #known = new Map<string, Known>();
  #greeted = false;
  #snapshotSent = false;
  #isOpen = true;
  #isWorking = false;
  #answer: ((error: string) => void) | undefined;
  #timer: ReturnType<typeof setTimeout>;

  constructor(options: ConnectionOptions) {
    this.id = options.id;
    this.#options = options;
    const { helloMs } = options.times;
    this.#timer = setTimeout(() => this.#refuse("it said no hello in time"), helloMs);
  }

  /** It has said hello and is there. */
  get isReady(): boolean {
    return this.#greeted && this.#isOpen;
  }

  /** It was told of all pods that were there when it came. */
  get hasSnapshot(): boolean {
    return this.isReady && this.#snapshotSent;
  }

  /** True if it serves an entry, a text if it refused it, `undefined` if it has not answered. */
  stateOf({ uid, version }: RosterEntry): true | string | undefined {
    const known = this.#known.get(uid);
    if (known?.version !== version) return undefined;
    if (known.kind === "refused") return known.reason ?? "";
    return known.kind === "added" ? true : undefined;
  }

  /** False when it has no trace of a pod. */
  knows(uid: string): boolean {
    return this.isReady && this.#known.has(uid);
  }

  /** The roster, or the connection that serves, has changed. */
  wake(): void {
    if (!this.isReady || this.#isWorking) return;
    this.#isWorking = true;
    void this.#work();
  }

  message(data: Uint8Array): void {
    if (!this.#greeted) return this.#greet(data);
    const error = ackError(data);
    const answer = this.#answer;
    if (error === undefined || answer === undefined) {
      return this.#refuse("it sent a message that nothing asked for");
    }
    this.#answer = undefined;
    answer(error);
  }

  /** The connection has ended. */
  closed(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.#answer?.("the connection has ended");
    this.#answer = undefined;
  }

  #greet(data: Uint8Array): void {
    if (!isHello(data)) return this.#refuse("its first message is no hello of version 1");
    clearTimeout(this.#timer);
    this.#greeted = true;
    log.info("a node proxy has connected", { connection: this.id });
    this.#options.changed();
    this.wake();
  }

  #refuse(reason: string): void {
    log.error("a node proxy is disconnected", { connection: this.id, reason });
    this.#options.bridge.close(this.id);
  }

  async #work(): Promise<void> {
    for (let step = this.#next(); step !== undefined && this.#isOpen; step = this.#next()) {
      await this.#take(step);
      this.#options.changed();
    }
    this.#isWorking = false;
  }

  /** The next message to it. Pods that are gone come first: all connections are told of them. */
  #next(): Step | undefined {
    const { roster } = this.#options;
    for (const uid of this.#known.keys()) {
      if (roster.get(uid) === undefined) return { kind: "del", uid };
    }
    if (!roster.isComplete || !this.#options.isServing()) return undefined;
    for (const entry of roster.values()) {
      if (this.#known.get(entry.uid)?.version === entry.version) continue;
      if (entry.netns !== undefined) return { kind: "add", entry };
      if (!this.#snapshotSent) return { kind: "keep", entry };
    }
    return this.#snapshotSent ? undefined : { kind: "snapshot" };
  }

  async #take(step: Step): Promise<void> {
    switch (step.kind) {
      case "snapshot":
        await this.#ask(snapshotSentMessage());
        this.#snapshotSent = true;
        log.info("a node proxy knows the pods of the node", {
          connection: this.id,
          pods: this.#known.size,
        });
        return;
      case "del": {
        const error = await this.#ask(delMessage(step.uid));
        this.#known.delete(step.uid);
        if (error !== "") log.debug("a pod was gone already", { uid: step.uid, reason: error });
        return;
      }
      case "keep":
        await this.#ask(keepMessage(step.entry.uid));
        this.#known.set(step.entry.uid, { version: step.entry.version, kind: "kept" });
        return;
      case "add":
        return await this.#add(step.entry);
    }
  }

  async #add({ uid, version, info, netns }: RosterEntry): Promise<void> {
    const reason = await this.#ask(addMessage(uid, info), netns);
    if (reason === "") {
      this.#known.set(uid, { version, kind: "added" });
      return;
    }
    this.#known.set(uid, { version, kind: "refused", reason });
    if (!this.#isOpen) return;
    log.warn("a node proxy does not serve a pod", {
      pod: [info.namespace, info.name].join("/"),
      reason,
    });
    // Without any word of it the end of the snapshot would end a pod that it serves.
    if (!this.#snapshotSent) await this.#ask(keepMessage(uid));
  }

  /** Sends a message and waits for the answer: the error that it names; empty: none. */
  async #ask(data: Uint8Array, netns?: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#answer = resolve;
    const sent = await this.#options.bridge.send(this.id, data, netns);
    if (sent.kind === "failed") {
      this.#answer = undefined;
      if (!sent.descriptor && this.#isOpen) this.#refuse(`it takes no message: ${sent.reason}`);
      return sent.reason || "it cannot be told";
    }
    const { answerMs } = this.#options.times;
    this.#timer = setTimeout(() => {
      this.#refuse(`it did not answer within ${answerMs} ms`);
      resolve("it did not answer");
    }, answerMs);
    const error = await promise;
    clearTimeout(this.#timer);
    return error;
  }
}
