import assert from "node:assert/strict";
import { isPrintable } from "../../lib/kit/base/mod.ts";
import { NO_CONFIGURED, runProgram } from "../../lib/kit/cli/mod.ts";
import { MESHCTL } from "./program.ts";

const SERVICE = `apiVersion: v1
kind: Service
metadata: {name: a, namespace: shop}
spec: {ports: [{name: web, port: 80}]}
`;
const ROUTE = `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata:
  name: r
  namespace: shop
spec:
  hosts: [a.test]
  gateways: [gone]
  http:
  - route: [{destination: {host: a}}]
`;

interface Ran {
  readonly out: string;
  readonly err: string;
  readonly status: number;
}

type Content = string | Uint8Array;

/** Writes files into a directory of their own and runs `meshctl analyze` in it; `DIR` stands for it. */
async function analyzed(
  files: Readonly<Record<string, Content>>,
  args: readonly string[],
  prepare: (dir: string) => Promise<void> = () => Promise.resolve(),
): Promise<Ran> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-analyze-" });
  try {
    for (const [name, content] of Object.entries(files)) {
      const path = `${dir}/${name}`;
      await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await Deno.writeFile(path, bytes);
    }
    await prepare(dir);
    let [out, err] = ["", ""];
    const io = {
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
      input: () => Promise.resolve(new TextEncoder().encode(ROUTE)),
    };
    const argv = ["analyze", "--use-kube=false", ...args.map((one) => one.replace("DIR", dir))];
    const signal = new AbortController().signal;
    const status = await runProgram(MESHCTL, argv, { io, signal, configured: NO_CONFIGURED });
    const shown = (text: string) => text.replaceAll(dir, "DIR");
    return { out: shown(out), err: shown(err), status };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

const codesOf = (out: string) => [...out.matchAll(/MSH\d+/g)].map(([code]) => code).sort();

Deno.test("analyze: messages have level, code, object, file and line, and decide the status", async () => {
  const { out, err, status } = await analyzed({ "a.yaml": `${SERVICE}---\n${ROUTE}` }, ["DIR"]);
  assert.match(out, /^Info \[MSH0118\] \(Service shop\/a DIR\/a\.yaml:4\) Port name "web"/);
  assert.match(
    out,
    /Error \[MSH0101\] \(VirtualService shop\/r DIR\/a\.yaml:13\) The gateway .* "gone"$/m,
  );
  assert.deepEqual(codesOf(out), ["MSH0101", "MSH0118", "MSH0132"]);
  assert.match(err, /^Analyzers found issues when analyzing DIR\.\nSee /);
  assert.equal(status, 79);
});

Deno.test("analyze: nothing found", async () => {
  const ok = SERVICE.replace("web", "http");
  const { out, err, status } = await analyzed({ "a.yaml": ok }, ["DIR/a.yaml"]);
  assert.deepEqual([out, status], ["", 0]);
  assert.equal(err, "✔ No validation issues found when analyzing DIR/a.yaml.\n");
});

const THRESHOLDS: readonly (readonly [args: string[], codes: string[], status: number])[] = [
  [[], ["MSH0118"], 0],
  [["--failure-threshold", "Info"], ["MSH0118"], 79],
  [["--output-threshold", "Warning"], [], 0],
  [["--output-threshold", "Error", "--failure-threshold", "Info"], [], 79],
  [["-S", "MSH0118=Service a.shop", "--failure-threshold", "Info"], [], 0],
  [["-S", "MSH0118=Service *.shop", "--failure-threshold", "Info"], [], 0],
  [["-S", "MSH0118=Pod *", "--failure-threshold", "Info"], ["MSH0118"], 79],
  [["-n", "other"], [], 0],
  [["-n", "other", "-A"], ["MSH0118"], 0],
];

for (const [args, codes, wanted] of THRESHOLDS) {
  Deno.test(`analyze: thresholds and suppression: ${args.join(" ")}`, async () => {
    const { out, status } = await analyzed({ "a.yaml": SERVICE }, [...args, "DIR/a.yaml"]);
    assert.deepEqual([codesOf(out), status], [codes, wanted]);
  });
}

Deno.test("analyze: an annotation suppresses codes of its object", async () => {
  for (const [value, left] of [["MSH0118", 0], ["MSH0101,MSH0118", 0], ["*", 0], ["MSH0101", 1]]) {
    const annotated = SERVICE.replace(
      "namespace: shop",
      `namespace: shop, annotations: {galley.mesh.io/analyze-suppress: "${value}"}`,
    );
    const { out } = await analyzed({ "a.yaml": annotated }, ["DIR/a.yaml"]);
    assert.equal(codesOf(out).length, left, `${value}`);
  }
});

const AS_PROXY_USER = (name: string, app: string) =>
  `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, labels: {app: ${app}}}
spec: {containers: [{name: main, image: x, securityContext: {runAsUser: 1337}}]}
`;

Deno.test("analyze: the daemon may run as the proxy's user, applications may not", async () => {
  const files = { "pods.yaml": `${AS_PROXY_USER("d", "meshd")}---\n${AS_PROXY_USER("a", "web")}` };
  const { out } = await analyzed(files, ["-n", "shop", "DIR/pods.yaml"]);
  assert.match(out, /MSH0144\] \(Pod shop\/a/);
  assert.doesNotMatch(out, /Pod shop\/d/);
});

Deno.test("analyze: with a namespace, other namespaces are not named", async () => {
  const namespaces = ["shop", "other"].map((name) =>
    `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`
  );
  const pods = ["shop", "other"].map((namespace) =>
    AS_PROXY_USER("a", "web").replace("namespace: shop", `namespace: ${namespace}`)
  );
  const files = { "all.yaml": [...namespaces, ...pods].join("---\n") };
  const { out } = await analyzed(files, ["-n", "shop", "DIR/all.yaml"]);
  assert.match(out, /\(Namespace shop/);
  assert.doesNotMatch(out, /other/);
  assert.match((await analyzed(files, ["-A", "DIR/all.yaml"])).out, /\(Namespace other/);
});

Deno.test("analyze: directories are read with all below them on request", async () => {
  const files = { "a.yaml": SERVICE, "below/b.yaml": SERVICE.replace("name: a", "name: b") };
  assert.equal(codesOf((await analyzed(files, ["DIR"])).out).length, 1);
  assert.equal(codesOf((await analyzed(files, ["-R", "DIR"])).out).length, 2);
});

Deno.test("analyze: JSON, YAML and SARIF", async () => {
  const files = { "a b.yaml": `${SERVICE}---\n${ROUTE}` };
  const json = JSON.parse((await analyzed(files, ["DIR", "-o", "json"])).out);
  assert.deepEqual(Object.keys(json[0]).filter((key) => key !== "name").slice(0, 3), [
    "code",
    "level",
    "message",
  ]);
  assert.deepEqual(json.map((one: { origin: string }) => one.origin), [
    "Service shop/a",
    "VirtualService shop/r",
    "VirtualService shop/r",
  ]);
  assert.match((await analyzed(files, ["DIR", "-o", "yaml"])).out, /^- code: MSH0118$/m);
  const sarif = JSON.parse((await analyzed(files, ["DIR", "-o", "sarif"])).out);
  const [{ tool: { driver }, results }] = sarif.runs;
  assert.equal(sarif.version, "2.1.0");
  assert.deepEqual(driver.rules.map((rule: { id: string }) => rule.id), [
    "MSH0101",
    "MSH0118",
    "MSH0132",
  ]);
  for (const { ruleId, ruleIndex, level, message, locations } of results) {
    assert.equal(driver.rules[ruleIndex].id, ruleId);
    assert.ok(["error", "warning", "note"].includes(level));
    assert.ok(message.text.length > 10);
    const { artifactLocation, region } = locations[0].physicalLocation;
    assert.match(artifactLocation.uri, /a%20b\.yaml$/);
    assert.ok(region.startLine >= 1 && region.startColumn >= 1);
  }
});

Deno.test("analyze: a mesh configuration, and one that is none", async () => {
  const files = {
    "mesh.yaml": "defaultProviders: {accessLogging: [x]}\n",
    "bad.yaml": "rootNamespace: [\n",
    "a.yaml":
      "apiVersion: telemetry.mesh.io/v1\nkind: Telemetry\nmetadata: {name: t}\nspec: {accessLogging: [{}]}\n",
  };
  const found = async (...args: string[]) => await analyzed(files, [...args, "DIR/a.yaml"]);
  assert.deepEqual(codesOf((await found()).out), ["MSH0157"]);
  assert.deepEqual(codesOf((await found("--meshConfigFile", "DIR/mesh.yaml")).out), []);
  const bad = await found("--meshConfigFile", "DIR/bad.yaml");
  assert.deepEqual([bad.out, bad.status], ["", 1]);
});

Deno.test("analyze: wrong use ends with status 64", async () => {
  for (
    const [args, fault] of [
      [[], /no files are named/],
      [["-S", "MSH0118", "DIR"], /is no suppression/],
      [["-S", "MSH9999=Pod *", "DIR"], /is no code/],
    ] as const
  ) {
    const { err, status } = await analyzed({}, args);
    assert.equal(status, 64, args.join(" "));
    assert.match(err, fault);
  }
});

const BOMB = `a: &a [x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]
d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]
e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]
f: [*e, *e, *e, *e, *e, *e, *e, *e, *e]
`;
const UNKNOWN = ROUTE.replace("VirtualService", "VirtualServise");

Deno.test("analyze: unreadable input ends with status 65, and does not hide the rest", async () => {
  const bad: Readonly<Record<string, Content>> = {
    bomb: BOMB,
    binary: new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0xff, 0xfe, 0, 1]),
    syntax: "a: [\n",
    unknown: UNKNOWN,
  };
  for (const [name, content] of Object.entries(bad)) {
    const files = { "bad.yaml": content, "good.yaml": SERVICE };
    const { out, err, status } = await analyzed(files, ["DIR"]);
    assert.equal(status, 65, name);
    assert.match(err, /^Error: DIR\/bad\.yaml:\d+:\d+: /, name);
    assert.deepEqual(codesOf(out), ["MSH0118"], name);
    const ignored = await analyzed(files, ["--ignore-unknown", "DIR"]);
    assert.match(
      ignored.err,
      /^Note: documents that cannot be read are left out \(1 mistake/,
      name,
    );
    assert.equal(ignored.status, 0, name);
    const alone = await analyzed({ "bad.yaml": content }, ["DIR"]);
    assert.doesNotMatch(alone.err, /No validation issues/, name);
    assert.equal(alone.status, 65, name);
    const left = await analyzed({ "bad.yaml": content }, ["--ignore-unknown", "DIR"]);
    assert.match(left.err, /^No validation issues found in what could be read when/m, name);
  }
});

Deno.test("analyze: a file of a gigabyte is refused without being read", async () => {
  const { err, status } = await analyzed({}, ["DIR"], async (dir) => {
    await using file = await Deno.open(`${dir}/big.yaml`, { create: true, write: true });
    await file.truncate(2 ** 30);
  });
  assert.equal(status, 65);
  assert.match(err, /^Error: DIR\/big\.yaml:1:1: /);
});

Deno.test("analyze: a directory that cannot be read, or is not there", async () => {
  const gone = await analyzed({}, ["DIR/gone"]);
  assert.equal(gone.status, 1);
  assert.match(gone.err, /cannot read DIR\/gone: there is no such file/);
  const loop = await analyzed({}, ["DIR/link"], (dir) => Deno.symlink("link", `${dir}/link`));
  assert.equal(loop.status, 1);
});

Deno.test("analyze: keys and names of attackers are plain data", async () => {
  const proto = SERVICE.replace("{name: a,", '{"__proto__": {name: x}, "constructor": 1, name: a,')
    .replace("name: web", '"__proto__": {appProtocol: http}, name: web');
  const escaped = SERVICE.replace("name: web", 'name: "\\e[31mweb\\r\\n\\u202e"');
  const { err, status } = await analyzed({ "a.yaml": proto }, ["DIR"]);
  assert.match(err, /^Error: DIR\/a\.yaml:3:\d+: /);
  assert.equal(status, 65);
  assert.equal(({} as { name?: string }).name, undefined);
  const text = (await analyzed({ "b.yaml": escaped }, ["DIR"])).out;
  assert.deepEqual(codesOf(text), ["MSH0118"]);
  assert.ok(isPrintable(text), text);
});

Deno.test("analyze: the list of analyzers", async () => {
  const { out, status } = await analyzed({}, ["-L"]);
  assert.match(out, /^\* annotations\.AlphaAnalyzer:\n {4}Reads /m);
  assert.match(out, /^\* webhook\.Analyzer:$/m);
  assert.equal(status, 0);
});
