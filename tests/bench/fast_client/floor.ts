/**
 * A bare server: `floor.ts <json {bytes, cert, key, ca}>` writes a number of bytes to each client
 * that connects, in pieces of 64 KiB, one at a time, by mutual TLS. Prints its port. What it costs
 * is the least that a server on this runtime can cost for these bytes.
 *
 * @module
 */
import { createServer, type TLSSocket } from "node:tls";
import type { AddressInfo } from "node:net";

const PIECE = 64 * 1024;

/** Options of the process. */
export interface FloorOptions {
  /** Bytes for each client. */
  readonly bytes: number;
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

function main(): void {
  const { bytes, ...tls } = JSON.parse(Deno.args[0]!) as FloorOptions;
  const piece = new Uint8Array(PIECE);
  const write = (socket: TLSSocket, left: number): void => {
    if (left <= 0) return;
    const part = left < PIECE ? piece.subarray(0, left) : piece;
    socket.write(part, (error) => {
      if (!error) write(socket, left - part.length);
    });
  };
  const server = createServer(
    { ...tls, requestCert: true, rejectUnauthorized: false, ALPNProtocols: ["h2"] },
    (socket) => {
      socket.on("error", () => {});
      socket.setNoDelay(true);
      write(socket, bytes);
    },
  );
  server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
    console.log((server.address() as AddressInfo).port);
  });
}

if (import.meta.main) main();
