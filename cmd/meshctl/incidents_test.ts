/** Runs the commands of `docs/explain.md`, and compares their output with its lines. */
import assert from "node:assert/strict";
import { NO_CONFIGURED, runProgram } from "../../lib/kit/cli/mod.ts";
import { MESHCTL } from "./program.ts";

const ROOT = new URL("../../", import.meta.url);
const PAGE = Deno.readTextFileSync(new URL("docs/explain.md", ROOT));
const SECTION = /^### (.+)\n[^]*?```sh\nmeshctl (.+)\n```\n\n```text\n([^]*?)```/gm;
const incidents = [...PAGE.matchAll(SECTION)];

Deno.test("incidents: the page has five", () => assert.equal(incidents.length, 5));

for (const [, title = "", command = "", lines = ""] of incidents) {
  Deno.test(`incident: ${title}`, async () => {
    let out = "";
    const root = ROOT.pathname;
    const argv = command.split(" ").map((word) =>
      word.startsWith("samples/") ? `${root}${word}` : word
    );
    const io = { out: (text: string) => void (out += text), err: () => {} };
    const signal = new AbortController().signal;
    const status = await runProgram(MESHCTL, argv, { io, signal, configured: NO_CONFIGURED });
    const isWarning = title === "A new route is not used" || title.includes("404");
    assert.equal(status, isWarning ? 0 : command.startsWith("explain ") ? 1 : 79);
    const found = out.replaceAll(root, "").split("\n").map((line) => line.trim());
    for (const line of lines.trim().split("\n")) {
      const parts = line.split("…").map((part) => part.replace(/[\\^$*+?.()|[\]{}]/g, "\\$&"));
      const pattern = new RegExp(`^${parts.join(".*")}$`);
      assert.ok(found.some((one) => pattern.test(one)), `${line}\nis not in:\n${out}`);
    }
  });
}
