/** `workload`, `create-remote-secret` and `tag`, as far as no cluster is needed. */
import assert from "node:assert/strict";
import { runInProcess } from "../../tests/support/program_run.ts";
import { runProgram } from "../../lib/kit/cli/mod.ts";
import { MESHCTL } from "./program.ts";

const GROUP = ["x", "workload", "group", "create"];

Deno.test("workload group create prints a group that validate accepts", async () => {
  const [text, err, status] = await runInProcess(MESHCTL, [
    ...[...GROUP, "--name", "tills", "-n", "shop", "-l", "app=till,tier=b"],
    ...["-p", "http=8080,grpc=9090", "-a", "note=a b", "-s", "till"],
  ]);
  assert.deepEqual([err, status], ["", 0]);
  const read = () => Promise.resolve(new TextEncoder().encode(text));
  let out = "";
  const io = { out: (said: string) => void (out += said), err: () => {}, input: read };
  const { signal } = new AbortController();
  assert.equal(await runProgram(MESHCTL, ["validate", "-f", "-"], { io, signal }), 0);
  assert.match(out, /is valid/);
  for (const part of [/serviceAccount: till/, /grpc: 9090/, /note: a b/, /tier: b/]) {
    assert.match(text, part);
  }
});

/** Command line → status, first line of the error, and what to write instead. */
const WRONG: readonly (readonly [string, number, RegExp])[] = [
  ["x workload group create -n a", 1, /^Error: expecting a workload name\nFor example: meshctl/],
  ["x workload group create --name a", 1, /^Error: expecting a workload namespace\nFor example/],
  ["x workload group create --name a -n b -p http", 64, /"http" has no name and value\nWrite NAME/],
  ["x workload group create --name a -n b -p a=0", 64, /port "0" of "a" is no.*\nWrite a number/],
  ["x workload group create --name a -n b -l a=%", 65, /spec\.metadata\.labels\.a: .*"%"/],
  ["x workload entry configure --name a", 64, /expecting a WorkloadGroup file, or --name and --na/],
  ["x workload entry configure -f a --name b", 64, /--file and --name cannot be given together/],
  ["x workload entry configure -f a --internalIP b", 64, /--internalIP: "b" is no IP address/],
  ["x workload entry configure -f a --tokenDuration 9", 64, /9 seconds are too short\nAPI servers/],
  ["x workload entry configure -f /absent", 1, /cannot read \/absent: there is no such file/],
  ["create-remote-secret --auth-plugin-name a", 64, /needs --auth-type=plugin\nAdd it/],
  ["create-remote-secret --auth-type plugin", 64, /needs --auth-plugin-name\nFor example: meshc/],
  ["create-remote-secret --name a_b", 64, /"a_b" cannot be part of the secret's name\nUse small/],
  ["create-remote-secret --server http://a", 64, /is no address of an API server by https\nWrite/],
  ["tag set", 64, /accepts 1 arg/],
];

for (const [line, expected, message] of WRONG) {
  Deno.test(`wrong use: ${line}`, async () => {
    const [out, err, status] = await runInProcess(MESHCTL, line.split(" "));
    assert.deepEqual([out, status], ["", expected], err);
    assert.match(err, message);
  });
}
