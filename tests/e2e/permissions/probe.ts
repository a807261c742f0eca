/**
 * Tries one access and prints `granted` or `refused`, to test a permission set: `deno run -P=<set>
 * probe.ts read /etc/hosts`.
 *
 * @module
 */
import { open as openInspector } from "node:inspector";

/** Accesses to try; each gets the argument after its name. */
const ACCESSES: Readonly<Record<string, (what: string) => unknown>> = {
  read: (path) => Deno.readTextFileSync(path),
  write: (path) => Deno.writeTextFileSync(path, ""),
  run: (program) => new Deno.Command(program).outputSync(),
  env: (name) => Deno.env.get(name),
  sys: () => Deno.osRelease(),
  inspector: () => openInspector(0),
  ffi: (path) => Deno.dlopen(path, {}),
};

const [kind = "", what = ""] = Deno.args;
try {
  ACCESSES[kind]!(what);
  console.log("granted");
} catch (error) {
  if (!(error instanceof Deno.errors.NotCapable)) throw error;
  console.log("refused");
}
