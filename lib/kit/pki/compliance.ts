/**
 * Connections of clients under `COMPLIANCE_POLICY`. The runtime's TLS cannot be limited to cipher
 * suites, so that a connection with another suite is given up before anything of it is used.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { TLSSocket } from "node:tls";
import { FIPS_SUITES } from "./cipher_suites.ts";
import { COMPLIANCE_POLICY } from "./variables.ts";

/** The suites that connections may have now; `undefined`: all that the runtime has. */
export function complianceSuites(): ReadonlySet<string> | undefined {
  return COMPLIANCE_POLICY.get() ? FIPS_SUITES : undefined;
}

/** Checks the suite of a connection. Throws `Error` for one that is not allowed; plain ones pass. */
export function checkSuite(
  socket: object,
  suites: ReadonlySet<string> | undefined = complianceSuites(),
): void {
  if (suites === undefined || !("getCipher" in socket)) return;
  const { standardName } = (socket as TLSSocket).getCipher();
  if (suites.has(standardName)) return;
  throw new Error(`the server selected the cipher suite ${standardName}, which the policy forbids`);
}

/** The runtime's `fetch`; under the policy, {@link restrictedFetch}. */
export const compliantFetch: typeof fetch = (input, init) => {
  const suites = complianceSuites();
  return suites === undefined ? fetch(input, init) : restrictedFetch(suites)(input, init);
};

/**
 * A `fetch` whose requests by `https` check the cipher suite before the request is sent. They support
 * method, headers, body of text or parameters, and `signal`, and follow no redirects.
 *
 * @param ca authorities of servers, PEM; default: those of the system
 */
export function restrictedFetch(suites: ReadonlySet<string>, ca?: string): typeof fetch {
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    return url.protocol === "https:" ? send(url, init ?? {}, { suites, ca }) : fetch(input, init);
  };
}

/** Limits of connections. */
interface Limits {
  readonly suites: ReadonlySet<string>;
  readonly ca: string | undefined;
}

async function send(
  url: URL,
  { method = "GET", headers, body, signal }: RequestInit,
  { suites, ca }: Limits,
): Promise<Response> {
  // Reads body and headers as `fetch` does, with the content type of parameters.
  const wanted = new Request(url, { method, headers, body });
  const content = new Uint8Array(await wanted.arrayBuffer());
  const answer = await new Promise<IncomingMessage>((done, fail) => {
    const sent = request(url, {
      method,
      headers: {
        ...Object.fromEntries(wanted.headers),
        ...content.length > 0 && { "content-length": content.length },
      },
      ...ca !== undefined && { ca },
      agent: false,
      signal: signal ?? undefined,
    }, done);
    sent.on("error", fail);
    sent.on("socket", (socket) => {
      socket.once("secureConnect", () => {
        try {
          checkSuite(socket, suites);
          sent.end(content);
        } catch (error) {
          sent.destroy(error as Error);
        }
      });
    });
  });
  const status = answer.statusCode ?? 0;
  if (status >= 300 && status < 400) {
    answer.destroy();
    throw new Error(`${url.origin}: the server redirects`);
  }
  const known = Object.entries(answer.headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as [string, string]] : []
  );
  const empty = [204, 205].includes(status);
  return new Response(empty ? null : ReadableStream.from(answer as AsyncIterable<Uint8Array>), {
    status,
    headers: known,
  });
}
