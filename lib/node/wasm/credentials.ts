/**
 * Credentials of registries, from the JSON of a pull secret (`.dockerconfigjson`).
 *
 * @module
 */

export interface RegistryCredentials {
  readonly username: string;
  readonly password: string;
}

/** Names of the default registry in pull secrets. */
const DEFAULT_NAMES = ["docker.io", "index.docker.io", "registry-1.docker.io"];

/**
 * Finds the credentials for a registry: `{"auths":{"host":{"auth":"base64 of user:password"}}}`, or
 * with `username` and `password`. A text that is not of this form has none.
 */
export function credentialsFor(
  registry: string,
  secret: string | undefined,
): RegistryCredentials | undefined {
  const names = DEFAULT_NAMES.includes(registry) ? DEFAULT_NAMES : [registry];
  for (const [key, value] of Object.entries(authsOf(secret))) {
    const host = key.replace(/^https?:\/\//, "").split("/")[0] ?? "";
    if (names.includes(host)) return credentialsOf(Object(value));
  }
  return undefined;
}

function authsOf(secret: string | undefined): Record<string, unknown> {
  try {
    return Object(Object(JSON.parse(secret ?? "")).auths);
  } catch {
    return {};
  }
}

function credentialsOf(entry: Record<string, unknown>): RegistryCredentials | undefined {
  const { username, password, auth } = entry;
  if (typeof username === "string" && typeof password === "string") return { username, password };
  if (typeof auth !== "string") return undefined;
  let text: string;
  try {
    text = new TextDecoder().decode(Uint8Array.from(atob(auth), (char) => char.charCodeAt(0)));
  } catch {
    return undefined;
  }
  const colon = text.indexOf(":");
  return colon < 0
    ? undefined
    : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** The value of the header `authorization` for basic authentication. */
export function basic({ username, password }: RegistryCredentials): string {
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
