/**
 * Programs of the machine that run to their end.
 *
 * @module
 */

/** The output of a program. */
export interface Outcome {
  readonly success: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of the machine. */
export async function output(
  [command, ...args]: readonly string[],
  input?: string,
): Promise<Outcome> {
  const child = new Deno.Command(command!, {
    args,
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const fed = input === undefined ? undefined : feed(child.stdin, input);
  const { success, stdout, stderr } = await child.output();
  await fed;
  const text = new TextDecoder();
  return { success, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

async function feed(stdin: WritableStream<Uint8Array>, input: string): Promise<void> {
  const writer = stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  } catch (error) {
    // A program that ends early, with its reason, reads no further.
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
