/**
 * Documents with mistakes: `meshctl validate`, the daemon and what-if questions give the same
 * position, field, message and remedy for each.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Daemon,
  eventually,
  makeConfigDir,
  startDaemon,
  startProgram,
} from "../../scripts/harness/mod.ts";
import { WRONG_DOCUMENTS, type WrongDocument } from "../support/wrong_documents.ts";

/** A problem as the three programs give it. */
interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

Deno.test("mistakes in documents: validate, daemon and what-if agree, with place and remedy", async (t) => {
  assert.ok(WRONG_DOCUMENTS.length >= 30);
  await using config = await makeConfigDir();
  for (const { name, text } of WRONG_DOCUMENTS) await config.write(`${name}.yaml`, text);
  await using empty = await makeConfigDir();
  await using daemon = await startDaemon({ configDir: config.path });
  await using other = await startDaemon({ configDir: empty.path });
  const ofDaemon = await daemonProblems(daemon);
  const ofValidate = await validateProblems(config.path);
  for (const document of WRONG_DOCUMENTS) {
    await t.step(document.name, async () => {
      const file = `${document.name}.yaml`;
      const found = ofDaemon.filter((one) => one.file === file);
      assertExpected(found, document);
      assert.deepEqual(ofValidate.filter((one) => one.file === file), found);
      assert.deepEqual(await whatIfProblems(other, document), found);
      const { line, column } = found[0]!;
      assert.ok(daemon.program.output().includes(`rejected: ${file}:${line}:${column}`));
    });
  }
});

function assertExpected(found: readonly Problem[], wrong: WrongDocument): void {
  const fits = found.find(({ line, path, message, remedy }) =>
    line === wrong.line && path === wrong.path && message.includes(wrong.message) &&
    remedy.includes(wrong.remedy)
  );
  assert.ok(fits, `${JSON.stringify(wrong)}\n${JSON.stringify(found, null, 2)}`);
  for (const { message, remedy, line } of found) {
    assert.ok(message !== "" && /[.?]$/.test(remedy), `${message}: ${remedy}`);
    assert.ok(line >= 1 && line <= wrong.text.split("\n").length, `${line}`);
  }
}

async function daemonProblems(daemon: Daemon): Promise<Problem[]> {
  const problems = await eventually("all files to be rejected", async () => {
    const shown = await daemon.debug<{ problems: Problem[] }>("configz?problems=true");
    return new Set(shown.problems.map(({ file }) => file)).size === WRONG_DOCUMENTS.length &&
      shown.problems;
  });
  return problems.map((one) => plain(one, ""));
}

async function validateProblems(dir: string): Promise<Problem[]> {
  await using program = startProgram(["meshctl", "validate", dir, "-o", "json"]);
  const { code } = await program.status;
  assert.equal(code, 1);
  const all = JSON.parse(program.output()) as (Problem & { reason: string; rejected: boolean })[];
  return all.filter(({ rejected }) => rejected)
    .map((one) => plain({ ...one, code: one.reason }, `${dir}/`));
}

async function whatIfProblems(daemon: Daemon, { name, text }: WrongDocument): Promise<Problem[]> {
  const answer = await fetch(`${daemon.http}/debug/whatif`, { method: "POST", body: text });
  assert.equal(answer.status, 400);
  const { problems } = await answer.json() as { problems: Problem[] };
  assert.ok(problems.length > 0);
  // The documents of a question are named after it.
  const [{ file }] = problems as [Problem];
  return problems.map((one) => plain(one, "", [file, `${name}.yaml`]))
    .sort((a, b) => a.line - b.line);
}

/** The compared fields; paths are relative to the directory, and a file may be renamed. */
function plain(problem: Problem, prefix: string, [from, to] = ["", ""]): Problem {
  const text = (value: string): string => {
    const relative = prefix === "" ? value : value.replaceAll(prefix, "");
    return from === ""
      ? relative
      : relative.replaceAll(new RegExp(`^${from}$|${from}(?=:\\d)`, "g"), to);
  };
  const { file, line, column, path, code, message, remedy } = problem;
  return {
    file: text(file),
    line,
    column,
    path,
    code,
    message: text(message),
    remedy: text(remedy),
  };
}
