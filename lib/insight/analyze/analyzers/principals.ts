/**
 * Principals of AuthorizationPolicies: some workload has the identity.
 *
 * @module
 */
import type { AuthorizationPolicy } from "#mesh/security/v1beta1/authorization_policy_pb.ts";
import type { Analyzer, Context } from "../analyzer.ts";
import type { Finding } from "../message.ts";
import { isComplete } from "../workload_indexes.ts";

/** The trust domain of a mesh that sets none, which also stands for the mesh's own. */
const DEFAULT_DOMAIN = "cluster.local";
const SCHEME = "spiffe://";

/** Principals that no workload has, and that no request can have. */
export const PRINCIPALS: Analyzer<"AuthorizationPolicy"> = {
  name: "auth.PrincipalAnalyzer",
  kinds: ["AuthorizationPolicy"],
  codes: ["MSH1002", "MSH1003"],
  *analyze(context, { spec }) {
    for (const { path, value } of principalsOf(spec)) {
      const finding = faultOf(context, value);
      if (finding !== undefined) yield { ...finding, path };
    }
  },
};

interface Principal {
  readonly path: string;
  readonly value: string;
}

function* principalsOf({ rules }: AuthorizationPolicy): Iterable<Principal> {
  for (const [rule, { from, when }] of rules.entries()) {
    for (const [at, { source }] of from.entries()) {
      for (const field of ["principals", "notPrincipals"] as const) {
        const path = `spec.rules[${rule}].from[${at}].source.${field}`;
        yield* listed(path, source?.[field] ?? []);
      }
    }
    for (const [at, condition] of when.entries()) {
      if (condition.key !== "source.principal") continue;
      for (const field of ["values", "notValues"] as const) {
        yield* listed(`spec.rules[${rule}].when[${at}].${field}`, condition[field]);
      }
    }
  }
}

function* listed(path: string, values: readonly string[]): Iterable<Principal> {
  for (const [at, value] of values.entries()) yield { path: `${path}[${at}]`, value };
}

function faultOf(context: Context, value: string): Omit<Finding, "path"> | undefined {
  if (value.startsWith(SCHEME)) {
    const remedy = `Write ${value.slice(SCHEME.length) || "the identity"}, without spiffe://.`;
    return { code: "MSH1003", args: [value], remedy };
  }
  const { read, indexes } = context;
  if (!isComplete(context) || value === "*" || read.get(indexes.accountsKnown, "all") !== true) {
    return undefined;
  }
  const domains = domainsOf(context);
  if (isForeign(value, domains)) return undefined;
  const isHeld = accountsOf(context).some(([namespace, account]) =>
    domains.some((domain) => matches(value, `${domain}/ns/${namespace}/sa/${account}`))
  );
  return isHeld ? undefined : { code: "MSH1002", args: [value] };
}

/** The trust domains of the mesh: its own, the name that stands for it, and the aliases. */
function domainsOf({ read, mesh }: Context): readonly string[] {
  const own = mesh.field(read, "trustDomain") ?? "";
  return [own, DEFAULT_DOMAIN, ...mesh.field(read, "trustDomainAliases") ?? []]
    .filter((domain) => domain !== "");
}

/** True for a principal of another trust domain, whose workloads nobody here knows. */
function isForeign(value: string, domains: readonly string[]): boolean {
  const [domain = "", ...rest] = value.split("/");
  return rest.length > 0 && domain !== "*" && !domains.some((one) => matches(domain, one));
}

/** Namespace and name of all service accounts that are known. */
function accountsOf({ read, indexes }: Context): readonly string[][] {
  return indexes.accounts.flatMap((index) => read.members(index, "all"))
    .map((one) => one.split("/"));
}

/** True if a value with at most one `*`, at its beginning or end, stands for a text. */
function matches(written: string, text: string): boolean {
  if (written.startsWith("*")) return text.endsWith(written.slice(1));
  return written.endsWith("*") ? text.startsWith(written.slice(0, -1)) : text === written;
}
