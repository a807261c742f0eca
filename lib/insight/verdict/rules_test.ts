import assert from "node:assert/strict";
import { ruleOf } from "./rules.ts";

Deno.test("names of rules lead to the field of the policy", () => {
  const found = { object: "AuthorizationPolicy/shop/web", field: "spec.rules[2]" };
  for (const prefix of ["", "mesh-ext-authz-", "mesh-ext-authz-my-provider-"]) {
    for (const suffix of ["", "-deny-due-to-bad-CUSTOM-action"]) {
      const policy = `${prefix}ns[shop]-policy[web]-rule[2]${suffix}`;
      assert.deepEqual(ruleOf({ policy, clauses: [] }), found, policy);
    }
  }
  assert.equal(ruleOf({ policy: "other", clauses: [] }), undefined);
});
