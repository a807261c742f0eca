/**
 * Headers with the credentials of requests.
 *
 * @module
 */
import type { Access } from "./access.ts";

/** The header `authorization`, of a token or of a user name with a password; empty: none. */
export async function ownAuthorization({ token, basic }: Access): Promise<string> {
  const current = await token?.current() ?? "";
  if (current !== "") return `Bearer ${current}`;
  if (basic === undefined) return "";
  const pair = new TextEncoder().encode(`${basic.username}:${basic.password}`);
  return `Basic ${pair.toBase64()}`;
}

/** The headers of the impersonated identity. Each group is a header of its own. */
export function impersonationHeaders({ impersonate }: Access): [string, string][] {
  if (impersonate === undefined) return [];
  const { user, groups, uid } = impersonate;
  const headers: [string, string][] = [["impersonate-user", user]];
  for (const group of groups) headers.push(["impersonate-group", group]);
  if (uid !== "") headers.push(["impersonate-uid", uid]);
  return headers;
}

/** All of them, with the name of this client. Pairs, because `Headers` would join the groups to one. */
export async function credentialHeaders(access: Access): Promise<[string, string][]> {
  const authorization = await ownAuthorization(access);
  return [
    ["user-agent", "mesh"],
    ...authorization === "" ? [] : [["authorization", authorization] as [string, string]],
    ...impersonationHeaders(access),
  ];
}
