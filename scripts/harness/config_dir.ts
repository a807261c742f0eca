/**
 * A directory of configuration files, written as an operator would.
 *
 * @module
 */

/** A config directory. */
export interface ConfigDir extends AsyncDisposable {
  readonly path: string;
  /** Writes a file as a whole: to a temporary name first, then renamed. */
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Makes an empty config directory below the system's temporary folder. */
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
