/**
 * A TCP relay that can be interrupted: between a client and a server, for faults of the network.
 *
 * @module
 */

/** A running relay. */
export interface Relay extends AsyncDisposable {
  /** Port that clients connect to. */
  readonly port: number;
  /** True: bytes are kept back in both directions, and connections are accepted. */
  stall(on: boolean): void;
  /** Ends all connections. */
  drop(): void;
}

/** Starts a relay to a port of this machine. */
export function startRelay(target: number): Relay {
  return new RunningRelay(target);
}

class RunningRelay implements Relay {
  readonly port: number;
  readonly #target: number;
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #open = new Set<Deno.Conn>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #accepting: Promise<void>;
  #released: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  constructor(target: number) {
    this.#target = target;
    this.port = this.#listener.addr.port;
    this.#accepting = this.#accept();
  }

  stall(on: boolean): void {
    this.#release();
    if (!on) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    [this.#released, this.#release] = [promise, resolve];
  }

  drop(): void {
    for (const connection of this.#open) close(connection);
    this.#open.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.stall(false);
    this.drop();
    await this.#accepting;
    await Promise.all(this.#running);
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) this.#running.add(this.#connect(client));
  }

  async #connect(client: Deno.Conn): Promise<void> {
    this.#open.add(client);
    let server: Deno.Conn;
    try {
      server = await Deno.connect({ hostname: "127.0.0.1", port: this.#target });
    } catch {
      close(client); // as a server that is not there
      return;
    }
    this.#open.add(server);
    await Promise.all([this.#copy(client, server), this.#copy(server, client)]);
  }

  async #copy(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    const buffer = new Uint8Array(65_536);
    try {
      for (;;) {
        const count = await from.read(buffer);
        await this.#released;
        if (count === null) break;
        for (let at = 0; at < count;) at += await to.write(buffer.subarray(at, count));
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error; // one of the connections was closed
    }
    for (const connection of [from, to]) {
      this.#open.delete(connection);
      close(connection);
    }
  }
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error; // closed already
  }
}
