/**
 * The helper that has the socket of node proxies: it does what the runtime lacks, sockets of packets and
 * descriptors beside data. It is the program of the network plugin.
 *
 * @module
 */
import { MeshError, messageOf } from "../../../kit/base/mod.ts";

/** Handlers of events of the helper. None may throw. */
export interface BridgeHandlers {
  opened(connection: number, bridge: Bridge): void;
  message(connection: number, data: Uint8Array): void;
  closed(connection: number, reason: string): void;
}

/** The end of a message on its way. */
export type Sent =
  | { readonly kind: "sent" }
  | {
    readonly kind: "failed";
    readonly reason: string;
    /** The network namespace could not be opened, and nothing was sent. */
    readonly descriptor: boolean;
  };

/** A running helper. */
export interface Bridge extends AsyncDisposable {
  /** Sends a message; with it goes the descriptor of the network namespace at a path, if one is given. */
  send(connection: number, data: Uint8Array, netns?: string): Promise<Sent>;
  close(connection: number): void;
  /** Resolves when the helper has ended, with its last words. */
  readonly ended: Promise<string>;
}

interface Line {
  readonly event: "listening" | "opened" | "message" | "sent" | "failed" | "closed";
  readonly connection?: number;
  readonly id?: number;
  readonly data?: string;
  readonly reason?: string;
  readonly descriptor?: boolean;
}

/**
 * Starts the helper, which takes the place of a socket that is there.
 *
 * @param helper path of the program
 * @throws {MeshError} `ambient-socket`
 */
export async function openBridge(
  helper: string,
  socketPath: string,
  handlers: BridgeHandlers,
): Promise<Bridge> {
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(helper, {
      args: ["node-proxies", socketPath],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (cause) {
    throw noSocket(socketPath, messageOf(cause), cause);
  }
  const bridge = new RunningBridge(child, handlers);
  const reason = await Promise.race([bridge.listening, bridge.ended]);
  if (reason === undefined) return bridge;
  await bridge[Symbol.asyncDispose]();
  throw noSocket(socketPath, reason);
}

function noSocket(path: string, reason: string, cause?: unknown): MeshError {
  return new MeshError("ambient-socket", `cannot listen for node proxies at ${path}: ${reason}`, {
    remedy: "Check that the folder of --ztunnel-uds-address is mounted and can be written.",
    cause,
  });
}

class RunningBridge implements Bridge {
  readonly ended: Promise<string>;
  /** Resolves when node proxies can connect. */
  readonly listening: Promise<undefined>;
  readonly #child: Deno.ChildProcess;
  readonly #handlers: BridgeHandlers;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #onTheWay = new Map<number, (sent: Sent) => void>();
  readonly #listens: () => void;
  #last = 0;

  constructor(child: Deno.ChildProcess, handlers: BridgeHandlers) {
    this.#child = child;
    this.#handlers = handlers;
    this.#input = child.stdin.getWriter();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    [this.listening, this.#listens] = [promise, () => resolve(undefined)];
    this.ended = this.#run();
  }

  send(connection: number, data: Uint8Array, netns = ""): Promise<Sent> {
    const id = ++this.#last;
    const { promise, resolve } = Promise.withResolvers<Sent>();
    this.#onTheWay.set(id, resolve);
    this.#write({ connection, id, data: data.toBase64(), netns });
    return promise;
  }

  close(connection: number): void {
    this.#write({ connection, close: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {});
    await this.ended;
  }

  #write(line: unknown): void {
    // A helper that has ended is told by `ended`.
    this.#input.write(new TextEncoder().encode(`${JSON.stringify(line)}\n`)).catch(() => {});
  }

  async #run(): Promise<string> {
    const said = new Response(this.#child.stderr).text();
    let fault = "";
    try {
      let rest = "";
      for await (const chunk of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) this.#take(JSON.parse(line));
      }
    } catch (error) {
      fault = messageOf(error);
    }
    const { code } = await this.#child.status;
    const reason = (await said).trim() || fault || `it ended with status ${code}`;
    for (const resolve of this.#onTheWay.values()) {
      resolve({ kind: "failed", reason, descriptor: false });
    }
    this.#onTheWay.clear();
    await this.#input.close().catch(() => {});
    return reason;
  }

  #take({ event, connection = 0, id = 0, data = "", reason = "", descriptor = false }: Line): void {
    switch (event) {
      case "listening":
        return this.#listens();
      case "opened":
        return this.#handlers.opened(connection, this);
      case "message":
        return this.#handlers.message(connection, Uint8Array.fromBase64(data));
      case "closed":
        return this.#handlers.closed(connection, reason);
      case "sent":
      case "failed": {
        const resolve = this.#onTheWay.get(id);
        this.#onTheWay.delete(id);
        resolve?.(event === "sent" ? { kind: "sent" } : { kind: "failed", reason, descriptor });
      }
    }
  }
}
