import assert from "node:assert/strict";
import { isInstalled } from "../../../tests/support/installed.ts";
import { completionCommand } from "./completion.ts";
import { fixture, runFixture } from "./testing.ts";
import { suggest } from "./suggest.ts";

const ANSWERS: [words: string[], words2: string[], directive: string][] = [
  [[""], ["serve", "send", "group", "help"], ":none"],
  [["se"], ["serve", "send"], ":none"],
  [["group", ""], ["inner"], ":none"],
  [["group", "inner", "o"], ["one"], ":none"],
  [["send", ""], ["GET", "POST"], ":none"],
  [["send", "GET", ""], [], ":none"],
  [["send", "--verbosity", "1", "P"], ["POST"], ":none"],
  [["serve", "--no"], ["--no-color"], ":none"],
  [["serve", "--form", ""], ["json", "yaml"], ":none"],
  [["serve", "-o", "j"], ["json"], ":none"],
  [["serve", "--form=y"], ["--form=yaml"], ":none"],
  [["serve", "--all="], ["--all=true", "--all=false"], ":none"],
  [["serve", "--file", "x"], [], ":file"],
  [["serve", "--file=x"], [], ":file"],
  [["serve", "--", "--n"], [], ":none"],
  [["send", "--v"], ["--verbosity"], ":none"],
];

for (const [words, expected, directive] of ANSWERS) {
  Deno.test(`completing ${JSON.stringify(words)}`, async () => {
    const { out } = await runFixture(["__completeNoDesc", ...words]);
    const lines = out.trimEnd().split("\n");
    assert.equal(lines.at(-1), directive);
    assert.deepEqual(lines.slice(0, -1), expected);
  });
}

Deno.test("descriptions stand after a tab", async () => {
  const { out } = await runFixture(["__complete", "serve", "--po"]);
  assert.equal(out, "--port\tA port\n:none\n");
});

const WITH_COMPLETION = { ...fixture(), commands: [completionCommand("my-tool")] };

for (const shell of ["bash", "fish", "powershell", "zsh"]) {
  Deno.test(`the ${shell} script names the program and asks it`, async () => {
    const { out, status } = await runFixture(["completion", shell], WITH_COMPLETION);
    assert.equal(status, 0);
    assert.match(out, /my-tool/);
    assert.match(out, /__complete /);
    assert.doesNotMatch(out, /PROGRAM|IDENTIFIER|ASK/);
    const bare = await runFixture(["completion", shell, "--no-descriptions"], WITH_COMPLETION);
    assert.match(bare.out, /__completeNoDesc /);
  });
}

/**
 * Completes a line in a real bash in which `my-tool` is a function that prints `answer`. The first
 * line of the result is the script's call, the others are the candidates.
 */
async function inBash(line: string, answer: readonly string[]): Promise<string[]> {
  const { out: script } = await runFixture(["completion", "bash"], WITH_COMPLETION);
  const code = `exec 3>&1
my-tool() { printf '%s\\n' "$*" >&3; printf '%s\\n' ${
    answer.map((each) => `$'${each}'`).join(" ")
  }; }
${script}
COMP_LINE=$1; COMP_POINT=\${#COMP_LINE}
__my_tool_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const command = new Deno.Command("bash", { args: ["-c", code, "bash", line] });
  const { stdout, stderr } = await command.output();
  assert.equal(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout).trimEnd().split("\n");
}

const hasBash = isInstalled("bash");

Deno.test({
  name: `the script works in a real bash${hasBash ? "" : " [needs bash]"}`,
  ignore: !hasBash,
  fn: async () => {
    assert.deepEqual(
      await inBash("my-tool serve --po", ["--port\\tA port", ":none"]),
      ["__complete serve --po", "--port"],
    );
    assert.deepEqual(
      await inBash("my-tool serve --form=", ["--form=json", "--form=yaml", ":none"]),
      ["__complete serve --form=", "json", "yaml"],
    );
    assert.deepEqual(await inBash("my-tool send ", ["GET", "POST", ":none"]), [
      "__complete send ",
      "GET",
      "POST",
    ]);
    const own = new URL("testing.ts", import.meta.url).pathname;
    assert.deepEqual(await inBash(`my-tool serve --file=${own.slice(0, -2)}`, [":file"]), [
      `__complete serve --file=${own.slice(0, -2)}`,
      own,
    ]);
  },
});

/** Required parts of a script for a shell that is not installed; it is not run. */
Deno.test("the PowerShell script has the shape of a native completer", async () => {
  for (const program of ["my-tool", "pilot-agent"]) {
    const { out } = await runFixture(["completion", "powershell"], {
      ...fixture(),
      commands: [completionCommand(program)],
    });
    const [head = "", ...rest] = out.trim().split("\n").filter((line) => !/^\s*(#|$)/.test(line));
    assert.equal(
      head,
      `Register-ArgumentCompleter -Native -CommandName '${program}' -ScriptBlock {`,
    );
    assert.equal(rest[0]?.trim(), "param($WordToComplete, $CommandAst, $CursorPosition)");
    assert.equal(rest.at(-1), "}");
    const bare = out.replaceAll(/#.*|'[^']*'|"[^"]*"/g, "");
    for (const [open, close] of ["()", "{}", "[]"]) {
      assert.equal(bare.split(open!).length, bare.split(close!).length, `${open}${close}`);
    }
    assert.match(out, /& \$program __complete @rest/);
    for (const directive of [":file", ":directory"]) assert(out.includes(`'${directive}'`));
    assert.equal(
      out.match(/\[System\.Management\.Automation\.CompletionResult\]::new\(/g)?.length,
      2,
    );
  }
});

Deno.test("suggest finds misspelt and cut-off names, nearest first", () => {
  const names = ["discovery", "request", "version"];
  assert.deepEqual(suggest("discvoery", names), ["discovery"]);
  assert.deepEqual(suggest("ver", names), ["version"]);
  assert.deepEqual(suggest("REQUEST", names), ["request"]);
  assert.deepEqual(suggest("zzz", names), []);
});
