/**
 * The demo, without a terminal and in one.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually } from "../../scripts/harness/mod.ts";
import { listenersOf } from "../support/listening.ts";
import { openTerminal } from "../support/terminal.ts";

const DEMO = new URL("../../scripts/demo.ts", import.meta.url).pathname;

/** Output of the demo, in order. */
const STEPS: readonly RegExp[] = [
  /both versions answer, over mutual TLS/,
  /80 % to v1/,
  /header `x-user: tester`/,
  /A fault appears/,
  /… and goes/,
  /A broken file is rejected/,
  /An entrance/,
  /Mutual TLS/,
  /One caller is denied/,
];

Deno.test("the demo's steps are all seen to work", async () => {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", DEMO],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = new TextDecoder();
  const said = text.decode(stdout);
  assert.equal(code, 0, said + text.decode(stderr));
  const titles = said.split("\n").filter((line) => /^\d+\. /.test(line));
  assert.equal(titles.length, STEPS.length, said);
  STEPS.forEach((step, i) => assert.match(titles[i]!, step));
  assert.equal(said.match(/^ {3}✔ /gm)?.length, STEPS.length, said);
  assert.doesNotMatch(said, /✘/);
  assert.match(said, /routes\.yaml:\d+: spec\.http\[0\]\.route\[1\]\.weight/);
  assert.match(said, /The debug page: http:\/\/127\.0\.0\.1:\d+\/debug/);
  assert.match(said, /Every step was seen to work/);
});

/** Deadline of each text on the screen, ms. */
const PATIENCE_MS = 120_000;

Deno.test("in a terminal the demo follows edits until Ctrl-C, and listens on loopback only", async () => {
  const status = 'trap : INT; "$@"; echo "status $?"';
  await using terminal = openTerminal(
    ["sh", "-c", status, "sh", Deno.execPath(), "run", "-A", "-q", DEMO],
    { NO_COLOR: "1" },
  );
  const shows = (what: RegExp): Promise<string> => terminal.shows(what, PATIENCE_MS);
  const start = await shows(/traffic +client v1: \d+, v2: \d+/);
  const dir = start.match(/the config +(\S+)/)![1]!;

  const listeners = await eventually("both proxies to listen", async () => {
    const found = await listenersOf(terminal.pid);
    return found.length >= 13 && found;
  });
  assert.deepEqual(listeners.filter(({ address }) => !/^(127\.|::1$)/.test(address)), []);

  const routes = `${dir}/routes.yaml`;
  const good = await Deno.readTextFile(routes);
  await Deno.writeTextFile(routes, good.replace("weight: 80", "weight: 0").replace("20", "100"));
  await shows(/applied +VirtualService demo\/shop: 2 resources changed, 3 of 3 proxies accepted/);
  await shows(
    /traffic +client v2: 100 \| tester v2: 100 \| guest 403: 100 \| from outside v2: 100/,
  );

  await Deno.writeTextFile(routes, good.replace("weight: 80", "weight: all"));
  const rejected = await shows(/traffic +client v2: 100/);
  assert.match(
    rejected,
    /rejected +routes\.yaml:12:15 spec\.http\[0\]\.route\[0\]\.weight: expected a whole number/,
  );
  assert.match(rejected, /Write a whole number\. The last good version keeps serving\./);

  await Deno.writeTextFile(routes, good.replace("subset: v2", "subset: v3"));
  const repaired = await shows(/applied +VirtualService/);
  assert.match(repaired, /repaired +routes\.yaml/);
  await shows(/warning .*"shop\.demo\.mesh\/v3" \(MSH0101\).*Use a subset .* v1, v2/);

  await Deno.remove(`${dir}/gateway.yaml`);
  await shows(/applied +Gateway demo\/ingress \(deleted\)/);
  await shows(/from outside no answer/);

  await terminal.type("\x03");
  assert.match(await shows(/status \d+/), /All parts are stopped\.\n+status 0/);
});
