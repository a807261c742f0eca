/**
 * The programs that this machine has, for tests that are skipped without them.
 *
 * @module
 */

/** True if a program is on the `PATH`. It is run with `args`, which must make it end at once. */
export function isInstalled(program: string, args: readonly string[] = ["--version"]): boolean {
  try {
    new Deno.Command(program, { args: [...args], stdout: "null", stderr: "null" }).outputSync();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
