/**
 * Connections to the API server, with the certificates of its access.
 *
 * @module
 */
import type { Access } from "./access.ts";
import { credentialHeaders } from "./credentials.ts";
import type { Connection } from "./sending.ts";
import { verifyServer } from "./server_check.ts";

/** A connection; certificates are read again for each. */
export async function connectionOf(access: Access): Promise<Connection> {
  if (access.special === undefined && access.proxyUrl === "") return await fetchConnection(access);
  const { libraryConnection } = await import("./library/mod.ts");
  return await libraryConnection(access);
}

async function fetchConnection(access: Access): Promise<Connection> {
  const client = await httpClientOf(access);
  return {
    send: async (url, { method, headers, body, signal, guard }) => {
      const credentials = await credentialHeaders(access);
      await guard?.();
      return await fetch(url, {
        ...{ method, body, signal, client },
        headers: [...credentials, ...headers] as [string, string][],
        redirect: "error",
      });
    },
    close: () => client.close(),
  };
}

/**
 * A client of the platform's `fetch`. It speaks HTTP/1.1, so that each watch and each stream has its own
 * connection: one that hangs or is slow does not delay the others. The server is verified by the
 * authorities of the access alone first; the client accepts those of the runtime, too.
 */
export async function httpClientOf(access: Access): Promise<Deno.HttpClient> {
  const { ca, cert, key } = await access.tls();
  const { server } = access;
  const authorities = certificatesOf(ca);
  const clientCertificate = cert === undefined || key === undefined ? {} : { cert, key };
  if (authorities.length > 0 && server.startsWith("https:")) {
    await verifyServer(server, { ca, ...clientCertificate });
  }
  return Deno.createHttpClient({
    http1: true,
    http2: false,
    ...(authorities.length === 0 ? {} : { caCerts: authorities }),
    ...clientCertificate,
  });
}

/** The certificates of a PEM text, one text each. */
function certificatesOf(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
}
