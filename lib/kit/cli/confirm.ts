import type { Io } from "./spec.ts";

/** Asks on standard error, and waits for a line. Without an answer, and for other words than `y` and `yes`: no. */
export async function confirm(io: Io, question: string): Promise<boolean> {
  io.err(`${question} (y/N) `);
  const answer = await io.line?.();
  if (answer === undefined) io.err("\n");
  return /^\s*y(es)?\s*$/i.test(answer ?? "");
}
