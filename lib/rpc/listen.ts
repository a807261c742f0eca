/**
 * Listening sockets: binding, and handing each new connection to its transport.
 *
 * @module
 */
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { scope } from "../log/mod.ts";
import { bindError, clearSocket, type ListenAddress, parseAddress } from "./address.ts";
import type { RpcTls } from "./options.ts";

const log = scope("grpc");

/**
 * Connections that the kernel keeps until they are accepted: after a restart thousands of clients
 * connect at once.
 */
const BACKLOG = 4096;

/** A listening socket. */
export interface Listener {
  /** The address with the real port. */
  readonly address: string;
  /** The port; 0 for a Unix socket. */
  readonly port: number;
  /** Accepts no more connections; resolves when the last one is closed. */
  close(): Promise<void>;
}

/** Time in which a client has to finish its TLS handshake, ms. */
const HANDSHAKE_MS = 10_000;

/**
 * Listens; `accept` gets each connection, with TLS behind its handshake. Throws `MeshError`
 * `rpc-bind` or `rpc-address-invalid`.
 */
export async function openListener(
  text: string,
  accept: (socket: Socket) => void,
  tls?: RpcTls,
): Promise<Listener> {
  const address = parseAddress(text);
  if (address.kind === "unix") await clearSocket(address.path);
  const server = tls ? tlsServer(tls, accept) : createServer(accept);
  try {
    await bind(server, address);
  } catch (error) {
    throw bindError(text, error);
  }
  const bound = server.address();
  const port = typeof bound === "object" && bound ? bound.port : 0;
  return {
    address: address.kind === "unix" ? text : joined(address.host, port),
    port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/**
 * A TLS server for HTTP/2. A client certificate is asked for and may be missing: `authorized` of the
 * socket says whether there is one that the authorities issued.
 */
function tlsServer({ cert, key, clientCa }: RpcTls, accept: (socket: Socket) => void): Server {
  const server = createTlsServer({
    cert,
    key,
    ...clientCa && { ca: clientCa, requestCert: true, rejectUnauthorized: false },
    ALPNProtocols: ["h2"],
    handshakeTimeout: HANDSHAKE_MS,
  }, accept);
  server.on("tlsClientError", (error) => log.debug("a TLS handshake failed", { error }));
  return server;
}

/** Address of the other end: `address:port`, or `unix`. */
export function peerOf({ remoteAddress, remotePort }: Socket): string {
  if (!remoteAddress) return "unix";
  return `${remoteAddress.replace(/^::ffff:(?=\d+\.)/, "")}:${remotePort}`;
}

function joined(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Binds. Without a host it binds both families, or only IPv4 on a machine without IPv6. */
async function bind(server: Server, address: ListenAddress): Promise<void> {
  if (address.kind === "unix") return await bindOnce(server, { path: address.path });
  if (address.host !== "") return await bindOnce(server, address);
  try {
    await bindOnce(server, { host: "::", port: address.port });
  } catch (error) {
    if (!/EAFNOSUPPORT|EADDRNOTAVAIL/.test(String(error))) throw error;
    await bindOnce(server, { host: "0.0.0.0", port: address.port });
  }
}

function bindOnce(
  server: Server,
  where: { path: string } | { host: string; port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...where, backlog: BACKLOG }, () => {
      server.off("error", reject);
      server.on("error", (error) => log.error("a listener failed", { error }));
      resolve();
    });
  });
}
