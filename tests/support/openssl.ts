/**
 * Shared parts of the certificate tests: `openssl` verifies the results.
 *
 * @module
 */

/** The result of a command. */
export interface Ran {
  readonly ok: boolean;
  readonly stdout: string;
  /** Standard output and error. */
  readonly text: string;
}

/**
 * Runs `openssl` with files by name in a temporary folder, which replace `@name` in arguments.
 *
 * @param stdin text for its standard input; default: none
 */
export async function openssl(
  args: readonly string[],
  files: Readonly<Record<string, string | Uint8Array>> = {},
  stdin?: string,
): Promise<Ran> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-openssl-" });
  try {
    for (const [name, content] of Object.entries(files)) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await Deno.writeFile(`${dir}/${name}`, bytes);
    }
    const process = new Deno.Command("openssl", {
      args: args.map((arg) => arg.replace("@", `${dir}/`)),
      stdin: stdin === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    if (stdin !== undefined) await feed(process, stdin);
    const { success, stdout, stderr } = await process.output();
    const decoder = new TextDecoder();
    const out = decoder.decode(stdout);
    return { ok: success, stdout: out, text: out + decoder.decode(stderr) };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** Writes to a process, which may end before it has read. */
async function feed({ stdin }: Deno.ChildProcess, text: string): Promise<void> {
  const writer = stdin.getWriter();
  await writer.write(new TextEncoder().encode(text)).catch(() => {});
  await writer.close().catch(() => {});
}

/** Standard output of `openssl`, which has to succeed. */
export async function opensslText(
  args: readonly string[],
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<string> {
  const { ok, stdout, text } = await openssl(args, files);
  if (!ok) throw new Error(`openssl ${args[0]}: ${text}`);
  return stdout;
}
