/**
 * A client that gives its destination by the PROXY protocol, and a server.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { connect, createServer, type Socket } from "node:net";
import { once } from "node:events";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Call } from "../../../lib/insight/simulate/mod.ts";
import type { Certificate } from "../../support/certificates.ts";

/** Received response. */
export interface Reply {
  /** Status of an HTTP response; 0: none. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Settings of a call. */
export interface Way {
  /** The port that takes connections. */
  readonly at: { readonly ip: string; readonly port: number };
  /** Address of the connection. Default: the source of the call. */
  readonly localAddress?: string;
  /** Certificates by principal. */
  readonly certificates: Readonly<Record<string, Certificate>>;
  /** Headers in addition to those of the call. */
  readonly headers: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 20_000;

/** Makes a call on a separate connection. */
export function make(call: Call, way: Way): Promise<Reply> {
  const { source, destination, tls } = call;
  return new Promise((resolve) => {
    const raw = connect({
      host: way.at.ip,
      port: way.at.port,
      localAddress: way.localAddress ?? source.ip,
    });
    let heard = "";
    const read = (socket: Socket | TLSSocket): void => {
      socket.on("data", (chunk: Buffer) => {
        heard += chunk.toString("latin1");
        if (heard.includes("\r\n\r\n")) raw.destroy();
      });
      socket.on("error", () => raw.destroy());
    };
    raw.setTimeout(TIMEOUT_MS, () => raw.destroy());
    raw.on("error", () => {});
    raw.on("close", () => resolve(replyOf(heard)));
    raw.on("connect", () => {
      raw.write(
        `PROXY TCP4 ${source.ip} ${destination.ip} ${source.port ?? 0} ${destination.port}\r\n`,
      );
      if (tls === undefined) {
        read(raw);
        raw.write(bytesOf(call, way));
        return;
      }
      const files = way.certificates[tls.principal ?? ""];
      const sealed = connectTls({
        socket: raw,
        servername: tls.serverName,
        ALPNProtocols: [...tls.alpn ?? []],
        rejectUnauthorized: false,
        ...(files === undefined ? {} : {
          cert: Deno.readTextFileSync(files.cert),
          key: Deno.readTextFileSync(files.key),
        }),
      });
      read(sealed);
      sealed.on("secureConnect", () => sealed.write(bytesOf(call, way)));
    });
  });
}

function bytesOf({ http }: Call, { headers }: Way): string {
  // Longer than what inspectors wait for, and no beginning of HTTP.
  if (http === undefined) return "\x01\x02 these are bytes of another protocol \x03\x04\r\n";
  const all = { ...http.headers, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const version = http.version === "1.0" ? "1.0" : "1.1";
  return `${
    http.method ?? "GET"
  } ${http.path} HTTP/${version}\r\nHost: ${http.host}\r\n${lines}\r\n`;
}

function replyOf(heard: string): Reply {
  const [head = ""] = heard.split("\r\n\r\n", 1);
  const [first = "", ...lines] = head.split("\r\n");
  return {
    status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? 0),
    headers: Object.fromEntries(lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    })),
  };
}

/** Servers of any protocol: whatever comes is answered, with the path and the host that came. */
export async function startServers(ports: readonly number[]): Promise<AsyncDisposable> {
  const open = new Set<Socket>();
  const servers = ports.map((port) =>
    createServer((socket) => {
      open.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => open.delete(socket));
      socket.on("data", (chunk: Buffer) => {
        const text = chunk.toString("latin1");
        const path = /^[A-Z]+ (\S+) HTTP/.exec(text)?.[1] ?? "";
        const host = /^host: (.*)\r$/im.exec(text)?.[1] ?? "";
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx-path: ${path}\r\nx-host: ${host}\r\n\r\n`,
        );
      });
    }).listen(port, "0.0.0.0")
  );
  await Promise.all(servers.map((server) => once(server, "listening")));
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      await Promise.all(servers.map((server) => {
        const done = once(server, "close");
        server.close();
        return done;
      }));
    },
  };
}
