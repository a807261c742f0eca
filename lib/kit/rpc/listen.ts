/**
 * Listening sockets: binding, and handing each new connection to its transport.
 *
 * @module
 */
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type PeerCertificate, type TLSSocket } from "node:tls";
import { scope } from "../log/mod.ts";
import { bindError, clearSocket, type GrpcAddress, parseGrpcAddress } from "./address.ts";
import { type GateLimits, gateLimits } from "./gate.ts";
import { HANDSHAKE_MS, trackHandshakes } from "./handshakes.ts";
import type { RpcTls } from "./options.ts";
import { refused } from "./refused.ts";

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
  /** Takes other certificates for new connections. */
  setTls(tls: RpcTls): void;
  /** Accepts no more connections; resolves when the last one is closed. */
  close(): Promise<void>;
}

/**
 * Listens; `accept` gets each connection, with TLS behind its handshake, within the limits. Throws
 * `MeshError` `rpc-bind` or `rpc-address-invalid`.
 */
export async function openListener(
  text: string,
  accept: (socket: Socket) => void,
  tls?: RpcTls,
  limits: GateLimits = gateLimits(),
): Promise<Listener> {
  const address = parseGrpcAddress(text);
  if (address.kind === "unix") await clearSocket(address.path);
  const secured = tls && tlsServer(tls, accept, limits);
  const server = secured?.server ?? createServer(accept);
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
    setTls: (tls) => secured?.set(tls),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        secured?.close();
      }),
  };
}

/**
 * A TLS server for HTTP/2. A client certificate is requested and optional: `authorized` of the
 * socket is true if the authorities issued it.
 */
function tlsServer(
  tls: RpcTls,
  accept: (socket: Socket) => void,
  limits: GateLimits,
): { readonly server: Server; set(tls: RpcTls): void; close(): void } {
  let { cipherSuites } = tls;
  const handshakes = trackHandshakes(limits);
  const server = createTlsServer({
    ...contextOf(tls),
    ...tls.clientCa && { requestCert: true, rejectUnauthorized: false },
    ALPNProtocols: ["h2"],
    handshakeTimeout: HANDSHAKE_MS,
  }, (socket: TLSSocket) => {
    handshakes.finish(peerOf(socket));
    const { standardName } = socket.getCipher();
    if (!cipherSuites || cipherSuites.has(standardName)) return accept(socket);
    refused("cipher-suite", peerOf(socket));
    socket.destroy();
  });
  server.on("connection", (socket: Socket) => handshakes.begin(peerOf(socket), socket));
  server.on("tlsClientError", (error) => log.debug("a TLS handshake failed", { error }));
  return {
    server,
    set(next) {
      ({ cipherSuites } = next);
      server.setSecureContext(contextOf(next));
    },
    close: handshakes.close,
  };
}

function contextOf({ cert, key, clientCa }: RpcTls): { cert: string; key: string; ca?: string } {
  return { cert, key, ...clientCa && { ca: clientCa } };
}

/** Reports if a connection is over TLS. */
export function isSecure(socket: Socket): boolean {
  return (socket as Partial<TLSSocket>).encrypted === true;
}

/** Certificates that are read of one client. */
const MAX_CERTIFICATES = 8;

/** See `RpcCall.certificates`. */
export function certificatesOf(socket: Socket): readonly Uint8Array[] | undefined {
  const { getPeerCertificate } = socket as Partial<TLSSocket>;
  let next: PeerCertificate | undefined = getPeerCertificate?.call(socket, true);
  const found: Uint8Array[] = [];
  while (next?.raw && found.length < MAX_CERTIFICATES) {
    found.push(new Uint8Array(next.raw));
    const issuer: PeerCertificate | undefined = (next as { issuerCertificate?: PeerCertificate })
      .issuerCertificate;
    next = issuer === next ? undefined : issuer;
  }
  return found.length > 0 ? found : undefined;
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
async function bind(server: Server, address: GrpcAddress): Promise<void> {
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
