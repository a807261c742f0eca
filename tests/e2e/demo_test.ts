/**
 * The demo without a terminal.
 *
 * @module
 */
import assert from "node:assert/strict";

const DEMO = new URL("../../scripts/demo.ts", import.meta.url).pathname;

/** Output of the demo, in order. */
const STEPS: readonly RegExp[] = [
  /both versions answer/,
  /80 % to v1/,
  /header `x-user: tester`/,
  /A fault appears/,
  /… and goes/,
  /A broken file is refused/,
  /An entrance/,
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
