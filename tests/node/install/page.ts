/**
 * The page about installations: its commands, and a shell in which they work.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { NodeCluster } from "../../../scripts/cluster/node/cluster.ts";
import { freePort, programWords } from "../../../scripts/harness/mod.ts";

const ROOT = new URL("../../../", import.meta.url);

/** Commands by section; those before the first section have no name. */
export async function sectionsOfPage(): Promise<Map<string, string>> {
  const page = await Deno.readTextFile(new URL("docs/install.md", ROOT));
  const [first = "", ...sections] = page.split(/^## /m);
  const commands = (text: string): string =>
    [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join("");
  return new Map([
    ["", commands(first)],
    ...sections.map((text) => [text.split("\n", 1)[0]!, commands(text)] as const),
  ]);
}

/** A shell in which the commands of the page work; `app` is the application that it names. */
export async function shellFor(
  { kubeconfig }: NodeCluster,
  folder: string,
  app = "",
): Promise<(script: string) => Promise<string>> {
  const port = freePort();
  const words = [Deno.execPath(), ...programWords("meshctl")].join(" ");
  const program = `#!/bin/sh\nexec ${words} "$@"\n`;
  await Deno.writeTextFile(`${folder}/meshctl`, program, { mode: 0o755 });
  await Deno.writeTextFile(`${folder}/app.yaml`, app);
  const bin = kubeconfig.replace(/[^/]*$/, "bin");
  return async (script) => {
    const { success, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-ec", script.replaceAll("8080", String(port))],
      env: {
        PATH: `${folder}:${bin}:${Deno.env.get("PATH")}`,
        KUBECONFIG: kubeconfig,
        APP: `${folder}/app.yaml`,
      },
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    const [out, err] = [decoder.decode(stdout), decoder.decode(stderr)];
    assert.ok(success, `${script}\n${out}${err}`);
    return out + err;
  };
}
