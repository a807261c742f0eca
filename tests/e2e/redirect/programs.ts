/**
 * Runs programs in a network namespace.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { Asked } from "./ask.ts";
import { missingTool, run } from "./network.ts";

/** Path of a program of this folder. */
export const program = (name: string): string => new URL(`${name}.ts`, import.meta.url).pathname;

/**
 * A program in a namespace; goes when its input ends, or is ended. It has a process group: what it
 * started and left behind is ended, too.
 */
export async function start(
  namespace: string,
  args: readonly string[],
  group = 0,
): Promise<AsyncDisposable> {
  const child = new Deno.Command("ip", {
    args: ["netns", "exec", namespace]
      .concat("setpriv", `--regid=${group}`, "--clear-groups")
      .concat(Deno.execPath(), "run", "-q", "-A", ...args),
    detached: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let said = "";
  let ready = (): void => {};
  const begun = new Promise<void>((resolve) => ready = resolve);
  const collect = (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> =>
    stream.pipeThrough(new TextDecoderStream()).pipeTo(
      new WritableStream({
        write: (text) => {
          said += text;
          if (/^ready$/m.test(said)) ready();
        },
      }),
    );
  const read = Promise.all([collect(child.stdout), collect(child.stderr)]);
  const ended = child.status.then(({ code }) => {
    throw new Error(`${args.join(" ")} ended with ${code}:\n${said}`);
  });
  // It is awaited here, and ends when it is stopped.
  ended.catch(() => {});
  await Promise.race([begun, ended]);
  return {
    [Symbol.asyncDispose]: async () => {
      await child.stdin.close();
      // A program that serves looks at no input.
      if (group === 0) child.kill("SIGTERM");
      await child.status;
      endGroup(child.pid);
      await read;
      assert.ok(!said.includes("refused"), said);
    },
  };
}

/** Ends the processes that are left of a group. */
function endGroup(leader: number): void {
  try {
    Deno.kill(-leader, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Returns the response to a call from a namespace. */
export async function asks(namespace: string, ...args: readonly string[]): Promise<Asked> {
  const deno = [Deno.execPath(), "run", "-q", "-A", program("ask")];
  return JSON.parse(await run("ip", "netns", "exec", namespace, ...deno, ...args));
}

/** A step with a program of the system, which is skipped by name where it is not installed. */
export function stepWith(
  tool: string,
  what: string,
  fn: () => Promise<void>,
): { readonly name: string; readonly ignore: boolean; readonly fn: () => Promise<void> } {
  const lacking = missingTool(tool);
  const name = lacking === undefined ? `${tool}: ${what}` : `${tool}: ${what} [${lacking}]`;
  return { name, ignore: lacking !== undefined, fn };
}

/** An answer to `curl`. */
export interface Fetched {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

/** Calls a URL with `curl` in a namespace. */
export async function curl(namespace: string, ...args: readonly string[]): Promise<Fetched> {
  const text = await run(
    ...["ip", "netns", "exec", namespace, "curl", "-sS", "--noproxy", "*"] as const,
    ...["-o", "/dev/null", "-D", "-", "--max-time", "60", ...args],
  );
  const [first = "", ...lines] = text.trim().split("\r\n");
  return {
    status: Number(first.split(" ")[1]),
    headers: new Map(lines.map((line) => {
      const [name = "", ...rest] = line.split(":");
      return [name.toLowerCase(), rest.join(":").trim()];
    })),
  };
}
