/**
 * TLS handshakes without requests.
 *
 * @module
 */
import type { RpcClientTls } from "../../../lib/kit/rpc/mod.ts";

/** Handshakes at the same time. */
const WIDTH = 50;

/** Opens a TLS connection with each certificate, and closes it when the handshake is complete. */
export async function handshakes(target: string, tls: readonly RpcClientTls[]): Promise<void> {
  const [hostname = "", port] = target.split(":");
  const left = tls.values();
  await Promise.all(Array.from({ length: WIDTH }, async () => {
    for (const { ca, cert, key } of left) {
      const connection = await Deno.connectTls({
        hostname,
        port: Number(port),
        caCerts: [ca],
        cert: cert!,
        key: key!,
        alpnProtocols: ["h2"],
      });
      await connection.handshake();
      connection.close();
    }
  }));
}
