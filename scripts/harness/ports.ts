/**
 * Free ports and waiting for conditions.
 *
 * @module
 */

/**
 * A process reserves a whole block of ports, so that concurrent test files never use the same port.
 * The blocks are below the kernel's range for outgoing connections, which therefore cannot take a
 * reserved port.
 */
const FIRST_PORT = 12_000;
const BLOCK = 100;
const BLOCKS = 180;
/** The block of the mesh's own ports (15000 to 15090), which proxies and agents bind by default. */
const MESH_BLOCK = 15_000;

let left: number[] = [];

/** Free ports that were not returned before. */
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

/** The first of 100 free ports behind each other. */
export function freeBlock(): number {
  for (;;) {
    const ports = takeBlock();
    if (ports.every(isFree)) return ports[0]!;
  }
}

/** Reserves a block that no running process holds. */
function takeBlock(): number[] {
  const folder = reservations();
  for (let tries = 0; tries < 10 * BLOCKS; tries++) {
    const block = Math.floor(Math.random() * BLOCKS);
    const first = FIRST_PORT + block * BLOCK;
    if (first === MESH_BLOCK || !take(`${folder}/${block}`)) continue;
    return Array.from({ length: BLOCK }, (_, i) => first + i);
  }
  throw new Error(`all blocks of ports are taken, see ${folder}`);
}

/**
 * The folder with a file for each taken block. All users of the machine share it: their tests bind
 * the same ports.
 */
function reservations(): string {
  const folder = `${Deno.env.get("TMPDIR") ?? "/tmp"}/mesh-ports`;
  try {
    Deno.mkdirSync(folder);
    // The mode of `mkdir` is reduced by the umask.
    Deno.chmodSync(folder, 0o777);
  } catch (e) {
    if (!(e instanceof Deno.errors.AlreadyExists)) throw e;
  }
  return folder;
}

/**
 * Creates a file with the id of this process, exclusively. The file of a process that ended is removed
 * first.
 */
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
 * Default deadline of {@link eventually}, in milliseconds. Conditions hold within 5 s on two idle
 * cores; a deadline is reached only by a failing test.
 */
const DEADLINE_MS = 60_000;

/**
 * Polls until the result is neither `undefined` nor `false`, after pauses of 20 to 250 ms: longer ones after questions
 * that took longer.
 *
 * @param what description for the error at the deadline
 * @param deadlineMs deadline in milliseconds; default {@link DEADLINE_MS}
 */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  deadlineMs: number = DEADLINE_MS,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  let last: unknown;
  for (;;) {
    const asked = performance.now();
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (e) {
      last = e;
    }
    if (performance.now() > end) {
      throw new Error(`waited ${deadlineMs} ms without success: ${what}`, { cause: last });
    }
    // Questions that start a program would take a whole processor from what they wait for.
    const pause = Math.min(250, Math.max(20, 2 * (performance.now() - asked)));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
