/**
 * `deno task demo:cluster` without a terminal, as an ordinary user: without root no pods can run.
 */
import assert from "node:assert/strict";
import { lackingCluster } from "../../scripts/cluster/programs.ts";

const DEMO = new URL("../../scripts/demo_cluster.ts", import.meta.url).pathname;
const LACKING = lackingCluster();

/** Root is an ordinary user in a namespace of users without numbers, and still owns its files. */
const AS_USER: readonly string[] = Deno.uid() === 0 ? ["unshare", "--user", "--"] : [];

Deno.test({
  name: `the steps of the demo with an API server are all seen to work${
    LACKING === undefined ? "" : ` [${LACKING}]`
  }`,
  ignore: LACKING !== undefined,
  fn: async () => {
    const [program, ...args] = [...AS_USER, Deno.execPath(), "run", "-A", "-q", DEMO];
    const { code, stdout, stderr } = await new Deno.Command(program!, {
      args,
      env: { NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).output();
    const text = new TextDecoder();
    const said = text.decode(stdout);
    assert.equal(code, 0, said + text.decode(stderr));
    assert.match(said, /^No pods can run here: A node needs root on Linux/);
    assert.equal(said.match(/^ {3}✔ /gm)?.length, 6, said);
    assert.match(
      said,
      /strict decoding error: unknown field "spec\.http\[0\]\.route\[0\]\.wieght"/,
    );
    assert.match(said, /main\.ts meshctl analyze -c \S+ -n demo\n/);
    assert.match(said, /main\.ts meshctl proxy-status --xds-address http:\/\/\S+\n/);
    assert.match(said, /Every step was seen to work/);
  },
});
