/**
 * TLS settings and credentials of connections to the API server.
 *
 * @module
 */
import type { Access } from "./access.ts";
import { verifyServer } from "./server_check.ts";

/**
 * A client with the certificates of the access. It speaks HTTP/1.1, so that each watch and each
 * stream has its own connection: one that hangs or is slow does not delay the others. The server is
 * verified by the authorities of the access alone first; the client accepts those of the runtime, too.
 */
export async function httpClientOf(access: Access): Promise<Deno.HttpClient> {
  const { ca, cert, key } = await access.tls();
  const { proxyUrl, server } = access;
  const authorities = certificatesOf(ca);
  const clientCertificate = cert === undefined || key === undefined ? {} : { cert, key };
  // A proxy would see a connection that no request follows; only the client's own check is left then.
  if (authorities.length > 0 && server.startsWith("https:") && proxyUrl === "") {
    await verifyServer(server, { ca, ...clientCertificate });
  }
  return Deno.createHttpClient({
    http1: true,
    http2: false,
    ...(authorities.length === 0 ? {} : { caCerts: authorities }),
    ...clientCertificate,
    ...(proxyUrl === "" ? {} : { proxy: { url: proxyUrl } }),
  });
}

/** The headers of token and impersonation. Each impersonated group is a header of its own. */
export async function credentialHeaders(access: Access): Promise<[string, string][]> {
  const { token, impersonate } = access;
  const headers: [string, string][] = [["user-agent", "mesh"]];
  const current = await token?.current() ?? "";
  if (current !== "") headers.push(["authorization", `Bearer ${current}`]);
  if (impersonate !== undefined) {
    headers.push(["impersonate-user", impersonate.user]);
    for (const group of impersonate.groups) headers.push(["impersonate-group", group]);
    if (impersonate.uid !== "") headers.push(["impersonate-uid", impersonate.uid]);
  }
  return headers;
}

/** The certificates of a PEM text, one text each. */
function certificatesOf(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
}
