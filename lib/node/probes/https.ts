/**
 * HTTPS requests of probes: over HTTP/2 if the application agrees to it, else over HTTP/1.1. Probes
 * check life, not identity: like the orchestrator they take any certificate.
 *
 * @module
 */
import { Agent, request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { getOverH2 } from "../../kit/rpc/mod.ts";
import { MAX_BODY_BYTES, type StartedAnswer, startOf } from "./answer.ts";

/** A GET request. */
export interface HttpsRequest {
  readonly host: string;
  readonly port: number;
  /** Path and query. */
  readonly path: string;
  readonly localAddress: string | undefined;
  /** Names in lower case, `host` among them. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly signal: AbortSignal;
}

/** Options of {@link httpsClient}. */
export interface HttpsOptions {
  /** Keep connections of HTTP/1.1 for the next probe. */
  readonly keepAlive: boolean;
  /** Offer HTTP/2. */
  readonly http2: boolean;
}

/** Sends requests. */
export interface HttpsClient {
  get(request: HttpsRequest): Promise<StartedAnswer>;
  /** Closes kept connections. */
  close(): void;
}

/** Creates a client. */
export function httpsClient({ keepAlive, http2 }: HttpsOptions): HttpsClient {
  const agent = new Agent({ keepAlive });
  /** Servers that chose HTTP/1.1, by host and port: they are not asked again. */
  const older = new Set<string>();
  return {
    async get(request) {
      const server = `${request.host} ${request.port}`;
      if (http2 && !older.has(server)) {
        const socket = await dial(request);
        if (socket.alpnProtocol === "h2") return await overH2(request, socket);
        socket.destroy();
        older.add(server);
      }
      return await overHttp1(request, agent);
    },
    close: () => agent.destroy(),
  };
}

/** Connects. The signal ends the connection, and the request on it. */
function dial({ host, port, localAddress, signal }: HttpsRequest): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const socket = connect({
    ...{ host, port, localAddress },
    ...isIP(host) === 0 && { servername: host },
    ALPNProtocols: ["h2", "http/1.1"],
    rejectUnauthorized: false,
  });
  const stop = () => socket.destroy(new Error("stopped"));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  socket.once("close", () => {
    signal.removeEventListener("abort", stop);
    reject(new Error("the connection ended"));
  });
  socket.once("error", reject);
  socket.once("secureConnect", () => resolve(socket));
  return promise;
}

function overH2({ path, headers }: HttpsRequest, socket: TLSSocket): Promise<StartedAnswer> {
  const { host = "", ...others } = headers;
  return getOverH2({
    socket,
    maxBody: MAX_BODY_BYTES,
    headers: [
      [":method", "GET"],
      [":scheme", "https"],
      [":path", path],
      [":authority", String(host)],
      ...Object.entries(others).flatMap(([name, value]) =>
        [value].flat().map((one) => [name, one] as const)
      ),
    ],
  });
}

async function overHttp1(request: HttpsRequest, agent: Agent): Promise<StartedAnswer> {
  const { headers, ...target } = request;
  const options = { ...target, method: "GET", headers: { ...headers }, rejectUnauthorized: false };
  return await startOf(requestHttps({ ...options, agent }));
}
