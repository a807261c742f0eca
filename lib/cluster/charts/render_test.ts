import assert from "node:assert/strict";
import { chartFrom, mergedValues, renderChart, renderNotes } from "./mod.ts";
import type { ChartObject, JsonObject } from "./types.ts";

const ABOUT = "apiVersion: v2\nname: demo\nversion: 1.2.3\nappVersion: 4.5.6\n";

/** Renders a chart of these files. */
function rendered(
  files: Readonly<Record<string, string>>,
  values: JsonObject = {},
): ChartObject[] {
  return renderChart(demo(files), input(values));
}

function demo(files: Readonly<Record<string, string>>) {
  return chartFrom("demo", new Map(Object.entries({ "Chart.yaml": ABOUT, ...files })));
}

function input(values: JsonObject) {
  return {
    release: { name: "r", namespace: "ns" },
    values,
    capabilities: {
      orchVersion: "1.33.1",
      apiVersions: ["policy/v1", "policy/v1/PodDisruptionBudget"],
    },
  };
}

/** The data of a ConfigMap whose template has these lines. */
function data(
  lines: string,
  values: JsonObject = {},
  files: Record<string, string> = {},
): JsonObject {
  const template = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n${lines}`;
  const [object] = rendered({ "templates/c.yaml": template, ...files }, values);
  const { data } = { ...object!.object } as { data?: JsonObject };
  return data!;
}

Deno.test("templates read release, chart, capabilities, files and their own name", () => {
  const lines = [
    "release: {{ .Release.Name }}.{{ .Release.Namespace }} {{ .Release.IsInstall }}",
    "chart: {{ .Chart.Name }} {{ .Chart.Version }} {{ .Chart.AppVersion }}",
    "orch: {{ .Capabilities.KubeVersion.Version }} {{ .Capabilities.KubeVersion.Minor }}",
    'has: {{ .Capabilities.APIVersions.Has "policy/v1" }} {{ .Capabilities.APIVersions.Has "x/v1" }}',
    "self: {{ .Template.Name }} {{ .Template.BasePath }}",
    'file: {{ .Files.Get "conf/a.txt" | trim | quote }}',
    '{{- (.Files.Glob "conf/*").AsConfig | nindent 2 }}',
    "names: '{{ range $path, $_ := .Files }}{{ $path }} {{ end }}'",
    'lines: {{ .Files.Lines "conf/b.txt" | join "," }}',
  ];
  const files = { "conf/a.txt": "one\n", "conf/b.txt": "two\nthree\n", "other/c": "x" };
  assert.deepEqual({ ...data(lines.map((one) => `  ${one.trim()}\n`).join(""), {}, files) }, {
    release: "r.ns true",
    chart: "demo 1.2.3 4.5.6",
    orch: "v1.33.1 33",
    has: "true false",
    self: "demo/templates/c.yaml demo/templates",
    file: "one",
    "a.txt": "one\n",
    "b.txt": "two\nthree\n",
    names: "conf/a.txt conf/b.txt other/c ",
    lines: "two,three",
  });
});

Deno.test("named templates of other files, include, tpl", () => {
  const files = {
    "templates/_helpers.tpl":
      '{{ define "demo.name" }}{{ .who }}-{{ tpl "{{ .who }}" . }}{{ end }}',
  };
  const lines = '  a: {{ include "demo.name" (dict "who" "x") | upper }}\n' +
    "  b: {{ tpl .Values.text . }}\n" +
    `  c: {{ tpl (printf "{{ define %q }}in{{ end }}{{ include %q . }}" "i" "i") . }}\n` +
    '  d: {{ template "demo.name" (dict "who" "y") }}\n';
  const values = { text: "{{ .Release.Name }}!" };
  assert.deepEqual({ ...data(lines, values, files) }, { a: "X-X", b: "r!", c: "in", d: "y-y" });
});

Deno.test("functions of Sprig as charts use them", () => {
  const rows: [template: string, expected: string][] = [
    [
      '{{ merge (dict "a" 1 "m" (dict "x" 1)) (dict "a" 2 "b" 3 "m" (dict "y" 2)) | toJson }}',
      '{"a":1,"b":3,"m":{"x":1,"y":2}}',
    ],
    ['{{ mergeOverwrite (dict "a" 1) (dict "a" 2) | toJson }}', '{"a":2}'],
    ['{{ $d := dict }}{{ $_ := set $d "k" "v" }}{{ $d.k }}', "v"],
    [
      '{{ dig "a" "b" "none" (dict "a" (dict "b" 1)) }} {{ dig "a" "c" "none" (dict "a" (dict)) }}',
      "1 none",
    ],
    ['{{ ternary "y" "n" true }} {{ default "d" "" }} {{ coalesce "" "x" }}', "y d x"],
    ['{{ regexReplaceAll "a(x*)b" "-ab-axxb-" "${1}W" }}', "-W-xxW-"],
    ['{{ regexReplaceAllLiteral "a(x*)b" "-ab-" "${1}" }}', "-${1}-"],
    ['{{ regexFind "[a-z]+" "1ab2cd" }} {{ regexFindAll "[0-9]" "1a2b3" 2 | join "," }}', "ab 1,2"],
    ['{{ regexSplit "z+" "pizza" -1 | join "," }}', "pi,a"],
    ['{{ semverCompare ">=1.28-0" .Capabilities.KubeVersion.Version }}', "true"],
    [
      '{{ kindIs "map" (dict) }} {{ kindIs "slice" (list) }} {{ kindIs "bool" true }} {{ typeOf "" }}',
      "true true true string",
    ],
    [
      "{{ list 1 2 2 | uniq | len }} {{ has 2 (list 1 2) }} {{ without (list 1 2) 1 | first }}",
      "2 true 2",
    ],
    ['{{ "<a & b>" | toJson }}', '"\\u003ca \\u0026 b\\u003e"'],
    [
      '{{ (fromYaml "a: 1").a }} {{ hasKey (fromYaml "[") "Error" }} {{ fromJsonArray "[1]" | first }}',
      "1 true 1",
    ],
    ['{{ eq .Values.none nil }} {{ eq .Values.none "" }} {{ and true "x" }}', "true false x"],
    [
      '{{ camelcase "a_bc-d" }} {{ kebabcase "FooBar" }} {{ snakecase "fooBar" }} {{ trunc -2 "abc" }}',
      "ABcD foo-bar foo_bar bc",
    ],
    ['{{ untilStep 3 6 2 | join "," }} {{ seq 1 2 6 }} {{ round 3.756 2 }}', "3,5 1 3 5 3.76"],
    ['{{ pluck "a" (dict "a" 1) (dict "b" 2) (dict "a" 3) | join "," }}', "1,3"],
    [
      '{{ (urlParse "https://h:1/p?q").host }} {{ base "a/b" }} {{ dir "a/b" }} {{ ext "a.b" }}',
      "h:1 b a .b",
    ],
    ['{{ b64enc "ä" | b64dec }} {{ b32enc "hi" }}', "ä NBUQ===="],
    ['{{ print 1 2 "x" 3 }} {{ squote "a" nil }} {{ cat "a" "b" }}', "1 2x3 'a' a b"],
  ];
  for (const [template, expected] of rows) {
    const text = renderNotes(demo({ "templates/NOTES.txt": template }), input({}));
    assert.equal(text, expected, template);
  }
});

Deno.test("values are merged as Helm merges them", () => {
  const defaults = { a: { b: 1, c: 2 }, list: [1, 2], gone: { x: 1 }, kept: true, scalar: 1 };
  const given = {
    a: { b: 3, c: null, n: null },
    list: [3],
    gone: null,
    new: null,
    scalar: { y: 1 },
  };
  assert.deepEqual(mergedValues(defaults, given), {
    a: { b: 3, n: null },
    list: [3],
    kept: true,
    new: null,
    scalar: { y: 1 },
  });
  assert.deepEqual(defaults.a, { b: 1, c: 2 });
});

Deno.test("objects come in the order of installation", () => {
  const object = (kind: string) => `apiVersion: v1\nkind: ${kind}\nmetadata: {name: x}\n---\n`;
  const kinds = [
    "ZKind",
    "ValidatingWebhookConfiguration",
    "Deployment",
    "Service",
    "ConfigMap",
    "AKind",
    "Namespace",
  ];
  const objects = rendered({ "templates/all.yaml": kinds.map(object).join("") });
  assert.deepEqual(objects.map((one) => one.object.kind), [
    ...["Namespace", "ConfigMap", "Service", "Deployment"],
    ...["AKind", "ValidatingWebhookConfiguration", "ZKind"],
  ]);
});

Deno.test("mistakes are named with chart, file, line and value", () => {
  const rows: [template: string, expected: RegExp][] = [
    [
      '\n{{ fail "no such luck" }}',
      /chart demo: demo\/templates\/c.yaml, line 2, column 4: no such luck/,
    ],
    ['{{ required "values.x is needed" .Values.x }}', /line 1, column 4: values.x is needed/],
    ["{{ .Values.a.b }}", /\.Values\.a is not set, so that \.Values\.a\.b cannot be read/],
    ['{{ eq .Values.n "1" }}', /a number 1 and a string "1" cannot be compared/],
    ["{{ now }}", /the function now is not known/],
    ['{{ include "nothing" . }}', /the template nothing is not defined/],
    [
      '{{ include "demo.bad" . }}',
      /demo\/templates\/_h.tpl, line 1, column 27, which demo\/templates\/c.yaml uses: bad/,
    ],
    ['{{ tpl "{{ end }}" . }}', /templates\/c.yaml \(text of tpl\), line 1/],
    ["a: {{ .Values.n }}: 1", /the output of demo\/templates\/c.yaml is not YAML at its line 1/],
    ["a: 1", /something else than an object/],
    ['{{ define "l" }}{{ include "l" . }}{{ end }}{{ include "l" . }}', /calls itself too deeply/],
  ];
  for (const [template, expected] of rows) {
    const files = {
      "templates/c.yaml": template,
      "templates/_h.tpl": '{{ define "demo.bad" }}{{ fail "bad" }}{{ end }}',
    };
    assert.throws(() => rendered(files, { n: 1 }), expected, template);
  }
});

Deno.test("hooks of tests are left out, others are refused; notes are no objects", () => {
  const hook = (name: string) =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {helm.sh/hook: ${name}}}\n`;
  const files = { "templates/NOTES.txt": "Welcome to {{ .Release.Name }}." };
  assert.deepEqual(rendered({ ...files, "templates/p.yaml": hook("test") }), []);
  assert.throws(
    () => rendered({ "templates/p.yaml": hook("pre-install") }),
    /demo\/templates\/p.yaml has a hook, Pod p \(pre-install\), and hooks are not supported/,
  );
  assert.equal(renderNotes(demo(files), input({})), "Welcome to r.");
});

Deno.test("a cluster answers lookup", () => {
  const template =
    '{{ (lookup "v1" "Secret" "ns" "s").data.key }}{{ lookup "v1" "Pod" "" "" | len }}';
  const chart = demo({ "templates/NOTES.txt": template });
  const lookup = (_: string, kind: string) =>
    kind === "Secret" ? { data: { key: "k" } } : undefined;
  assert.equal(renderNotes(chart, { ...input({}), lookup }), "k0");
});

Deno.test("charts that cannot be used are refused by name", () => {
  const rows: [files: Record<string, string>, expected: RegExp][] = [
    [{ "Chart.yaml": "name: x" }, /demo\/Chart.yaml has no texts in name and version/],
    [{ "values.yaml": "a: [" }, /demo\/values.yaml is not YAML/],
    [{ "charts/x/Chart.yaml": ABOUT }, /demo has dependencies, which are not supported/],
  ];
  for (const [files, expected] of rows) assert.throws(() => demo(files), expected);
});
