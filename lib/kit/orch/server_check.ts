/**
 * Verifies a server by the authorities of its configuration alone. The runtime's `fetch` also accepts
 * certificates of the authorities of the system.
 *
 * @module
 */
import { isIP } from "node:net";
import { connect } from "node:tls";
import type { TlsMaterial } from "./access.ts";

/** Longest time for the connection and the handshake, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Opens a TLS connection to a server and closes it.
 *
 * @param server URL with `https`
 * @param tls authorities, and the client's certificate if the server asks for one
 * @throws Error if the certificate is of another authority or of another name, or nobody answers
 */
export async function verifyServer(server: string, tls: TlsMaterial): Promise<void> {
  const { hostname, port } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, "");
  await new Promise<void>((done, fail) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      ...tls,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    });
    const timer = setTimeout(
      () => socket.destroy(new Error(`no TLS connection within ${TIMEOUT_MS} ms`)),
      TIMEOUT_MS,
    );
    socket.once("secureConnect", () => {
      done();
      socket.destroy();
    });
    socket.once("error", fail);
    socket.once("close", () => {
      clearTimeout(timer);
      fail(new Error("the connection ended before TLS was established"));
    });
  });
}
