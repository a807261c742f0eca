/**
 * Names of key sets: how a rule for tokens names the keys that it does not contain.
 *
 * @module
 */

/** The fields of a rule that say where its keys are. */
interface KeyLocation {
  readonly issuer: string;
  readonly jwks: string;
  readonly jwksUri: string;
}

/** Begin of the name of a key set that is found by OpenID discovery; the issuer follows. */
const DISCOVERED = "openid:";

/** Path of the discovery document below an issuer (OpenID Connect Discovery 1.0, section 4). */
const DISCOVERY_PATH = "/.well-known/openid-configuration";

/**
 * The name of the key set that a rule refers to: its `jwksUri`, else `openid:` and the issuer
 * without a trailing slash. `undefined` if the rule contains its keys, and if it has no `jwksUri`
 * and its issuer is not an address.
 */
export function keySetName({ issuer, jwks, jwksUri }: KeyLocation): string | undefined {
  if (jwks !== "") return undefined;
  if (jwksUri !== "") return jwksUri;
  return isAddress(issuer) ? DISCOVERED + issuer.replace(/\/$/, "") : undefined;
}

/** The address of the discovery document; `undefined` if the name is the address of the keys. */
export function discoveryUri(name: string): string | undefined {
  return name.startsWith(DISCOVERED) ? name.slice(DISCOVERED.length) + DISCOVERY_PATH : undefined;
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  return (protocol === "https:" || protocol === "http:") && hostname !== "" &&
    username === "" && password === "" && search === "" && hash === "";
}
