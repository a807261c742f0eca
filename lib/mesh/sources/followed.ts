/**
 * Values that change while the program runs.
 *
 * @module
 */

/** A value that changes: the mesh configuration, the networks. */
export interface Followed<T> {
  current(): T;
  /** Calls back with each new value. Returns a function that ends it. Listeners must not throw. */
  subscribe(listener: (value: T) => void): () => void;
}

/** Listeners of a value. */
export interface Listeners<T> {
  readonly subscribe: Followed<T>["subscribe"];
  notify(value: T): void;
}

/** Creates an empty set of listeners. */
export function createListeners<T>(): Listeners<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify: (value) => {
      for (const listener of listeners) listener(value);
    },
  };
}
