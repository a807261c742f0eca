/**
 * Completion in real shells: types keys and reads the screen.
 *
 * @module
 */
import assert from "node:assert/strict";
import { openShell, type ShellName, whyNoShell } from "../support/shells.ts";

const PROGRAMS = ["pilot-agent", "pilot-discovery"] as const;
const SHELL_NAMES: readonly ShellName[] = ["bash", "fish", "zsh"];

/** Flags that every command of both programs has. */
const LOG_FLAGS = ["as_json", "caller", "output_level", "stacktrace_level", "target"];

for (const shell of SHELL_NAMES) {
  const why = whyNoShell(shell);
  const test = (name: string, fn: () => Promise<void>): void =>
    Deno.test({
      name: `${shell}: ${name}${why === undefined ? "" : ` [${why}]`}`,
      ignore: why !== undefined,
      fn,
    });

  for (const program of PROGRAMS) {
    test(`flags of ${program} are listed, with what they mean`, () => list(shell, program, true));
    test(`flags of ${program} are listed bare`, () => list(shell, program, false));
  }

  test("a word that can only become one command is completed, and the line runs", async () => {
    await using open = await openShell(shell, "pilot-agent");
    await open.terminal.type("pilot-agent vers\t");
    await open.terminal.shows(/pilot-agent version /);
    await open.terminal.type("--sho\t");
    await open.terminal.shows(/--short /);
    await open.terminal.type("\r");
    await open.terminal.shows(/client version: \d/);
  });

  test("a value is completed behind the flag and behind the equals sign", async () => {
    await using open = await openShell(shell, "pilot-discovery");
    await open.terminal.type("pilot-discovery version -o y\t");
    await open.terminal.shows(/-o yaml /);
    await open.terminal.type("--output=js\t");
    await open.terminal.shows(/--output=json /);
    await open.terminal.type("\r");
    await open.terminal.shows(/"clientVersion": \{/);
  });

  test("commands and values of meshctl are completed, and a mistyped one gives a near name", async () => {
    await using open = await openShell(shell, "meshctl");
    await open.terminal.type("meshctl proxy-con\t");
    await open.terminal.shows(/meshctl proxy-config /);
    await open.terminal.type("listener --type UN\t");
    await open.terminal.shows(/--type UNKNOWN /);
    await open.terminal.type("--file /nosuch\r");
    await open.terminal.shows(/Error: cannot read \/nosuch: there is no such file/);
    await open.terminal.type("meshctl proxy-statos\r");
    await open.terminal.shows(/Did you mean this\?\s+proxy-status/);
  });

  test("a path is completed with its blanks escaped", async () => {
    await using open = await openShell(shell, "pilot-discovery");
    await Deno.mkdir(`${open.folder}/mesh files`);
    await Deno.writeTextFile(`${open.folder}/mesh files/mesh.yaml`, "");
    await open.terminal.type("pilot-discovery discovery --meshConfig=me\t");
    await open.terminal.shows(/--meshConfig=mesh\\ files\//);
    await open.terminal.type("\t");
    await open.terminal.shows(/mesh\.yaml/);
    await open.terminal.type(" --configDir me\t");
    await open.terminal.shows(/--configDir mesh\\ files\//);
  });
}

async function list(shell: ShellName, program: string, described: boolean): Promise<void> {
  await using open = await openShell(shell, program, described ? [] : ["--no-descriptions"]);
  const command = program === "pilot-agent" ? "proxy" : "discovery";
  // The first press says that there are several ways, the second lists them.
  await open.terminal.type(`${program} ${command} --log_\t\t`);
  const last = described ? /--log_target.*Where the log goes/ : /--log_target/;
  const screen = await open.terminal.shows(last);
  for (const flag of LOG_FLAGS) assert(screen.includes(`--log_${flag}`), screen);
  if (!described) assert.doesNotMatch(screen, /Where the log/);
}
