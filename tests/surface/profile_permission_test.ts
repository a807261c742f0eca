/**
 * Profiles under the permission sets of `deno.json`: sampling needs an own permission; without it
 * the answer says so.
 *
 * @module
 */
import assert from "node:assert/strict";
import { freePorts, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import config from "../../deno.json" with { type: "json" };

/** The daemon's set of this copy, and the set with the permission granted by hand. */
const SETS: readonly [name: string, more: readonly string[], granted: boolean][] = [
  [
    "its own set",
    [],
    (config.permissions["pilot-discovery"].sys as readonly string[]).includes("inspector"),
  ],
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
    else assert.match(body, /may not profile itself; its permission set needs "inspector"/);
    assert.equal(answer.status, granted ? 200 : 501);
  });
}
