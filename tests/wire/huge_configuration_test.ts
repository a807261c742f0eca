/**
 * Hostile configuration: thousands of nested matches with regular expressions, and expressions of
 * unbounded size. It is served or rejected with a message, and other configuration is not affected.
 * The output has the stall times; they are not asserted, because test machines are busy.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { connectJudging } from "../support/judging_client.ts";
import { endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";
import { metricOf, problemsOf } from "../support/views.ts";

/** Matches of the one VirtualService. */
const MATCHES = 1_000;

const PORT = { number: 80, protocol: "HTTP" };
const service = (name: string) => serviceEntry(name, [`${name}.test`], PORT, [endpoint(1)]);

/** A rule with many matches, each of several expressions. */
function nested(name: string, uri: (i: number) => string): string {
  const match = Array.from({ length: MATCHES }, (_, i) => ({
    uri: { regex: uri(i) },
    headers: { "x-user": { regex: `^(a|b|c)+-[0-9a-f]{1,8}-${i}$` } },
    queryParams: { page: { regex: `\\d{1,4}${i}` } },
    withoutHeaders: { "x-bot": { regex: `(?i)bot-${i}.*` } },
  }));
  return manifest("VirtualService", name, {
    hosts: ["big.test"],
    http: [to("big.test", undefined, { match })],
  });
}

/** Expressions of few characters that a machine would need gigabytes for. */
const GROWING: readonly string[] = [
  "((a{1000}){1000}){1000}",
  "(x+x+)+y{999999}",
  `${"(".repeat(5_000)}a${")*".repeat(5_000)}`,
  "(.{1,1000}){1,1000}",
];

Deno.test("thousands of matches are served, growing expressions are refused, others go on", async (t) => {
  await using config = await makeConfigDir();
  await config.write("big.yaml", service("big"));
  await using daemon = await startDaemon({ configDir: config.path });
  await using proxy = connectJudging(daemon.xds, { name: "p", ip: "10.0.0.1", routes: ["80"] });
  const holds = (name: string) =>
    eventually(name, () => proxy.held.has(`outbound|80||${name}.test`));
  await holds("big");
  const stall = () => metricOf(daemon, "mesh_event_loop_stall_max_seconds");
  const before = await stall();

  await t.step("many matches", async () => {
    await config.write(
      "matches.yaml",
      nested("matches", (i) => `^/v[0-9]+/(a|b)*/item-${i}(/.*)?$`),
    );
    await config.write("after.yaml", service("after"));
    await holds("after");
    assert.deepEqual((await problemsOf(daemon)).problems, []);
    await eventually("the routes", async () => {
      const dump = await daemon.debug("config_dump?proxyID=p.test&name=80");
      return JSON.stringify(dump).split("item-").length > MATCHES;
    });
  });

  for (const [i, regex] of GROWING.entries()) {
    await t.step(`refused: ${regex.slice(0, 40)}`, async () => {
      const name = `growing-${i}`;
      await config.write(`${name}.yaml`, nested(name, (j) => (j === 0 ? regex : `/${j}`)));
      await eventually("the refusal", async () => {
        const { problems } = await problemsOf(daemon);
        return problems.some((p) => p.object?.name === name);
      });
      const { problems } = await problemsOf(daemon);
      const problem = problems.find((p) => p.object?.name === name)!;
      assert.match(problem.path, /^spec\.http\[0\]\.match\[0\]\.uri/);
      assert.ok(problem.message !== "" && problem.remedy.endsWith("."), JSON.stringify(problem));
      await config.write(`other-${i}.yaml`, service(`other-${i}`));
      await holds(`other-${i}`);
    });
  }
  const ms = (seconds: number | undefined) => `${Math.round((seconds ?? 0) * 1000)} ms`;
  console.log(`longest stall: ${ms(await stall())} (${ms(before)} of it at the start)`);
});
