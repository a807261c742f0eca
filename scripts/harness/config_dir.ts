/**
 * A configuration directory for tests.
 *
 * @module
 */

/** A configuration directory. */
export interface ConfigDir extends AsyncDisposable {
  readonly path: string;
  /** Writes a file atomically: under a temporary name, then renamed. */
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Creates an empty configuration directory below the system's temporary folder. */
export async function makeConfigDir(): Promise<ConfigDir> {
  const path = await Deno.makeTempDir({ prefix: "mesh-config-" });
  return {
    path,
    write: async (name, text) => {
      const temporary = `${path}/.${name}.tmp`;
      await Deno.writeTextFile(temporary, text);
      await Deno.rename(temporary, `${path}/${name}`);
    },
    remove: (name) => Deno.remove(`${path}/${name}`),
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}
