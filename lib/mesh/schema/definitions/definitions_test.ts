import assert from "node:assert/strict";
import { type DescMessage } from "../../../kit/proto/mod.ts";
import { KINDS } from "../kinds.ts";
import { isCustom, resourceDefinitions } from "./definitions.ts";
import { FIELD_CONDITIONS } from "./field_conditions.ts";
import { MESSAGE_CONDITIONS, ROOT_CONDITIONS } from "./message_conditions.ts";
import { structuralSchema } from "./structural.ts";

/** Every message of the kinds' specifications, by its full name. */
function messages(): Map<string, DescMessage> {
  const found = new Map<string, DescMessage>();
  const add = (schema: DescMessage): void => {
    if (found.has(schema.typeName)) return;
    found.set(schema.typeName, schema);
    for (const { message } of schema.fields) if (message !== undefined) add(message);
  };
  for (const { schema } of KINDS.filter(isCustom)) add(schema);
  return found;
}

Deno.test("definitions: conditions name messages and fields that exist", () => {
  const known = messages();
  const missing: string[] = [];
  for (const [name, { required = [], rules = [] }] of Object.entries(MESSAGE_CONDITIONS)) {
    const names = new Set(known.get(name)?.fields.map(({ jsonName }) => jsonName) ?? []);
    const used = rules.flatMap(({ rule }) =>
      [...rule.matchAll(/self\.(\w+)/g)].map(([, field]) => field!)
    );
    for (const field of [...required, ...used]) {
      if (!names.has(field)) missing.push(`${name}.${field}`);
    }
  }
  for (const name of Object.keys(FIELD_CONDITIONS)) {
    const dot = name.lastIndexOf(".");
    const fields = known.get(name.slice(0, dot))?.fields ?? [];
    if (!fields.some((field) => field.name === name.slice(dot + 1))) missing.push(name);
  }
  for (const name of Object.keys(ROOT_CONDITIONS)) {
    if (!KINDS.some(({ schema }) => schema.typeName === name)) missing.push(name);
  }
  assert.deepEqual(missing, []);
});

Deno.test("definitions: conditions and descriptions are in the schemas of fields", () => {
  const { schema } = KINDS.find(({ kind }) => kind === "ServiceEntry")!;
  const described = structuralSchema(schema, (name) => `about ${name}`);
  const { hosts, ports } = described.properties!;
  assert.equal(described.description, "about mesh.networking.v1alpha3.ServiceEntry");
  assert.equal(hosts!.description, "about mesh.networking.v1alpha3.ServiceEntry.hosts");
  assert.deepEqual(described.required, ["hosts"]);
  assert.equal(hosts!.minItems, 1);
  assert.deepEqual(ports!["x-kubernetes-list-map-keys"], ["name"]);
  const { number, name } = ports!.items!.properties!;
  assert.deepEqual([number!.minimum, number!.maximum, name!.minLength], [1, 65_535, 1]);
  assert.ok(described["x-kubernetes-validations"]!.length > 3);
  assert.equal(structuralSchema(schema).properties!.hosts!.description, undefined);
});

Deno.test("definitions: the conditions of an object do not hold for the same message inside others", () => {
  const rules = (kind: string, path: readonly string[]): string => {
    const { schema } = KINDS.find((one) => one.kind === kind)!;
    const at = path.reduce((one, name) => one.properties![name]!, structuralSchema(schema));
    return JSON.stringify(at["x-kubernetes-validations"]);
  };
  assert.match(rules("WorkloadEntry", []), /address or network is required/);
  assert.doesNotMatch(rules("WorkloadGroup", ["template"]), /address or network/);
});

Deno.test("definitions: each fits into the annotation of `kubectl apply`", () => {
  // Descriptions take about a twentieth of a definition.
  for (const one of resourceDefinitions()) {
    const { length } = JSON.stringify(one);
    assert.ok(length < 230_000, `${one.metadata.name} has ${length} characters`);
  }
});
