/**
 * Runs a program of the mesh: `deno run -A main.ts <program> <args…>`.
 *
 * @module
 */
import { EXIT_FAILURE, EXIT_USAGE, processIo } from "./lib/kit/cli/mod.ts";

/** Programs by name; each is loaded only when it is the one to run. */
const PROGRAMS: Readonly<Record<string, () => Promise<{ run(args: string[]): Promise<number> }>>> =
  {
    "pilot-discovery": () => import("./cmd/pilot-discovery/main.ts"),
    "pilot-agent": () => import("./cmd/pilot-agent/main.ts"),
    "meshctl": () => import("./cmd/meshctl/main.ts"),
    "install-cni": () => import("./cmd/install-cni/main.ts"),
  };

async function main([program = "", ...args]: string[]): Promise<number> {
  if (Object.hasOwn(PROGRAMS, program)) {
    const loaded = await PROGRAMS[program]?.();
    return await loaded?.run(args) ?? EXIT_FAILURE;
  }
  if (["help", "--help", "-h"].includes(program)) {
    processIo.out(usage());
    return 0;
  }
  const fault = program === "" ? "no program named" : `unknown program ${JSON.stringify(program)}`;
  processIo.err(`Error: ${fault}\n\n${usage()}`);
  return EXIT_USAGE;
}

function usage(): string {
  const list = Object.keys(PROGRAMS).map((name) => `  ${name}\n`).join("");
  return `Usage:\n  deno run -A main.ts <program> <args>\n\nPrograms:\n${list}`;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
