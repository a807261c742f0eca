/**
 * Fixture of the TLS suite: certificates, backends, clients.
 *
 * @module
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer, type TLSSocket } from "node:tls";
import { eventually, freePorts } from "../../../scripts/harness/mod.ts";
import { type Authority, type Certificate, makeAuthority } from "../../support/certificates.ts";
import { NAMESPACE } from "../../support/manifest.ts";
import type { Kind, TestProxy, World } from "../../support/world.ts";

/** A case of the suite. */
export interface TlsCase {
  readonly name: string;
  readonly run: (bench: Bench) => Promise<void>;
}

/** Certificates of the suite, by their owner. */
export interface Pki {
  readonly authority: Authority;
  readonly other: Authority;
  /** For `one.tls.test`. */
  readonly one: Certificate;
  /** For `two.tls.test`. */
  readonly two: Certificate;
  /** For `secure.test` and `*.pass.test`, of TLS backends. */
  readonly backend: Certificate;
  /** Certificate of a client, `spiffe://test/client`. */
  readonly client: Certificate;
  /** The same name, issued by the other authority. */
  readonly stranger: Certificate;
  /** The daemon's credentials of Gateways. */
  readonly credentials: Credentials;
}

/** A folder of credentials. */
export interface Credentials {
  readonly dir: string;
  /** Writes a credential in the suite's namespace, new or again. */
  write(name: string, pair: Certificate, authorities?: Certificate): Promise<void>;
}

async function makeCredentials(dir: string): Promise<Credentials> {
  await Deno.mkdir(dir);
  return {
    dir,
    async write(name, pair, authorities) {
      const folder = `${dir}/${NAMESPACE}/${name}`;
      await Deno.mkdir(folder, { recursive: true });
      await Deno.copyFile(pair.cert, `${folder}/tls.crt`);
      await Deno.copyFile(pair.key, `${folder}/tls.key`);
      if (authorities !== undefined) await Deno.copyFile(authorities.cert, `${folder}/ca.crt`);
    },
  };
}

/** Issues the suite's certificates into a folder. */
export async function makePki(dir: string): Promise<Pki> {
  const [authority, other] = await Promise.all([
    makeAuthority(dir, "ca"),
    makeAuthority(dir, "other"),
  ]);
  const client = ["spiffe://test/client"];
  return {
    authority,
    other,
    one: await authority.issue("one", ["one.tls.test"]),
    two: await authority.issue("two", ["two.tls.test"]),
    backend: await authority.issue("backend", ["secure.test", "*.pass.test"]),
    client: await authority.issue("client", client),
    stranger: await other.issue("stranger", client),
    credentials: await makeCredentials(`${dir}/credentials`),
  };
}

/** File of the proxies' Sidecars; each case replaces it. */
export const SIDECARS_FILE = "sidecars.yaml";

/** Environment of a case. */
export interface Bench {
  readonly world: World;
  readonly pki: Pki;
  /** A port that no other case uses. */
  readonly port: number;
  /** Port of the backend `a`, on loopback. */
  readonly backend: number;
  /** Port of the services with protocol TLS, `left.test` and `right.test`. */
  readonly tlsPort: number;
  /** Does something with each proxy of a kind, one after the other. */
  readonly each: (kind: Kind, act: (testProxy: TestProxy) => Promise<void>) => Promise<void>;
}

/** The bench of one case. */
export function benchOf(world: World, pki: Pki, backend: number, tlsPort = 0): Bench {
  return {
    world,
    pki,
    port: freePorts(1)[0]!,
    backend,
    tlsPort,
    each: async (kind, act) => {
      for (const testProxy of world.testProxies.filter((s) => s.kind === kind)) {
        try {
          await act(testProxy);
        } catch (cause) {
          throw new Error(`${kind} over ${testProxy.transport}: ${cause}`, { cause });
        }
      }
    },
  };
}

/** Options of a TLS caller. */
export interface CallerOptions {
  readonly sni?: string;
  readonly trusts?: Authority;
  readonly as?: Certificate;
  readonly alpn?: readonly string[];
  /** Highest version it speaks. */
  readonly maxVersion?: "TLSv1.2" | "TLSv1.3";
}

/** Response to a TLS caller. */
export interface TlsAnswer {
  /** Names of the certificate shown, as `DNS:a, DNS:b`. */
  readonly names: string;
  readonly alpn: string | false | null;
  readonly text: string;
}

/**
 * Connects with TLS, says something, and gives what came back when it is complete
 * or the other side ends. Rejects when the handshake fails or nothing comes.
 */
export function askTls(
  host: string,
  port: number,
  say: string,
  options: CallerOptions = {},
): Promise<TlsAnswer> {
  const { sni, trusts, as, alpn, maxVersion } = options;
  const read = (path: string | undefined) => path && readFileSync(path, "utf8");
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({
      host,
      port,
      servername: sni,
      ca: read(trusts?.cert),
      cert: read(as?.cert),
      key: read(as?.key),
      rejectUnauthorized: trusts !== undefined,
      ALPNProtocols: alpn && [...alpn],
      maxVersion,
    });
    let text = "";
    let names = "";
    const done = (): void => {
      resolve({ names, alpn: socket.alpnProtocol, text });
      socket.destroy();
    };
    const fail = (e: Error): void => {
      socket.destroy();
      reject(e);
    };
    socket.setTimeout(10_000, () => fail(new Error(`no answer from ${host}:${port}`)));
    socket.on("error", fail);
    socket.on("close", () => {
      if (text !== "") done();
      else fail(new Error(`${host}:${port} closed without a word`));
    });
    socket.on("secureConnect", () => {
      names = socket.getPeerCertificate().subjectaltname ?? "";
      socket.write(say);
    });
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      text += chunk;
      if (COMPLETE.test(text)) done();
    });
  });
}

/** A JSON body, the last chunk of a body, or the answer to `ping`. */
const COMPLETE = /\}\s*$|\r\n0\r\n\r\n$|pong\n$/;

/** A request that closes its connection, as bytes. */
export function requestOf(host: string): string {
  return `GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
}

/** Asks with HTTP inside of TLS until a backend answers. */
export async function answersHttps(
  host: string,
  port: number,
  by: string,
  options: CallerOptions & { readonly authority?: string },
): Promise<TlsAnswer> {
  let last: TlsAnswer | string = "nothing";
  return await eventually(`${by} at ${host}:${port}`, async () => {
    try {
      const answer = await askTls(
        host,
        port,
        requestOf(options.authority ?? options.sni ?? host),
        options,
      );
      last = answer;
      return answer.text.includes(`"backend":"${by}"`) ? answer : undefined;
    } catch (e) {
      last = `${e}`;
      return undefined;
    }
  }).catch((cause) => {
    throw new Error(`${cause}; last: ${JSON.stringify(last)}`, { cause });
  });
}

/** A backend that ends TLS itself. */
export interface TlsBackend extends AsyncDisposable {
  readonly port: number;
  /** Server names that its callers requested, oldest first. */
  readonly asked: readonly string[];
  /** Subjects of its callers' certificates; `""` for those without. */
  readonly callers: readonly string[];
}

/** Starts a TLS backend that answers requests as `name`, and `ping` with `name pong`. */
export async function startTlsBackend(
  name: string,
  certificate: Certificate,
  clients?: Authority,
): Promise<TlsBackend> {
  const open = new Set<TLSSocket>();
  const asked: string[] = [];
  const callers: string[] = [];
  const server = createServer({
    cert: readFileSync(certificate.cert),
    key: readFileSync(certificate.key),
    ca: clients && readFileSync(clients.cert),
    requestCert: clients !== undefined,
    rejectUnauthorized: clients !== undefined,
  }, (socket) => {
    open.add(socket);
    asked.push((socket as TLSSocket & { servername?: string | false }).servername || "");
    callers.push(`${socket.getPeerCertificate()?.subject?.CN ?? ""}`);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => open.delete(socket));
    socket.on("data", (chunk) => {
      const body = JSON.stringify({ backend: name });
      const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      socket.write(chunk.toString().startsWith("ping") ? `${name} pong\n` : answer);
    });
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as { port: number }).port,
    asked,
    callers,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
