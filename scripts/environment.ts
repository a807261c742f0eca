/**
 * `deno task docs`: writes `docs/environment.md`; with `--check` it only reports whether the page
 * is out of date.
 *
 * @module
 */
import { declaredEnv } from "../lib/env/mod.ts";
import { environmentPage } from "./environment_page.ts";
import { fromFileUrl } from "./paths.ts";
// Modules declare the variables they read, so everything that the programs use is loaded.
import "../cmd/meshctl/program.ts";
import "../cmd/pilot-agent/proxy.ts";
import "../cmd/pilot-discovery/discovery.ts";

const FILE = fromFileUrl(new URL("../docs/environment.md", import.meta.url));

if (import.meta.main) {
  const page = environmentPage(declaredEnv());
  if (!Deno.args.includes("--check")) await Deno.writeTextFile(FILE, page);
  else if (page !== await Deno.readTextFile(FILE)) {
    console.error("docs/environment.md is out of date: run `deno task docs`");
    Deno.exit(1);
  }
}
