import assert from "node:assert/strict";
import { isPrintable } from "../../lib/kit/base/mod.ts";
import { type CommandSpec, runProgram } from "../../lib/kit/cli/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { testAgainstSpec } from "../../tests/support/flag_table.ts";
import { runInProcess } from "../../tests/support/program_run.ts";
import { ADDED } from "./flag_exemptions.ts";
import { MESHCTL } from "./program.ts";

await testAgainstSpec(MESHCTL, ADDED);

const ran = (...argv: string[]) => runInProcess(MESHCTL, argv);

Deno.test("every command has a summary, and names are unique in their group", () => {
  const visit = (command: CommandSpec, line: string): void => {
    assert(command.summary !== "" || command === MESHCTL, line);
    const names = (command.commands ?? []).flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    assert.equal(new Set(names).size, names.length, `${line}: ${names.join(" ")}`);
    assert(command.run !== undefined || command.commands !== undefined, line);
    const own = (command.flags ?? []).flatMap(({ name, short }) => short ? [name, short] : [name]);
    assert.equal(new Set(own).size, own.length, `${line}: ${own.join(" ")}`);
    command.commands?.forEach((child) => visit(child, `${line} ${child.name}`));
  };
  visit(MESHCTL, "meshctl");
});

Deno.test("the help of every command is printed", async () => {
  const lines: string[][] = [];
  const visit = (command: CommandSpec, path: string[]): void => {
    lines.push(path);
    command.commands?.forEach((child) => visit(child, [...path, child.name]));
  };
  visit(MESHCTL, []);
  for (const path of lines) {
    const [out, err, status] = await ran(...path, "--help");
    assert.deepEqual([err, status], ["", 0], path.join(" "));
    assert.match(out, /Usage:\n {2}meshctl/);
    assert.match(out, /--orchconfig/);
  }
});

Deno.test("unknown commands and flags, and too many words, end with status 64", async () => {
  const cases: [argv: string[], err: RegExp][] = [
    [
      ["valdate"],
      /^Error: unknown command "valdate" for "meshctl"\nDid you mean this\?\n\tvalidate/,
    ],
    [["pc", "rout"], /^Error: unknown command "rout" for "meshctl proxy-config"\nDid.*\n\troute/],
    [["validate", "--filenam=x"], /^Error: unknown flag: --filenam\nDid you mean --filename\?/],
    [["version", "x"], /^Error: /],
    [["authz", "check"], /^Error: /],
    [["authz"], /^Error: authz is experimental\nUse `meshctl experimental authz`/],
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

Deno.test("flags for an orchestrator say that they have no effect on commands without one", async () => {
  const given = ["--as=a", "--as-group=b", "--as-uid=c", "--context=d", "-c", "e", "--vklog=3"];
  const [, err] = await ran("validate", "/nosuch", ...given);
  const warned = err.match(/^Warning: --\S+ has no effect: this command connects to no/gm);
  assert.equal(warned?.length, given.length - 1, err);
});

Deno.test("options lists the flags of all commands", async () => {
  const [out] = await ran("options");
  assert.match(out, /^Flags:\n(.*\n)*.*--meshNamespace string +Namespace of the mesh's own/);
});

Deno.test("completion offers commands, aliases' flags and files", async () => {
  assert.match((await ran("completion", "bash"))[0], /meshctl/);
  assert.match((await ran("__complete", "va"))[0], /^validate\t/);
  assert.match((await ran("__complete", "v", "--fi"))[0], /^--filename/);
  assert.match((await ran("__completeNoDesc", "pc", "listeners", "--type", ""))[0], /^HTTP\nTCP\n/);
});

Deno.test("completion offers proxies of the daemon and contexts of the configuration file", async () => {
  await using daemon = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json([{ proxy: "web-2.shop" }, { proxy: "web-1.shop" }, { proxy: "a\u001b.b" }]),
  );
  const address = `http://127.0.0.1:${daemon.addr.port}`;
  const words = ["__completeNoDesc", "pc", "route", "--xds-address", address, "web"];
  assert.equal((await ran(...words))[0], "web-1.shop\nweb-2.shop\n:none\n");
  assert.ok(isPrintable((await ran(...words.slice(0, -1), ""))[0]));
  // An unreachable daemon offers nothing, and says nothing.
  words[4] = "http://127.0.0.1:1";
  assert.deepEqual(await ran(...words), [":none\n", "", 0]);
  const file = await Deno.makeTempFile();
  try {
    const contexts = ["east", "west"].map((name) => ({
      name,
      context: { cluster: "c", user: "u" },
    }));
    await Deno.writeTextFile(file, JSON.stringify({ contexts }));
    const [out] = await ran("__completeNoDesc", "ps", "-c", file, "--context", "");
    assert.equal(out, "east\nwest\n:none\n");
    assert.equal(
      (await ran("__completeNoDesc", "ps", "-c", file, "--context=w"))[0],
      "--context=west\n:none\n",
    );
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("a flag beats its variable, the variable beats the file, the file beats the default", async () => {
  const dir = await Deno.makeTempDir();
  const configured = { file: "config.yaml", values: new Map([["meshNamespace", "of-file"]]) };
  const file = `${dir}/service.yaml`;
  const warns = async (namespace: string, argv: string[], values = configured) => {
    await Deno.writeTextFile(
      file,
      `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: s, namespace: ${namespace}}\n` +
        "spec: {template: {metadata: {labels: {app: s}}}}\n",
    );
    let err = "";
    const io = { out: () => {}, err: (text: string) => void (err += text) };
    const { signal } = new AbortController();
    await runProgram(MESHCTL, ["validate", "-f", file, ...argv], {
      io,
      signal,
      configured: values,
    });
    return /^Warning: .*lack "version"/.test(err);
  };
  try {
    // Objects in the namespace of the mesh get no hints.
    assert.equal(await warns("of-file", []), false);
    assert.equal(await warns("mesh-system", []), true);
    using _ = useEnvironment({ MESHCTL_MESHNAMESPACE: "of-variable" });
    assert.equal(await warns("of-variable", []), false);
    assert.equal(await warns("of-file", []), true);
    assert.equal(await warns("of-variable", ["-i", "of-flag"]), true);
    assert.equal(await warns("of-flag", ["-i", "of-flag"]), false);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
