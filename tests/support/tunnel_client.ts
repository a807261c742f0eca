/**
 * A client of tunnels (HBONE): HTTP/2 CONNECT under TLS with a client certificate, as a node proxy
 * opens them.
 *
 * @module
 */
import { connect } from "node:http2";
import type { Certificate } from "./certificates.ts";

/** A request through a tunnel. */
export interface TunnelRequest {
  /** Address at which the tunnel ends. */
  readonly at: string;
  /** Default: the port of tunnels. */
  readonly port?: number;
  /** `address:port` of the destination. */
  readonly to: string;
  /** The client's certificate; default: none. */
  readonly own?: Certificate;
  readonly path?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer is complete with this text; default: at its end. */
  readonly until?: string;
}

/** The answer to an HTTP/1.1 request inside a tunnel. */
export interface TunnelAnswer {
  readonly status: number;
  readonly text: string;
}

/** Longest wait for bytes, ms. */
const LONGEST_MS = 5_000;

/** Asks through a tunnel; status 0 if the tunnel ends without an answer. Rejects if TLS fails. */
export async function throughTunnel(request: TunnelRequest): Promise<TunnelAnswer> {
  const { at, port = 15008, to, own, path = "/", host = "shop.test", headers = {}, until } =
    request;
  const files = own && {
    cert: await Deno.readTextFile(own.cert),
    key: await Deno.readTextFile(own.key),
  };
  // Certificates of workloads name no host.
  const session = connect(`https://${at}:${port}`, { ...files, rejectUnauthorized: false });
  try {
    return await new Promise((resolve, reject) => {
      session.on("error", reject);
      session.on("close", () => reject(new Error("the connection was closed")));
      const stream = session.request({ ":method": "CONNECT", ":authority": to });
      let text = "";
      const done = () => {
        const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
        resolve({ status, text });
      };
      stream.setTimeout(LONGEST_MS, () => stream.close());
      stream.setEncoding("utf8");
      stream.on("response", (answer) => {
        if (answer[":status"] !== 200) return resolve({ status: 0, text: "" });
        const more = Object.entries(headers).map(([key, value]) => `${key}: ${value}\r\n`);
        stream.write(
          `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${more.join("")}\r\n`,
        );
      });
      stream.on("data", (part: string) => {
        text += part;
        if (until !== undefined && text.includes(until)) done();
      });
      stream.on("end", done);
      stream.on("error", done);
      stream.on("close", done);
    });
  } finally {
    session.destroy();
  }
}

/** The status of {@link throughTunnel}. */
export async function askThroughTunnel(request: TunnelRequest): Promise<number> {
  return (await throughTunnel(request)).status;
}
