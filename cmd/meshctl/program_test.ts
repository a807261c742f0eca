import assert from "node:assert/strict";
import { runProgram } from "../../lib/cli/mod.ts";
import { useEnvironment } from "../../lib/env/mod.ts";
import { testAgainstSpec } from "../../tests/support/flag_table.ts";
import { refuseUnsupported, UNSUPPORTED, unsupportedCommand } from "./unsupported.ts";
import { MESHCTL } from "./program.ts";

/** Reports if the description says that the command is not implemented. */
const isUnsupported = (words: readonly string[]) =>
  unsupportedCommand(MESHCTL.globalFlags, words) === words.join(" ");

await testAgainstSpec(MESHCTL, ["file", "--output"], isUnsupported);

/** Runs the program in-process; standard output, standard error and exit status. */
async function ran(...argv: string[]): Promise<[out: string, err: string, status: number]> {
  let out = "";
  let err = "";
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  const { signal } = new AbortController();
  const status = refuseUnsupported(MESHCTL, argv, io) ??
    await runProgram(MESHCTL, argv, { io, signal });
  return [out, err, status];
}

Deno.test("commands that are not built are refused by name, whatever follows", async () => {
  const cases: [argv: string[], command: string][] = [
    [["analyze", "--nosuch", "x"], "analyze"],
    [["-n", "tag", "-i=install", "ps", "a"], "proxy-status"],
    [["x", "workload", "entry", "configure", "-f", "x"], "experimental workload entry configure"],
    [["pc", "routes", "pod"], "proxy-config route"],
    [["--context", "validate", "waypoint", "list"], "waypoint list"],
    [["tag", "nosuch"], "tag"],
    [["help", "dashboard"], "dashboard"],
    [["kube-inject"], "orch-inject"],
  ];
  for (const [argv, command] of cases) {
    const [out, err, status] = await ran(...argv);
    assert.deepEqual([out, status], ["", 1], argv.join(" "));
    assert.equal(err.split("\n")[0], `Error: meshctl ${command} is not supported`);
  }
});

Deno.test("implemented commands are not in the table of unsupported ones", () => {
  const missing = UNSUPPORTED.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const there = (MESHCTL.commands ?? []).flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  assert.deepEqual(there.filter((name) => missing.includes(name)), []);
  assert.equal(new Set(missing).size, missing.length, "a name stands twice");
});

Deno.test("unknown commands and flags, and too many words, end with status 64", async () => {
  const cases: [argv: string[], err: RegExp][] = [
    [
      ["valdate"],
      /^Error: unknown command "valdate" for "meshctl"\nDid you mean this\?\n\tvalidate/,
    ],
    [["validate", "--filenam=x"], /^Error: unknown flag: --filenam/],
    [["version", "x"], /^Error: /],
  ];
  for (const [argv, expected] of cases) {
    const [out, err, status] = await ran(...argv);
    assert.deepEqual([out, status], ["", 64], argv.join(" "));
    assert.match(err, expected);
  }
});

Deno.test("validate takes files and folders as arguments, too", async () => {
  const [out, err, status] = await ran("validate", "/nosuch/folder");
  assert.deepEqual([out, status], ["", 1]);
  assert.match(err, /\* \/nosuch\/folder: there is no such file or directory/);
});

Deno.test("flags for an orchestrator say that they have no effect, when they are given", async () => {
  const given = ["--as=a", "--as-group=b", "--as-uid=c", "--context=d", "-c", "e", "--vklog=3"];
  const [, err] = await ran("version", "--remote=false", ...given);
  const warned = err.match(/^Warning: --\S+ has no effect: talking to an orchestrator/gm);
  assert.equal(warned?.length, given.length - 1, err);
  assert.deepEqual((await ran("version", "--remote=false"))[1], "");
});

Deno.test("version: the client's part is printed, the control plane's is said to be missing", async () => {
  assert.match((await ran("version"))[0], /^client version: \d+\.\d+\.\d+\n$/);
  assert.match((await ran("version", "-s=false"))[0], /^client version: version\.BuildInfo\{/);
  const [out, err, status] = await ran("version", "-o", "json", "-r", "canary");
  assert.deepEqual(Object.keys(JSON.parse(out)), ["clientVersion"]);
  assert.match(err, /^control plane of revision canary: not connected/);
  assert.equal(status, 0);
});

Deno.test("completion offers commands, aliases' flags and files", async () => {
  assert.match((await ran("completion", "bash"))[0], /meshctl/);
  assert.match((await ran("__complete", "va"))[0], /^validate\t/);
  assert.match((await ran("__complete", "v", "--fi"))[0], /^--filename/);
});

Deno.test("MESHCTL_MESHNAMESPACE is the default of --meshNamespace", async () => {
  using _ = useEnvironment({ MESHCTL_MESHNAMESPACE: "elsewhere" });
  const dir = await Deno.makeTempDir();
  try {
    const file = `${dir}/service.yaml`;
    const service = (namespace: string) =>
      `apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: ${namespace}}\n` +
      "spec: {ports: [{name: web, port: 1}]}\n";
    await Deno.writeTextFile(file, service("elsewhere"));
    assert.equal((await ran("validate", "-f", file))[1], "");
    assert.match((await ran("validate", "-f", file, "-i", "other"))[1], /^Warning: .*port "web"/);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
