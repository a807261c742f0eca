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
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  let released: Promise<void> = Promise.resolve();
  let release: () => void = () => {};
  const drop = (): void => {
    for (const connection of open) close(connection);
    open.clear();
  };
  const copy = async (from: Deno.Conn, to: Deno.Conn): Promise<void> => {
    const buffer = new Uint8Array(65_536);
    try {
      for (;;) {
        const count = await from.read(buffer);
        await released;
        if (count === null) break;
        for (let at = 0; at < count;) at += await to.write(buffer.subarray(at, count));
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error; // one of the connections was closed
    }
    for (const connection of [from, to]) {
      open.delete(connection);
      close(connection);
    }
  };
  const running = new Set<Promise<unknown>>();
  const connect = async (client: Deno.Conn): Promise<void> => {
    open.add(client);
    let server: Deno.Conn;
    try {
      server = await Deno.connect({ hostname: "127.0.0.1", port: target });
    } catch {
      close(client); // as a server that is not there
      return;
    }
    open.add(server);
    await Promise.all([copy(client, server), copy(server, client)]);
  };
  const accepting = (async () => {
    for await (const client of listener) running.add(connect(client));
  })();
  const stall = (on: boolean): void => {
    release();
    if (!on) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    [released, release] = [promise, resolve];
  };
  return {
    port: (listener.addr as Deno.NetAddr).port,
    stall,
    drop,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      stall(false);
      drop();
      await accepting;
      await Promise.all(running);
    },
  };
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error; // closed already
  }
}
