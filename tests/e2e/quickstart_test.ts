/**
 * The commands of `docs/quickstart.md`, run by one shell in the order of the page, with free ports.
 *
 * @module
 */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { freeBlock } from "../../scripts/harness/mod.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** Expected output of the commands, by the number of the section. */
const EXPECTED: Readonly<Record<string, RegExp>> = {
  "4": /^"config\/shop\.yaml" is valid$/,
  "5": /^the daemon is ready$/,
  "6": /^the sidecar is ready$/,
  "7": /^\s*\d+ shop v1\s+\d+ shop v2$/,
  "8": /^the gateway is ready$/,
  "9": /^("config\/\w+\.yaml" is valid\s*){3}$/,
  "10": /^shop v2\nshop v1$/,
};

Deno.test("the commands of the quickstart do what the page says", async () => {
  const sections = await sectionsOfPage();
  assert.deepEqual(sections.map(({ name }) => name), [..."123456789", "10", "Stop"]);
  const script = sections.map(({ name, command }) => `echo '== ${name}'\n${command}`).join("\n");
  const temp = await Deno.makeTempDir({ prefix: "mesh-quickstart-" });
  try {
    const { success, output } = await run(script, temp);
    assert.ok(success, output);
    const printed = new Map(
      output.split(/^== /m).slice(1).map((part) => {
        const [name = "", ...lines] = part.split("\n");
        return [name, lines.join("\n").trim()];
      }),
    );
    for (const [name, expected] of Object.entries(EXPECTED)) {
      assert.match(printed.get(name) ?? "", expected, output + await logs(temp));
    }
    for await (const { name } of Deno.readDir(temp)) {
      const log = await Deno.readTextFile(`${temp}/${name}/daemon.log`);
      assert.doesNotMatch(log, /\s(warn|error)\s/, log);
    }
  } finally {
    await Deno.remove(temp, { recursive: true });
  }
});

Deno.test("a port of the quickstart that is in use is named, and so is the reason of a program that ends", async () => {
  const port = freeBlock();
  using _taken = Deno.listen({ hostname: "127.0.0.1", port: port + 11 });
  const sections = (await sectionsOfPage()).slice(0, 5);
  const temp = await Deno.makeTempDir({ prefix: "mesh-quickstart-" });
  try {
    const script = sections.map(({ command }) => command).join("\n");
    const { success, output } = await run(script, temp, port);
    assert.equal(success, false, output);
    assert.match(output, new RegExp(`^port ${port + 11} is in use$`, "m"));
    assert.match(output, new RegExp(`cannot listen on 127.0.0.1:${port + 11} \\(--httpAddr\\)`));
    assert.doesNotMatch(output, /the daemon is ready/);
  } finally {
    await Deno.remove(temp, { recursive: true });
  }
});

/** The first commands of each section. */
async function sectionsOfPage(): Promise<{ readonly name: string; readonly command: string }[]> {
  const page = await Deno.readTextFile(`${ROOT}docs/quickstart.md`);
  return [...page.matchAll(/^## (?:(\d+)\. )?(.+)\n(?:(?!## )[^]*?)```sh\n([^]*?)```/gm)]
    .map(([, number, title, command]) => ({ name: number ?? title!, command: command! }));
}

/** Runs commands in a bash whose temporary folders are below `temp`. */
async function run(
  script: string,
  temp: string,
  port: number = freeBlock(),
): Promise<{ success: boolean; output: string }> {
  const { success, stdout, stderr } = await new Deno.Command("bash", {
    args: [
      "-c",
      `set -e\ntrap 'kill $(jobs -p) 2>/dev/null || :' EXIT\n${
        script.replace("kill $(jobs -p); wait", "kill $(jobs -p); wait || :")
      }`,
    ],
    cwd: ROOT,
    env: {
      P: `${port}`,
      TMPDIR: temp,
      NO_COLOR: "1",
      PATH: `${dirname(Deno.execPath())}:${Deno.env.get("PATH")}`,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = new TextDecoder();
  return { success, output: text.decode(stdout) + text.decode(stderr) };
}

/** The logs that the commands left. */
async function logs(temp: string): Promise<string> {
  let all = "";
  for await (const { name } of Deno.readDir(temp)) {
    for (const log of ["daemon", "sidecar", "gateway"]) {
      const text = await Deno.readTextFile(`${temp}/${name}/${log}.log`).catch(() => "(none)");
      all += `\n${log}.log:\n${text.slice(-3000)}`;
    }
  }
  return all;
}
