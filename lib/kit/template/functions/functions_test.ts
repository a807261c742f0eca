import assert from "node:assert/strict";
import { parseTemplate, renderTemplate, STANDARD_FUNCTIONS, structureOf } from "../mod.ts";

/** The output of a template. */
function rendered(text: string, data: Record<string, unknown> = {}): string {
  const functions = STANDARD_FUNCTIONS;
  const definitions = parseTemplate("t", text, new Set(functions.keys()));
  return renderTemplate({ name: "t", definitions, functions }, structureOf(data));
}

Deno.test("functions that templates of charts use", () => {
  const rows: [template: string, expected: string][] = [
    ['{{ dict "b" 1 "a" (list "x" "y") | toJson }}', '{"a":["x","y"],"b":1}'],
    ['{{ dict "a" (list 1 2) | toYaml }}', "a:\n  - 1\n  - 2"],
    ['{{ "" | default "x" | quote }}', '"x"'],
    ['{{ "a\\nb" | nindent 2 }}', "\n  a\n  b"],
    ['{{ sha1sum "abc" }}', "a9993e364706816aba3e25717850c26c9cd0d89d"],
    [
      '{{ "abc" | sha256sum }}',
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    ],
    ['{{ sha256sum "ä" | trunc 8 }}', "33e6d73f"],
    ['{{ sha512sum "abc" | trunc 16 }}', "ddaf35a193617aba"],
    ['{{ adler32sum "Wikipedia" }}', "300286872"],
    [
      '{{ with semver "v1.33.2-rc.1+x" }}{{ .Major }} {{ .Minor }} {{ .Prerelease }}{{ end }}',
      "1 33 rc.1",
    ],
  ];
  for (const [template, expected] of rows) {
    const output = rendered(template);
    const same = expected.startsWith("{") ? JSON.parse(output) : output.trimEnd();
    assert.deepEqual(same, expected.startsWith("{") ? JSON.parse(expected) : expected, template);
  }
});

Deno.test("semverCompare: constraints of versions", () => {
  const rows: [constraint: string, matching: string[], others: string[]][] = [
    [">=1.28", ["1.28.0", "v1.33.2", "2"], ["1.27.9", "1.28.0-rc.1"]],
    [">=1.28-0", ["1.28.0", "1.30.0-gke.1"], ["1.27.9"]],
    ["1.2.3", ["1.2.3", "1.2.3+build"], ["1.2.4"]],
    ["1.2", ["1.2.0", "1.2.9"], ["1.3.0"]],
    ["1.x || >=3.0", ["1.9.9", "3.0.0"], ["2.0.0"]],
    ["*", ["0.0.1", "9.9.9"], []],
    ["!=1.2.3", ["1.2.4"], ["1.2.3"]],
    ["!=1.2.x", ["1.3.0"], ["1.2.9"]],
    [">1.2", ["1.3.0"], ["1.2.9", "1.1.0"]],
    ["<=1.2", ["1.2.9", "0.1.0"], ["1.3.0"]],
    ["<1.2", ["1.1.9"], ["1.2.0"]],
    ["~1.2.3", ["1.2.3", "1.2.9"], ["1.3.0", "1.2.2"]],
    ["~1", ["1.9.0"], ["2.0.0"]],
    ["^1.2.3", ["1.9.0"], ["2.0.0", "1.2.2"]],
    ["^0.2.3", ["0.2.9"], ["0.3.0"]],
    ["^0.0.3", ["0.0.3"], ["0.0.4"]],
    ["1.2 - 1.4.5", ["1.2.0", "1.4.5"], ["1.4.6", "1.1.9"]],
    [">= 1.2.0, < 1.4", ["1.3.9"], ["1.4.0"]],
    [">1.0.0-alpha.2", ["1.0.0-alpha.10", "1.0.0-beta", "1.0.0"], ["1.0.0-alpha.2", "1.0.0-alpha"]],
  ];
  for (const [constraint, matching, others] of rows) {
    const result = (version: string) =>
      rendered(`{{ semverCompare "${constraint}" "${version}" }}`);
    for (const version of matching) {
      assert.equal(result(version), "true", `${constraint} ${version}`);
    }
    for (const version of others) {
      assert.equal(result(version), "false", `${constraint} ${version}`);
    }
  }
  assert.throws(
    () => rendered('{{ semverCompare ">=one" "1.0.0" }}'),
    /not a constraint of versions/,
  );
  assert.throws(() => rendered('{{ semverCompare "" "1.0.0" }}'), /not a constraint of versions/);
  assert.throws(() => rendered('{{ semver "latest" }}'), /"latest" is not a semantic version/);
});

Deno.test("functions of time and chance are refused by name", () => {
  for (const name of ["now", "date", "randAlphaNum", "uuidv4", "genCA", "htpasswd"]) {
    assert.throws(() => rendered(`{{ ${name} }}`), new RegExp(`the function "?${name}`), name);
  }
});
