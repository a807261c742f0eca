/**
 * The addresses of pods in ambient mode, in the network of the node.
 *
 * @module
 */
import type { HostRules } from "./host_rules.ts";

/** Addresses by pod. Changes that come together are one change of the rules. */
export class HostAddresses {
  readonly #rules: HostRules;
  readonly #pods = new Map<string, readonly string[]>();
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(rules: HostRules) {
    this.#rules = rules;
  }

  /** Writes the addresses of a pod; resolves when the rules have them. */
  async put(uid: string, addresses: readonly string[]): Promise<void> {
    const before = this.#pods.get(uid);
    if (before?.join() === addresses.join()) return;
    this.#pods.set(uid, addresses);
    await this.write();
  }

  /** Takes the addresses of a pod out. */
  async delete(uid: string): Promise<void> {
    if (this.#pods.delete(uid)) await this.write();
  }

  /** Brings the rules of the node to what is known. */
  write(): Promise<void> {
    // What is written now may be older than this change: one more follows.
    this.#next ??= (this.#running ?? Promise.resolve()).catch(() => {}).then(() => {
      this.#next = undefined;
      const pods = [...this.#pods].map(([uid, addresses]) => ({ uid, addresses }));
      this.#running = this.#rules.replace(pods);
      return this.#running;
    });
    return this.#next;
  }

  /** Takes the rules of the node away. */
  remove(): Promise<void> {
    return this.#rules.remove();
  }
}
