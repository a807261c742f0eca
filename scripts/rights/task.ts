/**
 * `deno task rights [--logs=FOLDER]`: runs the tests with a real API server while it writes audit logs, and lists
 * the rights of the daemon's roles that no request of these tests used. With `--logs` the logs of an earlier
 * run are read. The status is 1 if a right without a known reason is left.
 *
 * @module
 */
import { daemonRoles, defaultRoleOptions } from "../../lib/cluster/roles/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { DAEMON_USER } from "../cluster/files.ts";
import { fromFileUrl, join, walkFiles } from "../paths.ts";
import { AUDIT_FOLDER, rightsOf, usedRights } from "./audit.ts";
import { UNUSED } from "./unused.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

/** All rights that a daemon may have: with each feature that adds some. */
function allRights(): string[] {
  using _ = useEnvironment({
    PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS: "true",
    ENABLE_MCS_AUTO_EXPORT: "true",
  });
  return rightsOf(daemonRoles({ ...defaultRoleOptions(), signers: ["example.com/*"] }));
}

async function runTests(folder: string): Promise<number> {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", "scripts/test.ts", "orch"],
    cwd: ROOT,
    env: { [AUDIT_FOLDER]: folder },
    stdout: "inherit",
    stderr: "inherit",
  }).spawn().status;
  return code;
}

async function main(): Promise<number> {
  const given = Deno.args.find((arg) => arg.startsWith("--logs="))?.slice("--logs=".length);
  const folder = given ?? await Deno.makeTempDir({ prefix: "mesh-rights-" });
  const failed = given === undefined ? await runTests(folder) : 0;
  const used = new Set<string>();
  for (const file of await walkFiles(folder, ".log")) {
    const lines = (await Deno.readTextFile(file)).split("\n");
    for (const right of usedRights(lines, DAEMON_USER)) used.add(right);
  }
  const all = allRights();
  const unused = all.filter((right) => !used.has(right));
  for (const right of unused) console.log(`unused: ${right}: ${UNUSED[right] ?? "no reason"}`);
  const stale = Object.keys(UNUSED).filter((right) => !unused.includes(right));
  for (const right of stale) console.log(`used or not granted, and listed as unused: ${right}`);
  console.log(`${all.length} rights, ${all.length - unused.length} used; logs: ${join(folder)}`);
  const unexplained = unused.filter((right) => UNUSED[right] === undefined);
  return failed !== 0 || unexplained.length > 0 || stale.length > 0 ? 1 : 0;
}

Deno.exit(await main());
