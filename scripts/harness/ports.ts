/**
 * Free ports and waiting for conditions.
 *
 * @module
 */

/**
 * Ports come in blocks, and a process takes a whole block at a time, so that test
 * files that run side by side never hand out the same one. The blocks lie below
 * the range from which the kernel picks ports for outgoing connections, so that
 * none of those takes one in the meantime.
 */
const FIRST_PORT = 12_000;
const BLOCK = 100;
const BLOCKS = 180;

let left: number[] = [];

/** Ports that nobody listens on now, and that were not handed out before. */
export function freePorts(count: number): number[] {
  const ports: number[] = [];
  while (ports.length < count) {
    if (left.length === 0) left = takeBlock();
    const port = left.shift()!;
    if (isFree(port)) ports.push(port);
  }
  return ports;
}

/** One port of {@link freePorts}. */
export function freePort(): number {
  return freePorts(1)[0]!;
}

/** Takes a block whose taker, if there ever was one, is gone. */
function takeBlock(): number[] {
  const folder = `${Deno.env.get("TMPDIR") ?? "/tmp"}/mesh-ports-${Deno.uid() ?? 0}`;
  Deno.mkdirSync(folder, { recursive: true });
  for (let tries = 0; tries < 10 * BLOCKS; tries++) {
    const block = Math.floor(Math.random() * BLOCKS);
    if (!take(`${folder}/${block}`)) continue;
    const first = FIRST_PORT + block * BLOCK;
    return Array.from({ length: BLOCK }, (_, i) => first + i);
  }
  throw new Error(`all blocks of ports are taken, see ${folder}`);
}

/** Creates a file with the own process id, which only one can; one of a process that ended is removed first. */
function take(file: string): boolean {
  try {
    const owner = Deno.readTextFileSync(file);
    if (owner === "" || isAlive(owner)) return false;
    Deno.removeSync(file);
  } catch (e) {
    if (!(e instanceof Deno.errors.NotFound)) throw e;
  }
  try {
    Deno.writeTextFileSync(file, `${Deno.pid}`, { createNew: true });
    return true;
  } catch (e) {
    if (e instanceof Deno.errors.AlreadyExists) return false;
    throw e;
  }
}

function isAlive(pid: string): boolean {
  try {
    Deno.statSync(`/proc/${pid}`);
    return true;
  } catch {
    return false;
  }
}

function isFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "0.0.0.0", port }).close();
    return true;
  } catch (e) {
    if (e instanceof Deno.errors.AddrInUse) return false;
    throw e;
  }
}

/**
 * Asks again and again until an answer is not `undefined` or `false`.
 *
 * @param what for the error when the deadline passes
 * @param deadlineMs how long to go on
 */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  deadlineMs = 20_000,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (e) {
      last = e;
    }
    if (performance.now() > end) {
      throw new Error(`waited ${deadlineMs} ms in vain: ${what}`, { cause: last });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
