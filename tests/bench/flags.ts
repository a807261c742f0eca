/**
 * The benchmarks' flags: `--name=number`.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";

/** The number of a flag, or the fallback. @throws {MeshError} if it is not a number. */
export function numberFlag(name: string, fallback: number): number {
  const text = Deno.args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  const value = text === undefined ? fallback : Number(text);
  if (Number.isFinite(value) && text !== "") return value;
  throw new MeshError("bench-flag", `--${name}=${text} is no number`, {
    remedy: `Give a number, such as --${name}=${fallback}.`,
  });
}
