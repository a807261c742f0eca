import assert from "node:assert/strict";
import { authzTable } from "./authz.ts";
import { parseDump } from "./dump.ts";

/** The rows of a listener with rules. */
function rows(field: "rules" | "shadowRules", action: string, ...names: string[]): unknown {
  const filter = {
    "@type": "type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC",
    [field]: { action, policies: Object.fromEntries(names.map((name) => [name, {}])) },
  };
  const listener = {
    name: "0.0.0.0_80",
    activeState: {
      listener: {
        "@type": "type.googleapis.com/envoy.config.listener.v3.Listener",
        name: "0.0.0.0_80",
        address: { socketAddress: { address: "0.0.0.0", portValue: 80 } },
        filterChains: [{ filters: [{ name: "rbac", typedConfig: filter }] }],
      },
    },
  };
  const dump = {
    configs: [{
      "@type": "type.googleapis.com/envoy.admin.v3.ListenersConfigDump",
      dynamicListeners: [listener],
    }],
  };
  return authzTable(parseDump(JSON.stringify(dump), "dump")).rows;
}

Deno.test("authz check: rules of CUSTOM policies count for their policy", () => {
  const base = (index: number) => `ns[shop]-policy[web]-rule[${index}]`;
  assert.deepEqual(rows("rules", "DENY", base(0), base(1)), [["DENY", "web.shop", "2"]]);
  assert.deepEqual(rows("shadowRules", "DENY", `mesh-ext-authz-${base(0)}`), [
    ["DENY (dry run)", "web.shop", "1"],
  ]);
  const denied = `mesh-ext-authz-${base(0)}-deny-due-to-bad-CUSTOM-action`;
  assert.deepEqual(rows("rules", "DENY", denied), [["DENY", "web.shop", "1"]]);
  assert.deepEqual(rows("rules", "DENY", `mesh-ext-authz-a-b-${base(0)}`), [
    ["DENY", "web.shop", "1"],
  ]);
});
