/**
 * TCP backends and calls.
 *
 * @module
 */
import { connect, createServer, type Socket } from "node:net";
import { once } from "node:events";

/** A running TCP backend: it sends its name, then echoes what it receives. */
export interface TcpBackend extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
}

/** Starts a TCP backend, on a free port of loopback unless an address is given. */
export async function startTcpBackend(
  name: string,
  at: { readonly host: string; readonly port: number } = { host: "127.0.0.1", port: 0 },
): Promise<TcpBackend> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => open.delete(socket));
    socket.write(`${name}\n`);
    socket.pipe(socket);
  });
  server.listen(at);
  await once(server, "listening");
  return {
    name,
    port: (server.address() as { port: number }).port,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/**
 * Connects, sends a text, and returns the name of the backend that echoed it. Rejects when the
 * connection ends first.
 */
export function askTcp(hostname: string, port: number, timeoutMs = 10_000): Promise<string> {
  const said = "ping\n";
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port });
    let heard = "";
    const fail = (e: Error): void => {
      socket.destroy();
      reject(e);
    };
    socket.setTimeout(timeoutMs, () => fail(new Error(`no answer from ${hostname}:${port}`)));
    socket.on("error", fail);
    socket.on("close", () => fail(new Error(`${hostname}:${port} closed after "${heard}"`)));
    socket.on("connect", () => socket.write(said));
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      heard += chunk;
      if (!heard.endsWith(said)) return;
      resolve(heard.slice(0, heard.indexOf("\n")));
      socket.destroy();
    });
  });
}
