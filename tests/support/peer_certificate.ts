/**
 * The certificate of the other side of a TLS connection.
 *
 * @module
 */
import { TLSSocket } from "node:tls";

/** The common name of the peer; empty for a connection without TLS. */
export function commonName(socket: unknown): string {
  return socket instanceof TLSSocket ? `${socket.getPeerCertificate().subject?.CN ?? ""}` : "";
}
