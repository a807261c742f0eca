/**
 * Loads the client library when a configuration needs it.
 *
 * @module
 */
import process from "node:process";

/** The used parts of the library. */
export type Library = typeof import("./package.ts");

let loading: Promise<Library> | undefined;

/** The library. It is loaded once, and by nothing that does not call this function. */
export function loadLibrary(): Promise<Library> {
  loading ??= load();
  return loading;
}

/**
 * Packages of the library list all environment variables when they load, to find settings of their own.
 * A program may read only those that its permissions name: the others are not there, and the list is empty.
 */
async function load(): Promise<Library> {
  const all = process.env;
  process.env = new Proxy({}, {
    get: (_, name) => readable(all, name),
    has: (_, name) => readable(all, name) !== undefined,
    ownKeys: () => [],
  });
  try {
    return await import("./package.ts");
  } finally {
    process.env = all;
  }
}

function readable(env: object, name: string | symbol): string | undefined {
  try {
    return Reflect.get(env, name);
  } catch {
    return undefined;
  }
}
