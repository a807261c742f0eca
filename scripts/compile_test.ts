import assert from "node:assert/strict";
import config from "../deno.json" with { type: "json" };
import {
  failure,
  grants,
  oneByte,
  type PermissionSet,
  programs,
  unstableFlags,
} from "./compile.ts";

Deno.test("compile: every program has an entry in main.ts and a permission set", async () => {
  const main = await Deno.readTextFile(new URL("../main.ts", import.meta.url));
  const found = await programs();
  assert.ok(found.includes("pilot-discovery") && found.includes("pilot-agent"), String(found));
  for (const name of found) assert.ok(main.includes(`./cmd/${name}/main.ts`), name);
  for (const name of found) assert.ok(Object.hasOwn(config.permissions, name), name);
});

const GRANTS: [name: string, set: PermissionSet, given: string[], flags: string[]][] = [
  ["nothing but reading", {}, [], ["--allow-read"]],
  [
    "lists and all",
    { read: ["a"], net: true, env: ["A", "B_*"], run: false },
    [],
    ["--allow-read", "--allow-net", "--allow-env=A,B_*"],
  ],
  [
    "given in place of the set's",
    { write: ["a"], net: true },
    ["--allow-write=b", "--allow-read=c"],
    ["--allow-net", "--allow-write=b", "--allow-read=c"],
  ],
];

for (const [name, set, given, flags] of GRANTS) {
  Deno.test(`compile: permissions of a built program: ${name}`, () => {
    assert.deepEqual(grants(set, given).sort(), flags.sort());
  });
}

Deno.test("compile: built programs have the unstable features of deno.json", () => {
  assert.deepEqual(unstableFlags(config), ["--unstable-no-legacy-abort"]);
  assert.deepEqual(unstableFlags({}), []);
});

Deno.test("compile: characters above one byte are escapes of the same meaning", () => {
  const values = ["a → b", "\u{1f600}", "caf\u00e9", "\u2028"];
  for (const value of values) {
    const written = oneByte(JSON.stringify(value));
    assert.doesNotMatch(written, /[\u0100-\uffff]/);
    assert.equal(JSON.parse(written), value);
  }
  assert.equal(oneByte("caf\u00e9 // plain"), "caf\u00e9 // plain");
});

const FAILURES: [said: string, code: string, remedy: RegExp][] = [
  [
    "error: Could not find denort at '/x'\n\nStack backtrace:\n  0: x",
    "compile-base",
    /DENORT_BIN/,
  ],
  ["error sending request for url (https://dl.deno.land/r/denort.zip)", "compile-base", /reach/],
  ["error: Module not found", "compile-failed", /deno task check/],
];

for (const [said, code, remedy] of FAILURES) {
  Deno.test(`compile: ${JSON.stringify(said.slice(0, 40))} is ${code}`, () => {
    const error = failure("pilot-agent", said);
    assert.equal(error.code, code);
    assert.match(error.remedy ?? "", remedy);
    assert.doesNotMatch(error.message, /backtrace/);
  });
}

Deno.test("compile: a base that is not there is an error that says what to do", async () => {
  const { code, stderr } = await task(["pilot-agent"]);
  assert.equal(code, 1);
  assert.match(stderr, /base .*cannot be had[^]*DENORT_BIN/);
});

Deno.test("compile: an unknown program is refused with those that there are", async () => {
  const { code, stderr } = await task(["pilot-agen"]);
  assert.equal(code, 1);
  assert.match(stderr, /pilot-agen\.\n.*pilot-agent, pilot-discovery/);
});

/** Runs the task's command with a base that does not exist. */
async function task(args: string[]): Promise<{ code: number; stderr: string }> {
  const script = new URL("compile.ts", import.meta.url).pathname;
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", script, ...args],
    env: { DENORT_BIN: "/nowhere/denort" },
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}
