/**
 * An HTTP proxy that tunnels connections (`CONNECT`).
 *
 * @module
 */

/** A running proxy. */
export interface ConnectProxy extends AsyncDisposable {
  readonly url: string;
  /** `HOST:PORT` of the tunnels, in order. */
  readonly asked: string[];
}

/**
 * Starts a proxy that leads every connection to one port of this machine.
 *
 * @param rewrite changes what clients send first
 */
export function startConnectProxy(
  port: number,
  rewrite: (text: string) => string = (text) => text,
): ConnectProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const asked: string[] = [];
  const open = new Set<Promise<void>>();
  const connections = new Set<Deno.TcpConn>();
  const accepting = (async () => {
    for await (const client of listener) {
      const served = tunnel(client, { port, rewrite, asked, connections }).catch(() => {});
      open.add(served);
    }
  })();
  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      await accepting;
      for (const one of connections) close(one);
      await Promise.all(open);
    },
  };
}

interface Tunnels {
  readonly port: number;
  readonly rewrite: (text: string) => string;
  readonly asked: string[];
  readonly connections: Set<Deno.TcpConn>;
}

async function tunnel(client: Deno.TcpConn, tunnels: Tunnels): Promise<void> {
  const { port, rewrite, asked, connections } = tunnels;
  connections.add(client);
  let head = "";
  while (!head.includes("\r\n\r\n")) {
    const buffer = new Uint8Array(4096);
    const count = await client.read(buffer);
    if (count === null) return close(client);
    head += new TextDecoder().decode(buffer.subarray(0, count));
  }
  asked.push(head.split(" ")[1] ?? "");
  const server = await Deno.connect({ hostname: "127.0.0.1", port });
  connections.add(server);
  await client.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\n\r\n"));
  const first = new Uint8Array(65_536);
  const size = await client.read(first) ?? 0;
  // One byte a character, so that bytes that are no text stay as they are.
  const text = rewrite(String.fromCharCode(...first.subarray(0, size)));
  await server.write(Uint8Array.from(text, (character) => character.charCodeAt(0)));
  const ends = [client.readable.pipeTo(server.writable), server.readable.pipeTo(client.writable)];
  await Promise.allSettled(ends);
  close(client);
  close(server);
}

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // The peer has closed it.
  }
}
