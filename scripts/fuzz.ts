/**
 * `deno task fuzz [PATH] [--runs=N] [--seed=N]`: runs the fuzz targets whose path contains PATH. An
 * input that fails is added to the target's seeds, so that the tests repeat it.
 *
 * @module
 */
import { findTargets, fuzz } from "./fuzz/run.ts";

/** Mutations of each target, by default. */
const RUNS = 200_000;

function numberFlag(name: string, otherwise: number): number {
  const text = Deno.args.find((arg) => arg.startsWith(`--${name}=`))?.split("=")[1];
  if (text === undefined) return otherwise;
  if (/^\d+$/.test(text)) return Number(text);
  console.error(`--${name}=${text} is not a number`);
  Deno.exit(64);
}

if (import.meta.main) {
  const wanted = Deno.args.find((arg) => !arg.startsWith("--")) ?? "";
  const runs = numberFlag("runs", RUNS);
  const seed = numberFlag("seed", Date.now() % 2 ** 31);
  let failed = 0;
  for (const target of await findTargets()) {
    if (!target.path.includes(wanted)) continue;
    const failure = await fuzz(target, { runs, seed });
    console.log(`${target.path}: ${failure ? "failed" : "ok"} (${runs} runs, seed ${seed})`);
    if (!failure) continue;
    failed++;
    console.error(failure.error);
    const line = `${failure.input.toHex()} # found with seed ${seed}\n`;
    await Deno.writeTextFile(target.seedsPath, line, { append: true });
    console.error(`the input was added to ${target.seedsPath}`);
  }
  if (failed > 0) Deno.exit(1);
}
