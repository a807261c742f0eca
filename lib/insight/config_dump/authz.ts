import type { Dump } from "./dump.ts";
import { asMap, asMaps, asText, type Json, type JsonMap } from "./json.ts";
import { listenersOf } from "./listeners.ts";
import type { Table } from "./table.ts";

/** Filters that enforce authorization policies. */
const RBAC = /\.rbac\.v3\.RBAC$/;
/**
 * Names that the mesh gives to rules: `ns[shop]-policy[web]-rule[0]`. Rules that select requests for
 * a provider have a prefix, with the provider's name in later versions, and a suffix where the
 * provider cannot be used.
 */
const RULE =
  /^(?:mesh-ext-authz-(?:.+-)?)?ns\[([^\]]*)\]-policy\[([^\]]*)\]-rule\[(\d+)\](?:-deny-due-to-[\w-]+)?$/;

/** The policies that the listeners of a dump enforce, with the number of their rules. */
export function authzTable(dump: Dump): Table {
  const found = new Map<string, { action: string; policy: string; rules: Set<string> }>();
  for (const listener of listenersOf(dump, { address: "", port: 0, type: "" })) {
    for (const config of rbacConfigs(listener as Json)) collect(config, found);
  }
  const rows = [...found.values()].map(({ action, policy, rules }) => [
    action,
    policy,
    String(rules.size),
  ]).toSorted((a, b) => a.join("\n") < b.join("\n") ? -1 : 1);
  return { head: ["ACTION", "AuthorizationPolicy", "RULES"], rows };
}

/** All filters of a listener that enforce policies, at any depth. */
function* rbacConfigs(value: Json | undefined): Generator<JsonMap> {
  if (Array.isArray(value)) {
    for (const each of value) yield* rbacConfigs(each);
  } else if (typeof value === "object" && value !== null) {
    const map = asMap(value);
    if (RBAC.test(asText(map["@type"]))) yield map;
    else for (const inner of Object.values(map)) yield* rbacConfigs(inner);
  }
}

type Found = Map<string, { action: string; policy: string; rules: Set<string> }>;

function collect(config: JsonMap, found: Found): void {
  for (const [field, suffix] of [["rules", ""], ["shadowRules", " (dry run)"]] as const) {
    const rules = asMap(config[field]);
    const action = `${asText(rules.action) || "ALLOW"}${suffix}`;
    const policies = asMap(rules.policies);
    // A filter without policies allows nothing, as a policy without rules asks for.
    const names = Object.keys(policies);
    const isEmpty = names.length === 0 && config[field] !== undefined;
    for (const name of isEmpty ? ["_anonymous_match_nothing_"] : names) {
      const [, namespace, policy, rule = "0"] = RULE.exec(name) ?? [];
      const shown = policy === undefined
        ? name.replace(/-rule\[\d+\]$/, "").replace(/^policy\[(.*)\]$/, "$1")
        : `${policy}.${namespace}`;
      const key = `${action} ${shown}`;
      const row = found.get(key) ?? { action, policy: shown, rules: new Set<string>() };
      row.rules.add(policy === undefined ? name : rule);
      found.set(key, row);
    }
  }
}

/** Reports if a dump has listeners, without which nothing can be said about policies. */
export function hasListeners({ sections }: Dump): boolean {
  return asMaps(sections.get("ListenersConfigDump")?.dynamicListeners).length > 0;
}
