/**
 * Condition keys of AuthorizationPolicy, parsed only here, for validation and translation.
 *
 * @module
 */

/** The subject of a condition. */
export type ConditionKind =
  | "header"
  | "source-ip"
  | "remote-ip"
  | "source-namespace"
  | "source-principal"
  | "source-account"
  | "source-trust-domain"
  | "request-principal"
  | "audiences"
  | "presenter"
  | "claim"
  | "destination-ip"
  | "destination-port"
  | "server-name"
  | "filter";

/** A parsed key. */
export interface ConditionKey {
  readonly kind: ConditionKind;
  /** The type of its values. */
  readonly type: "text" | "subnet" | "port" | "account";
  /** True: it is about the token of a request. */
  readonly token: boolean;
  /** Names in brackets: a header, nested claims, or a filter's value. */
  readonly names: readonly string[];
  /** For `filter`: the name of the proxy's filter. */
  readonly filter: string;
}

const PLAIN: Readonly<Record<string, readonly [ConditionKind, ConditionKey["type"]]>> = {
  "source.ip": ["source-ip", "subnet"],
  "remote.ip": ["remote-ip", "subnet"],
  "source.namespace": ["source-namespace", "text"],
  "source.principal": ["source-principal", "text"],
  "source.serviceAccount": ["source-account", "account"],
  "source.trustDomain": ["source-trust-domain", "text"],
  "request.auth.principal": ["request-principal", "text"],
  "request.auth.audiences": ["audiences", "text"],
  "request.auth.presenter": ["presenter", "text"],
  "destination.ip": ["destination-ip", "subnet"],
  "destination.port": ["destination-port", "port"],
  "connection.sni": ["server-name", "text"],
};

const NAMED: readonly (readonly [prefix: string, ConditionKind])[] = [
  ["request.headers", "header"],
  ["request.auth.claims", "claim"],
];

/** Prefix of keys that name a filter of the proxy and a value in its metadata. */
const FILTER_PREFIX = "experimental.envoy.filters.";

/** Parses a key; `undefined` if it is unknown. */
export function conditionKey(text: string): ConditionKey | undefined {
  const plain = Object.hasOwn(PLAIN, text) ? PLAIN[text] : undefined;
  if (plain !== undefined) {
    const [kind, type] = plain;
    return { kind, type, token: text.startsWith("request.auth."), names: [], filter: "" };
  }
  for (const [prefix, kind] of NAMED) {
    const names = text.startsWith(prefix) ? bracketed(text.slice(prefix.length)) : undefined;
    if (names === undefined || (kind === "header" && names.length !== 1)) continue;
    return { kind, type: "text", token: kind === "claim", names, filter: "" };
  }
  return text.startsWith(FILTER_PREFIX) ? filterKey(text) : undefined;
}

/** `experimental.envoy.filters.a.b[c]` is the value `c` of the filter `envoy.filters.a.b`. */
function filterKey(text: string): ConditionKey | undefined {
  const open = text.indexOf("[");
  const names = open < 0 ? undefined : bracketed(text.slice(open));
  if (names?.length !== 1) return undefined;
  const filter = text.slice("experimental.".length, open);
  return { kind: "filter", type: "text", token: false, names, filter };
}

/** Parses `[a][b]`; `undefined` for other text. */
function bracketed(text: string): string[] | undefined {
  if (!/^(\[[^\][]+\])+$/.test(text)) return undefined;
  return text.slice(1, -1).split("][");
}
