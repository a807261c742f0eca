/**
 * TLS settings and credentials of connections to the API server.
 *
 * @module
 */
import type { Access } from "./access.ts";

/**
 * A client with the certificates of the access. It speaks HTTP/1.1, so that each watch and each
 * stream has its own connection: one that hangs or is slow does not delay the others.
 */
export async function httpClientOf(access: Access): Promise<Deno.HttpClient> {
  const { ca, cert, key } = await access.tls();
  const { proxyUrl } = access;
  return Deno.createHttpClient({
    http1: true,
    http2: false,
    ...(ca === "" ? {} : { caCerts: certificatesOf(ca) }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(proxyUrl === "" ? {} : { proxy: { url: proxyUrl } }),
  });
}

/** The headers of token and impersonation. Each impersonated group is a header of its own. */
export async function credentialHeaders(access: Access): Promise<[string, string][]> {
  const { token, impersonate } = access;
  const headers: [string, string][] = [["user-agent", "mesh"]];
  if (token !== undefined) headers.push(["authorization", `Bearer ${await token.current()}`]);
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
