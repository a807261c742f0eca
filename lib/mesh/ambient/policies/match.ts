/**
 * Conditions of policies as matches of node proxies.
 *
 * @module
 */
import { create, type MessageInitShape } from "../../../kit/proto/mod.ts";
import { ipBytes } from "../../../kit/text/mod.ts";
import type {
  Condition,
  Operation,
  Source,
} from "#mesh/security/v1beta1/authorization_policy_pb.ts";
import {
  type Match,
  MatchSchema,
  type ServiceAccountMatch,
  type StringMatch,
  StringMatchSchema,
} from "#mesh/security/authorization_pb.ts";

/** A condition of a policy: the part that node proxies check, and names of fields that they cannot. */
export interface Checked {
  /** Undefined: nothing is left of it that they check. */
  readonly match: Match | undefined;
  readonly beyond: readonly string[];
}

/** A text with wildcards: `*` (any that is present), `prefix*`, `*suffix`, or exact. */
export function stringMatch(text: string): StringMatch {
  const matchType: StringMatch["matchType"] = text === "*"
    ? { case: "presence", value: { $typeName: "google.protobuf.Empty" } }
    : text.startsWith("*")
    ? { case: "suffix", value: text.slice(1) }
    : text.endsWith("*")
    ? { case: "prefix", value: text.slice(0, -1) }
    : { case: "exact", value: text };
  return create(StringMatchSchema, { matchType });
}

function addresses(blocks: readonly string[]) {
  return blocks.flatMap((block) => {
    const [base = "", prefix] = block.split("/");
    const address = ipBytes(base);
    if (address === undefined) return [];
    return [{ address, length: prefix === undefined ? address.length * 8 : Number(prefix) }];
  });
}

/** Accounts, `namespace/name`, or `name` in the namespace of the policy. */
function accounts(texts: readonly string[], namespace: string): ServiceAccountMatch[] {
  return texts.map((text) => {
    const [first = "", second] = text.split("/");
    return {
      $typeName: "mesh.security.ServiceAccountMatch",
      namespace: second === undefined ? namespace : first,
      serviceAccount: second ?? first,
    };
  });
}

/** Fields of rules that node proxies do not enforce. */
export const BEYOND_NODE_PROXIES = {
  operation: ["hosts", "notHosts", "methods", "notMethods", "paths", "notPaths"],
  source: [
    "requestPrincipals",
    "notRequestPrincipals",
    "remoteIpBlocks",
    "notRemoteIpBlocks",
    "trustDomains",
    "notTrustDomains",
  ],
} as const;

/** The fields of these that have values. */
function given<Field extends string>(
  fields: readonly Field[],
  of: Readonly<Record<Field, readonly string[]>>,
): string[] {
  return fields.filter((name) => of[name].length > 0);
}

/** `rules[].from[].source`. */
export function sourceMatch(source: Source, namespace: string): Checked {
  const match = checked({
    principals: source.principals.map(stringMatch),
    notPrincipals: source.notPrincipals.map(stringMatch),
    namespaces: source.namespaces.map(stringMatch),
    notNamespaces: source.notNamespaces.map(stringMatch),
    serviceAccounts: accounts(source.serviceAccounts, namespace),
    notServiceAccounts: accounts(source.notServiceAccounts, namespace),
    sourceIps: addresses(source.ipBlocks),
    notSourceIps: addresses(source.notIpBlocks),
  });
  return { match, beyond: given(BEYOND_NODE_PROXIES.source, source) };
}

/** `rules[].to[].operation`. */
export function operationMatch(operation: Operation): Checked {
  return {
    match: checked({
      destinationPorts: operation.ports.map(Number),
      notDestinationPorts: operation.notPorts.map(Number),
    }),
    beyond: given(BEYOND_NODE_PROXIES.operation, operation),
  };
}

type Init = MessageInitShape<typeof MatchSchema>;

/** Keys of conditions → the match of their values. */
const CONDITIONS: Readonly<
  Record<string, (values: readonly string[], not: readonly string[], namespace: string) => Init>
> = {
  "source.ip": (values, not) => ({ sourceIps: addresses(values), notSourceIps: addresses(not) }),
  "source.namespace": (values, not) => ({
    namespaces: values.map(stringMatch),
    notNamespaces: not.map(stringMatch),
  }),
  "source.principal": (values, not) => ({
    principals: values.map(stringMatch),
    notPrincipals: not.map(stringMatch),
  }),
  "source.serviceAccount": (values, not, namespace) => ({
    serviceAccounts: accounts(values, namespace),
    notServiceAccounts: accounts(not, namespace),
  }),
  "destination.ip": (values, not) => ({
    destinationIps: addresses(values),
    notDestinationIps: addresses(not),
  }),
  "destination.port": (values, not) => ({
    destinationPorts: values.map(Number),
    notDestinationPorts: not.map(Number),
  }),
};

/** Reports if node proxies enforce a condition with a key. */
export function isEnforcedCondition(key: string): boolean {
  return Object.hasOwn(CONDITIONS, key);
}

/** `rules[].when[]`. */
export function conditionMatch(
  { key, values, notValues }: Condition,
  namespace: string,
): Checked {
  const known = isEnforcedCondition(key) ? CONDITIONS[key] : undefined;
  if (known === undefined) return { match: undefined, beyond: [`when ${key}`] };
  return { match: checked(known(values, notValues, namespace)), beyond: [] };
}

/** The match; undefined if it has no conditions. */
function checked(init: Init): Match | undefined {
  const match = create(MatchSchema, init);
  const isEmpty = Object.values(match).every((one) => !Array.isArray(one) || one.length === 0);
  return isEmpty ? undefined : match;
}
