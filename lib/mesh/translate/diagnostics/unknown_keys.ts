/**
 * Rules for tokens with unknown keys: proxies reject all tokens of their issuers. Reported from the
 * tables on request; not part of served resources.
 *
 * @module
 */
import { type Mesh, objectRef } from "../../derive/mod.ts";
import { hasUsableKey } from "../../envoy/mod.ts";
import { discoveryUri, keySetName } from "../../model/mod.ts";

/** A rule without keys. */
export interface UnknownKeys {
  /** `Kind/namespace/name`. */
  readonly object: string;
  /** The field path of the rule: `spec.jwtRules[0]`. */
  readonly field: string;
  /** The effect, one sentence without a full stop. */
  readonly message: string;
  readonly remedy: string;
}

/**
 * Returns all rules with keys that this program has to know and does not, by object.
 *
 * @param fetched names of the key sets that this program fetches; proxies fetch the others
 */
export function unknownKeys({ tables }: Mesh, fetched: readonly string[]): UnknownKeys[] {
  const names = new Set(fetched);
  const known = (name: string): boolean => {
    const jwks = tables.keySets.peek(name)?.jwks;
    return jwks !== undefined && hasUsableKey(jwks);
  };
  return [...tables.requestAuthentications.keys()].sort().flatMap((key) => {
    const row = tables.requestAuthentications.peek(key);
    return (row?.spec.jwtRules ?? []).flatMap((rule, at): UnknownKeys[] => {
      const name = keySetName(rule);
      if (rule.jwks !== "" || (name !== undefined && (!names.has(name) || known(name)))) return [];
      const reason = reasonOf(name);
      return [{
        object: objectRef(row!),
        field: `spec.jwtRules[${at}]`,
        message: `all tokens of issuer ${JSON.stringify(rule.issuer)} are refused: ${reason}`,
        remedy: name === undefined
          ? "Set jwksUri or jwks."
          : "See the log of scope jwks for the reason; set jwksUri or jwks.",
      }];
    });
  });
}

function reasonOf(name: string | undefined): string {
  if (name === undefined) return "the rule has no keys, and its issuer is not an address";
  const discovery = discoveryUri(name);
  return discovery === undefined
    ? `no usable keys were fetched from ${name} yet`
    : `no usable keys were found by ${discovery} yet`;
}
