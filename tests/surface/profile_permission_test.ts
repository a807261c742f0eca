/**
 * Profiles under the permission sets of `deno.json`: sampling needs a permission that the sets do not
 * have, because it lets a flaw open a debugger; the answer says so.
 *
 * @module
 */
import assert from "node:assert/strict";
import { freePorts, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";

/** The daemon's set of this copy, and the set with the permission granted by hand. */
const SETS: readonly [name: string, more: readonly string[], granted: boolean][] = [
  ["its own set", [], false],
  ["all of sys granted", ["--allow-sys"], true],
];

for (const [name, more, granted] of SETS) {
  Deno.test(`a CPU profile of a daemon with ${name}: ${granted ? "taken" : "refused"}`, async () => {
    await using dir = await makeConfigDir();
    const ports = freePorts(4) as [number, number, number, number];
    const may = ["-P=pilot-discovery", `--allow-read=./etc/mesh,${dir.path}`, ...more];
    await using _ = await startDaemon({ configDir: dir.path, ports, permissions: may });
    const url = `http://localhost:${ports[3]}/debug/pprof/profile?seconds=1`;
    const answer = await fetch(url);
    const body = await answer.text();
    if (granted) assert(JSON.parse(body).nodes.length > 0);
    else {assert.match(
        body,
        /may not profile itself, as its permission set leaves out the inspector/,
      );}
    assert.equal(answer.status, granted ? 200 : 501);
  });
}
