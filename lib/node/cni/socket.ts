/**
 * An HTTP listener on a Unix socket.
 *
 * @module
 */
import { endsWithin } from "../../kit/async/mod.ts";
import { MeshError, messageOf } from "../../kit/base/mod.ts";

/** A socket, and who may connect: the owner alone, for the caller acts as root. */
const MODE = 0o600;

/** Options of {@link serveSocket}. */
export interface SocketOptions {
  readonly path: string;
  readonly signal: AbortSignal;
  /** Time for requests in progress after the signal, milliseconds. */
  readonly graceMs: number;
  answer(request: Request): Promise<Response>;
}

/**
 * Listens at a path. A socket that is there is replaced at once, so that callers always find one.
 *
 * @returns resolves when the listener has ended after the signal
 * @throws {MeshError} `cni-socket`
 */
export async function serveSocket(
  { path, signal, graceMs, answer }: SocketOptions,
): Promise<{ readonly finished: Promise<void> }> {
  const partial = `${path}.partial`;
  let server: Deno.HttpServer<Deno.UnixAddr>;
  let own: number | null;
  try {
    await removeIfThere(partial);
    server = Deno.serve({ path: partial, onListen() {} }, answer);
    await Deno.chmod(partial, MODE);
    own = (await Deno.stat(partial)).ino;
    await Deno.rename(partial, path);
  } catch (cause) {
    throw new MeshError("cni-socket", `cannot listen at ${path}: ${messageOf(cause)}`, {
      remedy: "Check that the folder of --cni-agent-run-dir is there and can be written.",
      cause,
    });
  }
  return { finished: ended({ server, path, own, signal, graceMs }) };
}

interface Ending extends Pick<SocketOptions, "path" | "signal" | "graceMs"> {
  readonly server: Deno.HttpServer<Deno.UnixAddr>;
  readonly own: number | null;
}

async function ended({ server, path, own, signal, graceMs }: Ending): Promise<void> {
  await aborted(signal);
  // The next agent may listen already.
  const found = await Deno.stat(path).catch(() => undefined);
  if (found !== undefined && found.ino === own) await removeIfThere(path);
  await endsWithin(graceMs, server.shutdown());
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function removeIfThere(path: string): Promise<void> {
  await Deno.remove(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}
