import assert from "node:assert/strict";
import { ResourceSchema } from "#mesh/mcp/v1alpha1/resource_pb.ts";
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { objectsOf } from "../../../../tests/support/mesh_fixture.ts";
import { CONFIG_RESOURCE_URL } from "../../model/mod.ts";
import { type Any, AnySchema, create, encode, packAny } from "../../../kit/proto/mod.ts";
import { TABLED_KINDS } from "../../schema/mod.ts";
import { createHeldObjects } from "./held.ts";

const KIND = TABLED_KINDS.VirtualService;
const SOURCE = "xds://other:15010";

function rule(name: string, timeout: string): string {
  return `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: one, labels: {a: b}}
spec: {hosts: [web.test], http: [{timeout: ${timeout}, route: [{destination: {host: web.test}}]}]}
`;
}

/** A document as a control plane sends it; `break` makes its specification invalid. */
function resource(yaml: string, more: { break?: boolean; name?: string } = {}): Any {
  const { meta, spec } = objectsOf(yaml)[0]!;
  const body = packAny(KIND.schema, more.break ? { hosts: [] } : spec as VirtualService);
  const name = more.name ?? `${meta.namespace}/${meta.name}`;
  const value = encode(ResourceSchema, { metadata: { name, labels: { ...meta.labels } }, body });
  return create(AnySchema, { typeUrl: CONFIG_RESOURCE_URL, value });
}

Deno.test("an object that another control plane sends is the one of its file", () => {
  const held = createHeldObjects(SOURCE);
  const { upserts: [object] } = held.replace(KIND, [resource(rule("web", "1s"))]);
  const [written] = objectsOf(rule("web", "1s"));
  assert.deepEqual([object?.spec, object?.digest], [written?.spec, written?.digest]);
  assert.deepEqual(object?.meta.labels, { a: "b" });
  assert.deepEqual(object?.meta.origin, { source: SOURCE });
});

Deno.test("a response replaces the objects of its kind: only changes are reported", () => {
  const held = createHeldObjects(SOURCE);
  held.replace(KIND, [resource(rule("a", "1s")), resource(rule("b", "1s"))]);
  const same = held.replace(KIND, [resource(rule("b", "1s")), resource(rule("a", "1s"))]);
  assert.deepEqual(same, { upserts: [], deletes: [] });
  const { upserts, deletes } = held.replace(KIND, [resource(rule("a", "2s"))]);
  assert.deepEqual(upserts.map(({ meta }) => [meta.name, meta.generation]), [["a", 2]]);
  assert.deepEqual(deletes, [{ kind: "VirtualService", namespace: "one", name: "b" }]);
  assert.equal(held.clear().deletes.length, 1);
  assert.deepEqual(held.objects(), []);
});

Deno.test("a resource that cannot be used is a problem, and its last good object stays", () => {
  const held = createHeldObjects(SOURCE);
  held.replace(KIND, [resource(rule("a", "1s"))]);
  const broken = [
    resource(rule("a", "1s"), { break: true }),
    resource(rule("a", "1s"), { break: true, name: "one/new" }),
    resource(rule("a", "1s"), { name: "nameless" }),
    create(AnySchema, { typeUrl: CONFIG_RESOURCE_URL, value: new Uint8Array([1, 2, 3]) }),
    create(AnySchema, { typeUrl: "type.googleapis.com/other.Type", value: new Uint8Array() }),
  ];
  assert.deepEqual(held.replace(KIND, broken), { upserts: [], deletes: [] });
  assert.deepEqual(held.objects().map(({ meta }) => meta.name), ["a"]);
  const problems = held.problems();
  assert.deepEqual(new Set(problems.map(({ file }) => file)), new Set([SOURCE]));
  assert.ok(problems.some(({ path, lastGoodServes }) => path.startsWith("spec") && lastGoodServes));
  assert.ok(
    problems.some(({ path, lastGoodServes }) => path.startsWith("spec") && !lastGoodServes),
  );
  assert.equal(problems.filter(({ code }) => code === "resource-malformed").length, 3);
  // Repaired.
  assert.deepEqual(held.replace(KIND, [resource(rule("a", "1s"))]).upserts, []);
  assert.deepEqual(held.problems(), []);
});
