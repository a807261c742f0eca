/**
 * `deno task demo:cluster`, without a terminal.
 */
import assert from "node:assert/strict";
import { lackingCluster } from "../../scripts/cluster/programs.ts";

const DEMO = new URL("../../scripts/demo_cluster.ts", import.meta.url).pathname;
const LACKING = lackingCluster();

Deno.test({
  name: `the steps of the demo with an API server are all seen to work${
    LACKING === undefined ? "" : ` [${LACKING}]`
  }`,
  ignore: LACKING !== undefined,
  fn: async () => {
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
    assert.equal(said.match(/^ {3}✔ /gm)?.length, 6, said);
    assert.match(
      said,
      /strict decoding error: unknown field "spec\.http\[0\]\.route\[0\]\.wieght"/,
    );
    assert.match(said, /Every step was seen to work/);
  },
});
