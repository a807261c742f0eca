/**
 * Golden files: expected results of a test. `UPDATE_GOLDENS=1` writes them; read the difference
 * before you commit it.
 *
 * @module
 */
import assert from "node:assert/strict";
import { readYaml, toYaml } from "../../lib/kit/text/mod.ts";

/**
 * Compares a JSON value with a golden file, or writes the file when
 * `UPDATE_GOLDENS` is set.
 */
export async function assertGolden(file: URL, actual: unknown): Promise<void> {
  const text = JSON.stringify(actual, null, 2) + "\n";
  if (Deno.env.get("UPDATE_GOLDENS") === "1") return await Deno.writeTextFile(file, text);
  assert.deepEqual(JSON.parse(text), JSON.parse(await readGolden(file)));
}

async function readGolden(file: URL): Promise<string> {
  try {
    return await Deno.readTextFile(file);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
    throw new Error(`${file.pathname} is missing; UPDATE_GOLDENS=1 writes it`, { cause });
  }
}

/** Compares a text with a golden file, or writes the file when `UPDATE_GOLDENS` is set. */
export async function assertGoldenText(file: URL, actual: string): Promise<void> {
  if (Deno.env.get("UPDATE_GOLDENS") === "1") return await Deno.writeTextFile(file, actual);
  assert.equal(actual, await readGolden(file));
}

/** Compares a value with a golden file in YAML, or writes the file; its layout does not matter. */
export async function assertGoldenYaml(file: URL, actual: unknown): Promise<void> {
  if (Deno.env.get("UPDATE_GOLDENS") === "1") {
    return await Deno.writeTextFile(file, toYaml(actual, "double"));
  }
  const kept = [...readYaml(await readGolden(file))][0]?.document?.value;
  assert.deepEqual(JSON.parse(JSON.stringify(actual)), JSON.parse(JSON.stringify(kept ?? null)));
}
