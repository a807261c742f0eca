import assert from "node:assert/strict";
import { MeshError } from "../base/mod.ts";
import { completionCommand, shutdownSignal, versionCommand, warnIneffective } from "./mod.ts";
import { fixture, runFixture } from "./testing.ts";
import type { ProgramSpec } from "./spec.ts";

const HELP = `Serve things to those who ask.

Usage:
  tool serve [flags]

Aliases:
  serve, s

Examples:
  tool serve --port 80

Flags:
  -a, --all                   All
      --array stringArray     An array (default [z])
  -b, --brief                 Brief (default true)
      --count int             A count
      --file string           A file
  -o, --form string           Form (one of json, yaml)
  -h, --help                  help for serve
  -n, --name string           A name (default "none") [env TOOL_NAME]
      --no-color              No colors
      --offset int32          An offset
      --pairs stringToString  Pairs
  -p, --port uint16           A port (default 8080)
      --rate float32          A rate (default 1.5)
      --slice strings         A slice (default [x,y])
  -w, --wait duration         A time (default 1h30m)

Global Flags:
      --verbosity Level   How much to tell
`;

Deno.test("a command's help lists usage, aliases, examples and flags", async () => {
  for (const argv of [["serve", "--help"], ["help", "serve"], ["s", "-h"]]) {
    const { status, out, err } = await runFixture(argv);
    assert.equal(out.replaceAll(/ {2,}/g, "  "), HELP.replaceAll(/ {2,}/g, "  "));
    assert.equal(err, "");
    assert.equal(status, 0);
  }
});

Deno.test("the columns of a help page line up", async () => {
  const { out } = await runFixture(["serve", "--help"]);
  const rows = out.split("Flags:\n")[1]?.split("\n\n")[0]?.split("\n") ?? [];
  const starts = rows.map((row) => row.search(/ {3}(?=[A-Zh]\S* ?)/));
  assert.equal(rows.length, 15);
  assert(starts.every((start) => start > 0));
});

Deno.test("a program or a group without a command shows its commands", async () => {
  const root = await runFixture([]);
  assert.match(root.out, /Usage:\n {2}tool \[command\]/);
  assert.match(root.out, /Available Commands:\n {2}group {3}A group\n {2}send {4}Send one thing\n/);
  assert.match(root.out, /Flags:\n {2}-h, --help/);
  const group = await runFixture(["group"]);
  assert.match(group.out, /Available Commands:\n {2}inner {3}Inner/);
  assert.match(group.out, /Use "tool group \[command\] --help"/);
});

Deno.test("an error of a command is written with its causes and its remedy", async () => {
  const cause = new Error("refused by the\u001b[1m system");
  const failing = fixture(() => {
    throw new MeshError("x", "cannot bind", { remedy: "Choose another port.", cause });
  });
  const { status, err } = await runFixture(["serve"], failing);
  assert.equal(err, "Error: cannot bind: refused by the\\u{1b}[1m system\nChoose another port.\n");
  assert.equal(status, 1);
});

Deno.test("the exit status is the command's", async () => {
  assert.equal((await runFixture(["serve"], fixture(() => 3))).status, 3);
});

const BUILD = { version: "1.2.3", revision: "abc", status: "Clean", tag: "1.2.3" };
const VERSIONED: ProgramSpec = {
  name: "tool",
  summary: "A tool",
  globalFlags: [],
  commands: [versionCommand(BUILD), completionCommand("tool")],
};
const RUNTIME = `deno${Deno.version.deno}`;

const VERSIONS: [argv: string[], out: string][] = [
  [[], "client version: 1.2.3\n"],
  [["--short"], "client version: 1.2.3\n"],
  [
    ["-s=false"],
    `client version: version.BuildInfo{Version:"1.2.3", GitRevision:"abc", ` +
    `GolangVersion:"${RUNTIME}", BuildStatus:"Clean", GitTag:"1.2.3"}\n`,
  ],
  [
    ["-o", "yaml"],
    `clientVersion:\n  version: "1.2.3"\n  revision: "abc"\n  golang_version: "${RUNTIME}"\n` +
    `  status: "Clean"\n  tag: "1.2.3"\n`,
  ],
];

for (const [argv, out] of VERSIONS) {
  Deno.test(`version ${argv.join(" ")}`, async () => {
    assert.equal((await runFixture(["version", ...argv], VERSIONED)).out, out);
  });
}

Deno.test("version -o json", async () => {
  const { out } = await runFixture(["version", "-ojson"], VERSIONED);
  const { clientVersion } = JSON.parse(out);
  assert.deepEqual(clientVersion, { ...BUILD, golang_version: RUNTIME });
});

Deno.test("flags without effect are warned about when they are given", () => {
  const warnings: unknown[] = [];
  const reasons = { profile: "there are no profiles", ctrlz_port: "there is no such facility" };
  warnIneffective(new Set(["profile", "domain"]), reasons, (_, fields) => warnings.push(fields));
  assert.deepEqual(warnings, [{ flag: "--profile", reason: "there are no profiles" }]);
});

Deno.test("the first signal asks to end, the second demands it", async () => {
  // Signal handlers do not keep the event loop alive; a timer does.
  const awake = setInterval(() => {}, 1_000);
  const demanded: number[] = [];
  const second = Promise.withResolvers<void>();
  using shutdown = shutdownSignal((status) => {
    demanded.push(status);
    second.resolve();
  });
  const first = new Promise<void>((resolve) => {
    shutdown.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  Deno.kill(Deno.pid, "SIGTERM");
  await first;
  assert.match(String(shutdown.signal.reason), /SIGTERM/);
  assert.deepEqual(demanded, []);
  Deno.kill(Deno.pid, "SIGTERM");
  await second.promise;
  assert.deepEqual(demanded, [143]);
  clearInterval(awake);
});
