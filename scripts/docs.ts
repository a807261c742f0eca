/**
 * `deno task docs`: writes the pages that are made from the code; with `--check` it only reports
 * those that are out of date.
 *
 * @module
 */
import { fromFileUrl } from "./paths.ts";

/** The scripts, each of which takes `--check`. */
const SCRIPTS = ["environment.ts", "reference.ts", "interception_page.ts", "objects_page.ts"];

if (import.meta.main) {
  let status = 0;
  for (const script of SCRIPTS) {
    const path = fromFileUrl(new URL(script, import.meta.url));
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "-q", path, ...Deno.args],
      stdout: "inherit",
      stderr: "inherit",
    }).output();
    status ||= code;
  }
  Deno.exit(status);
}
