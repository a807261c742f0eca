/**
 * Free ports and waiting for conditions.
 *
 * @module
 */

const handed = new Set<number>();

/**
 * Ports that nobody listens on now, and that this process has not handed out
 * before. They are taken below the range from which the kernel picks ports for
 * outgoing connections, so that none of those takes one in the meantime.
 */
export function freePorts(count: number): number[] {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = 12_000 + Math.floor(Math.random() * 18_000);
    if (handed.has(port) || !isFree(port)) continue;
    handed.add(port);
    ports.push(port);
  }
  return ports;
}

/** One port of {@link freePorts}. */
export function freePort(): number {
  return freePorts(1)[0]!;
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
