/**
 * Objects as the controller has applied them, to notice changes by others.
 *
 * @module
 */
import { canonicalJson } from "../../../kit/base/mod.ts";
import { isMap } from "../../../kit/template/mod.ts";

interface Application {
  /** The applied object. */
  readonly desired: string;
  /** The fields of the applied object, as the server gave them back: it completes and normalizes. */
  readonly stored: string;
}

/** The applications of one term. */
export class Applied {
  readonly #known = new Map<string, Application>();

  /** True if the object must be applied: it is new, it is not there, or its fields are not as stored. */
  isDue(key: string, desired: unknown, observed: unknown): boolean {
    const known = this.#known.get(key);
    return known === undefined || observed === undefined ||
      known.desired !== canonicalJson(desired) ||
      known.stored !== canonicalJson(projected(desired, observed));
  }

  /** Remembers what the server stored of an object. */
  note(key: string, desired: unknown, stored: unknown): void {
    this.#known.set(key, {
      desired: canonicalJson(desired),
      stored: canonicalJson(projected(desired, stored)),
    });
  }

  /** Forgets what is not among the keys. */
  keep(keys: ReadonlySet<string>): void {
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
  }
}

/** The part of a value that has the fields of `shape`. Elements of lists are compared by place. */
function projected(shape: unknown, value: unknown): unknown {
  if (isMap(shape)) {
    if (!isMap(value)) return value;
    return Object.fromEntries(
      Object.entries(shape).filter(([name]) => value[name] !== undefined)
        .map(([name, one]) => [name, projected(one, value[name])]),
    );
  }
  if (!Array.isArray(shape) || !Array.isArray(value)) return value;
  return value.map((one, at) => at < shape.length ? projected(shape[at], one) : one);
}
