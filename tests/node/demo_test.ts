/**
 * `deno task demo:cluster` as root on a terminal: its steps are seen to work, the commands that it
 * prints at its end work, and Ctrl-C removes everything. The transcript in the docs has the same steps.
 *
 * @module
 */
import assert from "node:assert/strict";
import { output } from "../../scripts/cluster/node/commands.ts";
import { readRecords } from "../../scripts/cluster/node/record.ts";
import { nodeMachineTest } from "../support/node.ts";
import { openTerminal } from "../support/terminal.ts";

const DEMO = new URL("../../scripts/demo_cluster.ts", import.meta.url).pathname;
const PAGE = new URL("../../docs/pods.md", import.meta.url);

/** Longest time of the demo on a busy machine, in milliseconds. */
const DEMO_MS = 240_000;

/** Expected output of the printed commands, by their beginning. */
const EXPECTED: readonly (readonly [command: string, shows: RegExp])[] = [
  ["kubectl get pods", /shop-v1-\S+ +2\/2 +Running/],
  ["kubectl exec", /^(200 shop-v[12]-\S+\n){10}$/],
  ["kubectl delete authorizationpolicy", /"no-guest" deleted/],
  ["meshctl proxy-status", /shop-v2-\S+\.shop/],
  ["meshctl proxy-config routes", /shop\.shop\.svc\.cluster\.local/],
  ["meshctl experimental describe", /shop/],
  ["meshctl analyze", /./],
];

/** Titles of the steps in an output. */
function titles(text: string): string[] {
  return [...text.matchAll(/^\d+\. .*$/gm)].map(([title]) => title);
}

nodeMachineTest("the demo of pods: its steps, its last commands, its end", async () => {
  const command = [Deno.execPath(), "run", "-A", "-q", DEMO];
  await using terminal = openTerminal(command, { NO_COLOR: "1" });
  const said = await terminal.shows(/Ctrl-C removes everything/, DEMO_MS);
  assert.doesNotMatch(said, /✘/);
  assert.equal(said.match(/^ {3}✔ /gm)?.length, titles(said).length, said);
  assert.deepEqual(titles(said), titles(await Deno.readTextFile(PAGE)));

  const commands = [...said.matchAll(/^ {3}((?:export|kubectl|meshctl) .*)$/gm)]
    .map(([, line]) => line!).slice(-(EXPECTED.length + 1));
  const [first, ...others] = commands;
  assert.match(first!, /^export PATH=/);
  const name = /clusters\/([^/]+)\/bin/.exec(first!)![1]!;
  for (const [i, [start, shows]] of EXPECTED.entries()) {
    assert.ok(others[i]?.startsWith(start), `${others[i]} is not ${start}`);
    const { success, stdout, stderr } = await output(["bash", "-c", `${first}\n${others[i]}`]);
    assert.ok(success, `${others[i]}: ${stdout}${stderr}`);
    assert.match(stdout + stderr, shows, others[i]!);
  }

  await terminal.type("\x03");
  await terminal.shows(/Every step was seen to work\. All parts are stopped\./);
  assert.ok(!(await readRecords()).some((record) => record.name === name));
});
