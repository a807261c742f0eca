/**
 * No field of a WorkloadGroup is silent: it changes the entry of a registered workload, or a warning
 * or an error names it.
 */
import assert from "node:assert/strict";
import { fieldCases, withField } from "../../../../tests/support/coverage/fields.ts";
import { proxyNode } from "../../../../tests/support/translation_fixture.ts";
import { canonicalJson } from "../../../kit/base/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import { toJson } from "../../../kit/proto/mod.ts";
import { checkObject } from "../../schema/mod.ts";
import { WorkloadEntrySchema } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import { WorkloadGroupSchema } from "#mesh/networking/v1alpha3/workload_group_pb.ts";
import { entryOf } from "./entry.ts";

const WORKLOAD = {
  name: "w",
  node: proxyNode("one"),
  since: 0,
  healthy: true,
  generation: 0,
};

/** The entry that a group makes, or its problems; and the paths of its warnings. */
function outcome(spec: unknown): { readonly entry: string; readonly paths: readonly string[] } {
  const checked = checkObject({
    apiVersion: "networking.mesh.io/v1",
    kind: "WorkloadGroup",
    metadata: { name: "g", namespace: "one" },
    spec,
  });
  const paths = [...checked.problems, ...checked.warnings].map(({ path }) => path);
  if (checked.object === undefined) return { entry: "", paths };
  const { entry, problems } = entryOf(WORKLOAD, checked.object as unknown as ConfigObject as never);
  const made = entry === undefined
    ? problems
    : { meta: entry.meta, spec: toJson(WorkloadEntrySchema, entry.spec as never) };
  return { entry: canonicalJson(made ?? null), paths };
}

Deno.test("coverage: every field of WorkloadGroup acts, or is named", () => {
  const plain = { template: { serviceAccount: "a" } };
  const before = outcome(plain).entry;
  const silent = fieldCases(WorkloadGroupSchema, { values: {}, keys: {} }).filter((field) => {
    const { entry, paths } = outcome(withField(plain, field));
    const own = `spec.${field.path.join(".")}`;
    const named = paths.some((path) => own === path || own.startsWith(`${path}.`));
    return !named && entry === before;
  }).map(({ label }) => label);
  assert.deepEqual(silent, []);
});
