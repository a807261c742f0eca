import assert from "node:assert/strict";
import fc from "fast-check";
import { entryOf } from "./text/entry.ts";
import { hasEntry, readNetwork, whyUnusable, withEntry, withoutEntry } from "./text/network.ts";
import { BRIDGE, LIST } from "./testing.ts";

const SETTINGS = {
  logLevel: "warn",
  excludeNamespaces: [""],
  podNamespace: "",
  template: "",
  templateFrom: "CNI_NETWORK_CONFIG",
};
const ENTRY = entryOf(SETTINGS, "/run/agent");
const { cniVersion: _, ...OWN } = ENTRY;

Deno.test("a list gets the entry as its last plugin; every other byte stays", () => {
  const text = withEntry(LIST, ENTRY);
  assert.deepEqual(JSON.parse(text).plugins.at(-1), OWN);
  assert.ok(text.startsWith(LIST.slice(0, LIST.indexOf("\n  ]"))));
  assert.ok(text.endsWith("\n  ]\n}\n"));
  assert.ok(text.includes("2.50"));
  assert.equal(withoutEntry(text), LIST);
});

Deno.test("a configuration of one plugin becomes a list of fixed name and version", () => {
  const text = withEntry(BRIDGE, ENTRY);
  const { cniVersion: _version, ...plugin } = JSON.parse(BRIDGE);
  assert.deepEqual(JSON.parse(text), {
    cniVersion: "0.3.1",
    name: "k8s-pod-network",
    plugins: [plugin, OWN],
  });
  assert.ok(text.includes("12345678901234567890") && text.includes("1450.0"));
});

Deno.test("entries of the same type are replaced, wherever they are", () => {
  const text =
    '{"name":"a","plugins":[{"type":"mesh-cni","old":1},{"type":"x"},{"type":"mesh-cni"}]}';
  assert.deepEqual(JSON.parse(withEntry(text, ENTRY)).plugins, [{ type: "x" }, OWN]);
  assert.equal(withoutEntry(text), '{"name":"a","plugins":[{"type":"x"}]}');
});

Deno.test("the last of two lists in one object counts, as it does for its readers", () => {
  const text = '{"plugins":[{"type":"no"}],"name":"a","plugins":[{"type":"x"}]}';
  assert.deepEqual(JSON.parse(withEntry(text, ENTRY)).plugins, [{ type: "x" }, OWN]);
  assert.ok(withEntry(text, ENTRY).includes('[{"type":"no"}]'));
});

const WRONG: readonly (readonly [text: string, says: RegExp])[] = [
  ["", /not JSON/],
  ['{"name":"a","plugins":[{"type":"br', /not JSON/],
  ["name: yaml", /not JSON/],
  ["[]", /not a JSON object/],
  ["null", /not a JSON object/],
  ["{}", /neither "type" nor a list "plugins"/],
  ['{"plugins":{}}', /neither "type" nor a list "plugins"/],
  ['{"plugins":["x"]}', /plugins\[0\] is not an object/],
  [`{"a":${"[".repeat(70)}${"]".repeat(70)},"type":"x"}`, /nested more than/],
];

for (const [text, says] of WRONG) {
  Deno.test(`refused: ${text.slice(0, 40)}`, () => {
    assert.throws(() => withEntry(text, ENTRY), says);
    assert.equal(hasEntry(text), false);
  });
}

const UNUSABLE: readonly (readonly [name: string, text: string, says: RegExp])[] = [
  ["a.conf", '{"name":"a"}', /no "type"/],
  ["a.conf", '{"type":""}', /no "type"/],
  ["a.conflist", '{"plugins":[{"type":"x"}]}', /no "name"/],
  ["a.conflist", '{"name":"a"}', /no list "plugins"/],
  ["a.conflist", '{"name":"a","plugins":[]}', /is empty/],
  ["a.conflist", '{"name":"a","plugins":[{"type":"x"},{}]}', /plugins\[1\] has no "type"/],
];

for (const [name, text, says] of UNUSABLE) {
  Deno.test(`not used by runtimes: ${name} ${text}`, () => {
    assert.match(whyUnusable(name, text) ?? "", says);
  });
}

/** A text of a list with any white space, and plugins with any fields. */
const LISTS = fc.record({
  plugins: fc.array(fc.tuple(fc.constantFrom("x", "y", "mesh-cni"), fc.jsonValue()), {
    minLength: 1,
    maxLength: 5,
  }),
  before: fc.jsonValue(),
  after: fc.jsonValue(),
  space: fc.constantFrom(undefined, 1, 2, "\t"),
}).map(({ plugins, before, after, space }) =>
  JSON.stringify(
    { before, plugins: plugins.map(([type, more]) => ({ more, type })), after },
    undefined,
    space,
  )
);

Deno.test("property: the entry comes in and goes out, and nothing else changes", () => {
  fc.assert(fc.property(LISTS, (text) => {
    const list = readNetwork(text);
    const others = list.plugins.filter(({ type }) => type !== "mesh-cni");
    const merged = withEntry(text, ENTRY);
    assert.deepEqual(JSON.parse(merged), { ...list.value, plugins: [...others, OWN] });
    assert.equal(withEntry(merged, ENTRY), merged);
    if (others.length > 0) assert.equal(withoutEntry(merged), withoutEntry(text));
    if (!hasEntry(text)) assert.equal(withoutEntry(merged), text);
  }));
});

const TEMPLATES: readonly (readonly [template: string, says: RegExp])[] = [
  ["{", /CNI_NETWORK_CONFIG cannot be used: it is not JSON/],
  ["[]", /not a JSON object/],
  ['{"type":"calico"}', /"type" is "calico"; it must be "mesh-cni"/],
  ['{"ambient_enabled":true}', /--ambient-enabled is not given/],
];

for (const [template, says] of TEMPLATES) {
  Deno.test(`a template is refused: ${template}`, () => {
    assert.throws(() => entryOf({ ...SETTINGS, template }, "/run/agent"), says);
  });
}

Deno.test("fields of a template win, and the log level is for a template without one", () => {
  const one = entryOf({ ...SETTINGS, template: '{"extra":1,"exclude_namespaces":["a"]}' }, "/r");
  assert.deepEqual([one.extra, one.exclude_namespaces, one.plugin_log_level], [1, ["a"], "warn"]);
  const two = entryOf({ ...SETTINGS, template: '{"plugin_log_level":"debug"}' }, "/r");
  assert.equal(two.plugin_log_level, "debug");
});
