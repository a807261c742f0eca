import assert from "node:assert/strict";
import { checkConfigFiles } from "../lib/mesh/sources/mod.ts";
import { KINDS, parseMeshConfig, parseMeshNetworks } from "../lib/mesh/schema/mod.ts";
import { exampleFile, outdatedFiles, protoComments, referencePages } from "./reference.ts";
import { commentsOf } from "./reference/comments.ts";
import { describedMessages } from "./reference/effect.ts";
import { isDescribed, subjects } from "./reference/subjects.ts";

Deno.test("docs/reference is what `deno task docs` writes", async () => {
  const pages = await referencePages();
  assert.deepEqual(await outdatedFiles(pages), []);
  assert.equal(pages.size, KINDS.filter(isDescribed).length + 3);
});

for (const { kind } of KINDS.filter(isDescribed)) {
  Deno.test(`the example of ${kind} is one valid object without warnings`, async () => {
    const { objects, problems, warnings } = await checkConfigFiles([exampleFile(kind)]);
    assert.deepEqual([...problems, ...warnings], []);
    assert.deepEqual(objects.map(({ meta }) => meta.kind), [kind]);
  });
}

for (
  const [title, parse] of [["MeshConfig", parseMeshConfig], [
    "MeshNetworks",
    parseMeshNetworks,
  ]] as const
) {
  Deno.test(`the example of ${title} is valid without warnings`, async () => {
    const { problems, warnings } = parse(await Deno.readTextFile(exampleFile(title)), "example");
    assert.deepEqual([...problems, ...warnings], []);
  });
}

Deno.test("every field and value of the pages has a sentence in the protos", async () => {
  const comments = await protoComments();
  const bare: string[] = [];
  let described = 0;
  for (
    const { title, schema, effective, isMetadataOnly } of await subjects(() => Promise.resolve(""))
  ) {
    if (isMetadataOnly) continue;
    for (const { schema: message } of describedMessages(schema, effective)) {
      const names = message.fields.flatMap((field) => [
        `${message.typeName}.${field.name}`,
        ...field.enum?.values.map((value) => `${field.enum!.typeName}.${value.name}`) ?? [],
      ]);
      described += names.length;
      bare.push(...names.filter((name) => !comments.has(name)).map((name) => `${title}: ${name}`));
    }
  }
  assert.ok(described > 800, `${described}`);
  assert.deepEqual(bare, []);
});

Deno.test("comments are found by the full name of their declaration", () => {
  const comments = commentsOf([`package a.v1;
// One.
// More of \`two_words\`.
message M {
  // A field.
  string two_words = 1;
  oneof o {
    // In a oneof.
    int32 x = 2;
  }
  // Nested.
  message N { }
  enum E {
    // A value.
    OFF = 0;
  }

  string bare = 4;
}
`]);
  assert.deepEqual(Object.fromEntries(comments), {
    "a.v1.M": "One. More of `twoWords`.",
    "a.v1.M.two_words": "A field.",
    "a.v1.M.x": "In a oneof.",
    "a.v1.M.N": "Nested.",
    "a.v1.M.E.OFF": "A value.",
  });
});

Deno.test("a field acts where its path does, and a message is listed once", () => {
  const kind = KINDS.find((one) => one.kind === "VirtualService")!;
  const messages = describedMessages(kind.schema, {
    paths: ["http[].fault.abort.httpStatus", "http[].mirror"],
    ineffectiveValues: { "http[].mirror.subset": ["v0"] },
  });
  const names = messages.map(({ schema }) => schema.typeName.split(".").slice(3).join("."));
  assert.equal(new Set(names).size, names.length);
  const of = (name: string, field: string) => messages[names.indexOf(name)]!.fields.get(field)!;
  assert.deepEqual(of("VirtualService", "hosts").effective, []);
  assert.deepEqual(of("HTTPRoute", "fault").effective, ["http.fault"]);
  assert.deepEqual(of("HTTPFaultInjection.Abort", "httpStatus").ineffective, []);
  assert.deepEqual(of("HTTPFaultInjection.Abort", "percentage").effective, []);
  assert.deepEqual(of("Destination", "subset").values, ["v0"]);
});
