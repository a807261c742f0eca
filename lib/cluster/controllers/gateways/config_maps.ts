/**
 * The ConfigMaps that Gateways and their classes refer to. Each is followed alone: a cluster has many
 * others.
 *
 * @module
 */
import { objectKey } from "../../../mesh/model/mod.ts";
import { type Following, type ObjectName, types } from "../../../kit/orch/mod.ts";
import { observe, type Term, type Wake } from "../reconcile.ts";
import type { ConfigMapItem } from "./types.ts";

/** Followed ConfigMaps of a set of references that changes. */
export class ReferredConfigMaps implements AsyncDisposable {
  readonly #followed = new Map<string, Following<ConfigMapItem>>();
  readonly #term: Term;
  readonly #wake: Wake;

  constructor(term: Term, wake: Wake) {
    this.#term = term;
    this.#wake = wake;
  }

  /** Follows the ConfigMaps of these names and no others; resolves when all are known, or the term ends. */
  async follow(names: readonly Required<ObjectName>[]): Promise<void> {
    const { signal } = this.#term;
    const wanted = new Map(names.map((name) => [objectKey(name), name]));
    for (const [key, one] of this.#followed) {
      if (wanted.has(key)) continue;
      this.#followed.delete(key);
      await one.close();
    }
    for (const [key, { namespace, name }] of wanted) {
      if (this.#followed.has(key)) continue;
      const selection = { namespace, fieldSelector: `metadata.name=${name}` };
      const one = observe<ConfigMapItem>(this.#term, types.CONFIG_MAP, {
        wake: this.#wake,
        selection,
      });
      this.#followed.set(key, one);
    }
    const known = Promise.all([...this.#followed.values()].map(({ synced }) => synced));
    await Promise.race([known, ended(signal)]);
  }

  get(namespace: string, name: string): ConfigMapItem | undefined {
    return this.#followed.get(objectKey({ namespace, name }))?.get({ namespace, name });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#followed.values()].map((one) => one.close()));
  }
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener("abort", () => done(), { once: true });
  });
}
