import assert from "node:assert/strict";
import { documents, manifest, serviceEntry, to } from "../../../tests/support/manifest.ts";
import { ANALYZERS, DOCUMENT_ANALYZERS } from "./registry.ts";
import { type Code, CODES } from "./codes.ts";
import { analysisPage } from "./page.ts";
import { analysisOf, changesOf, shortMessages } from "../../../tests/support/analysis_fixture.ts";
import { messageJson } from "./message.ts";

const service = (name: string) =>
  serviceEntry(name, [`${name}.test`], { number: 80, protocol: "HTTP" }, []);
const routes = (name: string, host: string) =>
  manifest("VirtualService", name, { hosts: [`${name}.test`], http: [to(host)] });

Deno.test("analysis: messages follow edits, and equal those of a new analysis", () => {
  const analysis = analysisOf(routes("r", "a.test"));
  const settle = () => {
    while (!analysis.work(5));
    return shortMessages(analysis).length;
  };
  assert.equal(settle(), 1);
  analysis.apply({ objects: changesOf(service("a")) });
  assert.equal(shortMessages(analysis).length, 1, "messages are those of the last complete work");
  assert.equal(settle(), 0);
  analysis.apply({ objects: changesOf(routes("r", "b.test")) });
  assert.equal(settle(), 1);
  analysis.apply({ objects: [{ kind: "VirtualService", key: "test/r", object: undefined }] });
  assert.equal(settle(), 0);
});

Deno.test("analysis: a message has its object, file and line, as text and as JSON", () => {
  const [message] = analysisOf(documents(service("a"), routes("r", "b.test"))).messages();
  assert.deepEqual([message!.file, message!.line], [
    "test.yaml",
    service("a").split("\n").length + 1,
  ]);
  const json = messageJson(message!);
  assert.equal(json.code, "MSH0101");
  assert.equal(json.origin, "VirtualService test/r");
  assert.equal(json.reference, `test.yaml:${message!.line}`);
  assert.equal(json.documentationUrl, "docs/analysis.md#msh0101");
});

Deno.test("analysis: the cost of an edit depends on the affected objects, not on the size of the mesh", () => {
  const many = Array.from(
    { length: 2000 },
    (_, i) => documents(service(`s${i}`), routes(`r${i}`, `s${i}.test`)),
  );
  const analysis = analysisOf(documents(...many));
  assert.equal(analysis.messages().length, 0);
  const before = analysis.computed();
  analysis.apply({ objects: [{ kind: "ServiceEntry", key: "test/s7", object: undefined }] });
  while (!analysis.work(5));
  assert.deepEqual(shortMessages(analysis).length, 1);
  const computed = analysis.computed() - before;
  assert.ok(computed < 20, `${computed} computations`);
});

/** Processor time of this thread, which does not depend on other programs, ms (Linux). */
function processorMs(): number {
  return Number(Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ")[0]) / 1e6;
}

/** VirtualServices near the size that an API server accepts. */
const LARGE: Readonly<Record<string, readonly object[]>> = {
  "18,000 matches": Array.from({ length: 18_000 }, (_, i) => ({ uri: { prefix: `/p${i}/` } })),
  "a prefix of a million characters": [{ uri: { prefix: `/${"a".repeat(1_000_000)}` } }],
  "1,500 prefixes of which each begins the next": Array.from(
    { length: 1_500 },
    (_, i) => ({ uri: { prefix: `/${"a".repeat(i)}` }, port: i + 1 }),
  ),
};
for (const [what, match] of Object.entries(LARGE)) {
  Deno.test(`analysis: the cost of ${what} does not grow with their square`, () => {
    const rule = { match, route: [{ destination: { host: "a.test" } }] };
    const large = manifest("VirtualService", "r", { hosts: ["a.test"], http: [rule] });
    const analysis = analysisOf(service("a"));
    analysis.apply({ objects: changesOf(large) });
    const begin = processorMs();
    while (!analysis.work(5));
    // A third of a second at most; quadratic work takes many seconds.
    const took = processorMs() - begin;
    assert.ok(took < 1200, `${took} ms`);
    assert.deepEqual(shortMessages(analysis), []);
  });
}

Deno.test("analysis: every code has an analyzer, every analyzer codes of the table, both a section", async () => {
  const emitted = new Set<Code>(
    [...ANALYZERS, ...DOCUMENT_ANALYZERS].flatMap(({ codes }) => codes),
  );
  const ofSchema: readonly Code[] = ["MSH0106", "MSH0133"];
  const all = new Set([...emitted, ...ofSchema]);
  assert.deepEqual([...all].sort(), Object.keys(CODES).sort());
  const page = new URL("../../../docs/analysis.md", import.meta.url);
  if (Deno.env.get("UPDATE_GOLDENS") === "1") await Deno.writeTextFile(page, analysisPage());
  const text = await Deno.readTextFile(page);
  assert.equal(text, analysisPage(), "UPDATE_GOLDENS=1 writes it");
  for (const code of Object.keys(CODES)) assert.ok(text.includes(`### ${code}\n`), code);
});
