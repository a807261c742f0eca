import assert from "node:assert/strict";
import { isPrintable } from "../../kit/base/mod.ts";
import type { Io } from "../../kit/cli/mod.ts";
import { analyze } from "./analyze.ts";
import { validate, type ValidateOptions } from "./validate.ts";

/** A WorkloadEntry on six lines. */
const entry = (name: string, address = "1.2.3.4") =>
  `apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata:
  name: ${name}
spec:
  address: ${address}
`;

interface Ran {
  readonly out: string;
  readonly err: string;
  readonly status: number;
}

/** Writes files into a directory of their own, checks what is named below it, and removes it. */
async function checked(
  files: Readonly<Record<string, string | Uint8Array>>,
  names: readonly string[],
  options: Partial<ValidateOptions> = {},
): Promise<Ran> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-validate-" });
  try {
    for (const [name, content] of Object.entries(files)) {
      const path = `${dir}/${name}`;
      await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      await Deno.writeFile(
        path,
        typeof content === "string" ? new TextEncoder().encode(content) : content,
      );
    }
    let out = "";
    let err = "";
    const io = {
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
    };
    const status = await validate({
      files: names.map((name) => `${dir}/${name}`),
      namespace: "",
      meshNamespace: "mesh-system",
      ...options,
    }, io);
    const shown = (text: string) => text.replaceAll(`${dir}/`, "");
    return { out: shown(out), err: shown(err), status };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("validate: each good file is said to be valid", async () => {
  const { out, err, status } = await checked(
    { "a.yaml": entry("a"), "b.json": '{"apiVersion": "v1", "kind": "ConfigMap"}' },
    ["a.yaml", "b.json"],
  );
  assert.deepEqual([out, err, status], ['"a.yaml" is valid\n"b.json" is valid\n', "", 0]);
});

Deno.test("validate: a directory stands for the configuration files below it", async () => {
  const { out, status } = await checked(
    { "d/a.yaml": entry("a"), "d/e/b.yml": entry("b"), "d/readme.md": "# x", "d/.c.yaml": "[" },
    ["d/"],
  );
  assert.deepEqual([out, status], ['"d/a.yaml" is valid\n"d/e/b.yml" is valid\n', 0]);
  const nothing = await checked({ "d/readme.md": "# x" }, ["d"]);
  assert.match(nothing.err, /^Warning: there is no \.yaml, \.yml or \.json file/);
  assert.equal(nothing.status, 0);
});

Deno.test("validate: all errors of all files are reported together, with object, path and position", async () => {
  const { out, err, status } = await checked({
    "a.yaml": `${entry("a", "x_y")}---\n${entry("b").replace("address", "adress")}`,
    "b.yaml": entry("c"),
    "c.yaml": "a: [\n",
  }, ["a.yaml", "b.yaml", "c.yaml", "nosuch.yaml"]);
  assert.deepEqual([out, status], ["", 1]);
  const [head, ...rows] = err.split("\n");
  assert.equal(head, "Error: 4 errors occurred:");
  const wanted = [
    /^\t\* WorkloadEntry\/default\/a: spec\.address: "x_y" is neither .* \(a\.yaml:6:12\)\. Write/,
    /^\t\* WorkloadEntry\/default\/b: spec\.adress: unknown field "adress" \(a\.yaml:13:3\)\. Did you mean "address"\?$/,
    /^\t\* .* \(c\.yaml:\d+:\d+\)\. /,
    /^\t\* nosuch\.yaml: there is no such file or directory\. Name a file /,
    /^$/,
    /^$/,
  ];
  assert.equal(rows.length, wanted.length, err);
  wanted.forEach((pattern, at) => assert.match(rows[at] ?? "", pattern));
});

Deno.test("validate: one error is one error, and no file at all is a mistake", async () => {
  const { err, status } = await checked({ "a.yaml": entry("a", "x_y") }, ["a.yaml"]);
  assert.match(err, /^Error: 1 error occurred:\n\t\* /);
  assert.equal(status, 1);
  await assert.rejects(checked({}, []), /you must specify resources by --filename/);
});

Deno.test("validate: warnings go to standard error and fail nothing", async () => {
  const group = entry("a").replace("WorkloadEntry", "WorkloadGroup")
    .replace("address: 1.2.3.4", "template: {address: 1.2.3.4}");
  const { out, err, status } = await checked({ "a.yaml": group }, ["a.yaml"]);
  assert.match(
    err,
    /^Warning: WorkloadGroup\/default\/a: spec\.template\.address: field "address" is not implemented/,
  );
  assert.deepEqual([out, status], ['"a.yaml" is valid\n', 0]);
});

const SERVICE =
  "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{name: http, port: 80}]}\n";
const routes = (host: string) =>
  entry("r").replace("WorkloadEntry", "VirtualService").replace(
    "address: 1.2.3.4",
    `hosts: [r.test]\n  http: [{route: [{destination: {host: ${host}}}]}]`,
  );

Deno.test("validate: an object is defined once in a set of files", async () => {
  const { err, status } = await checked(
    { "a.yaml": entry("a"), "b.yaml": entry("a"), "c.yaml": entry("c") },
    ["a.yaml", "b.yaml", "c.yaml"],
  );
  assert.equal(status, 1);
  assert.match(
    err,
    /^Error: 1 error occurred:\n\t\* WorkloadEntry\/default\/a: .* \(b\.yaml:1:1\)/,
  );
  assert.match(err, /already defined at \S*a\.yaml:1 /);
});

Deno.test("validate: a kind of the mesh under the API group of others is an error", async () => {
  const other = routes("a.test").replace("networking.mesh.io/v1", "networking.other.io/v1");
  const { err, status } = await checked({ "a.yaml": other }, ["a.yaml"]);
  assert.equal(status, 1);
  assert.match(err, /kind not known: VirtualService of networking\.other\.io\/v1 \(a\.yaml:2:7\)/);
});

Deno.test("validate: a reference to nothing is a warning, with file and line", async () => {
  const files = { "a.yaml": routes("nobody.test"), "s.yaml": SERVICE };
  const { out, err, status } = await checked(files, ["a.yaml", "s.yaml"]);
  assert.match(
    err,
    /^Warning: VirtualService\/default\/r: spec\.http\[0\].*: The host .* "nobody\.test" \(a\.yaml:7:40\)\. .*\[MSH0101\]\n$/,
  );
  assert.deepEqual([out, status], ['"a.yaml" is valid\n"s.yaml" is valid\n', 0]);
  const alone = await checked({ "a.yaml": routes("nobody.test") }, ["a.yaml"]);
  assert.match(alone.err, /^Note: not checked: hosts and ports of services, because no service/);
});

Deno.test("validate: -o json has every finding with file and line", async () => {
  const files = {
    "a.yaml": routes("nobody.test"),
    "b.yaml": entry("b", "x_y"),
    "s.yaml": SERVICE,
  };
  const names = Object.keys(files);
  const { out, err, status } = await checked(files, names, { output: "json" });
  assert.deepEqual([err, status], ["", 1]);
  const found = JSON.parse(out) as Record<string, unknown>[];
  assert.deepEqual(
    found.map(({ code, level, reference, rejected }) => [code, level, reference, rejected]),
    [
      ["MSH0106", "Error", "b.yaml:6", true],
      ["MSH0101", "Error", "a.yaml:7", false],
    ],
  );
});

Deno.test("validate: --namespace is that of objects that name none", async () => {
  const { err } = await checked({ "a.yaml": entry("a", "x_y") }, ["a.yaml"], { namespace: "n" });
  assert.match(err, /\* WorkloadEntry\/n\/a: /);
});

Deno.test("validate: standard input is read where - stands", async () => {
  const run = async (input: string): Promise<Ran> => {
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "-q",
        new URL("../../../cmd/meshctl/main.ts", import.meta.url).pathname,
        "v",
        "-f",
        "-",
      ],
      env: { NO_COLOR: "1" },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
    const { stdout, stderr, code } = await child.output();
    const text = new TextDecoder();
    return { out: text.decode(stdout), err: text.decode(stderr), status: code };
  };
  assert.deepEqual(await run(entry("a")), { out: '"-" is valid\n', err: "", status: 0 });
  const bad = await run(entry("a", "x_y"));
  assert.match(bad.err, /\(-:6:12\)/);
  assert.equal(bad.status, 1);
});

/** Malicious files, with the expected message, which must come soon. */
const HOSTILE: readonly [name: string, content: string, said: RegExp][] = [
  [
    "aliases that multiply",
    `a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n${
      Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(10)}]`)
        .join("\n")
    }\n`,
    /alias/,
  ],
  ["a key twice", `${entry("a")}  address: 5.6.7.8\n`, /"address".*twice|duplicate|already/i],
  ["a prototype", entry("a").replace("address", "__proto__"), /__proto__/],
  ["nesting", `${"[".repeat(20_000)}\n`, /nested|deep/],
  ["a document of megabytes", `a: ${"x".repeat(3_000_000)}\n`, /characters, more than/],
  ["no text", "a: \u0000\n", /./],
];

for (const [name, content, said] of HOSTILE) {
  Deno.test(`validate, hostile: ${name} is refused, and soon`, async () => {
    const start = performance.now();
    const { out, err, status } = await checked({ "a.yaml": content }, ["a.yaml"]);
    assert.deepEqual([out, status], ["", 1], err);
    assert.match(err, said);
    assert.ok(performance.now() - start < 15_000);
    assert.equal(({} as { address?: string }).address, undefined);
  });
}

Deno.test("validate, hostile: a file of a gigabyte is refused without being read", async () => {
  const dir = await Deno.makeTempDir({ prefix: "mesh-validate-" });
  try {
    // A hole: it has the size and takes no room.
    await Deno.writeTextFile(`${dir}/big.yaml`, "");
    await Deno.truncate(`${dir}/big.yaml`, 1 << 30);
    let err = "";
    const io = { out: () => {}, err: (text: string) => void (err += text) };
    const before = Deno.memoryUsage().rss;
    const options = { files: [dir], namespace: "", meshNamespace: "" };
    assert.equal(await validate(options, io), 1);
    assert.match(err, /big\.yaml: the file has 1073741824 bytes or more, the limit is \d+/);
    assert.ok(Deno.memoryUsage().rss - before < 200_000_000);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("validate, hostile: names cannot steer the terminal or forge lines", async () => {
  const escape = "\u001b[2J\u001b]0;x\u0007";
  const { err, out } = await checked({
    "a.yaml": entry(JSON.stringify(`x${escape}\nError: forged`)),
    [`${escape}.yaml`]: entry("b"),
  }, ["a.yaml", `${escape}.yaml`]);
  assert.ok(isPrintable(err + out), err + out);
  assert.doesNotMatch(err, /^Error: forged/m);
  const good = await checked({ [`${escape}.yaml`]: entry("b") }, [`${escape}.yaml`]);
  assert.match(good.out, /^"\\u\{1b\}\[2J\\u\{1b\}\]0;x\\u\{7\}\.yaml" is valid\n$/);
});

Deno.test("validate, hostile: bytes that are no UTF-8 are refused", async () => {
  const { err, status } = await checked({ "a.yaml": new Uint8Array([97, 58, 32, 255]) }, [
    "a.yaml",
  ]);
  assert.match(err, /a\.yaml: .*UTF-8/);
  assert.equal(status, 1);
});

/** Files with mistakes of all sorts. */
const MISTAKEN: Readonly<Record<string, string>> = {
  "pods.yaml": `apiVersion: v1
kind: Pod
metadata: { name: web, namespace: shop, labels: { app: web }, annotations: { mesh.io/typo: "1" } }
spec: { containers: [{ name: mesh-proxy, image: p }] }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { selector: { app: web }, ports: [{ name: web, port: 80 }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec: { template: { metadata: { labels: { app: web } } } }
`,
  "rules.yaml": `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: { name: strict, namespace: shop }
spec: { mtls: { mode: STRICT } }
---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: { name: web, namespace: shop }
spec: { host: web, trafficPolicy: { tls: { mode: DISABLE } } }
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: { name: gone, namespace: far }
spec: { hosts: [gone], http: [{ route: [{ destination: { host: gone } }] }] }
---
apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: { name: old, namespace: shop }
spec: {}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: { name: bad, namespace: shop }
spec: { servers: [{ hosts: ["*"], port: { number: 443, name: a, protocol: TLSS } }] }
`,
  "broken.yaml": "a: [\n",
};

Deno.test("validate and analyze: the messages about files are the same", async () => {
  const dir = await Deno.makeTempDir({ prefix: "mesh-validate-" });
  try {
    for (const [name, text] of Object.entries(MISTAKEN)) {
      await Deno.writeTextFile(`${dir}/${name}`, text);
    }
    const files = Object.keys(MISTAKEN).map((name) => `${dir}/${name}`);
    const listed = async (run: (io: Io) => Promise<number>): Promise<[string[], number]> => {
      let out = "";
      const status = await run({ out: (text) => void (out += text), err: () => {} });
      const messages = JSON.parse(out) as Record<string, unknown>[];
      return [
        messages.map(({ code, origin, line, message }) => `${code} ${origin} ${line} ${message}`)
          .sort(),
        status,
      ];
    };
    const [validated, status] = await listed((io) =>
      validate({ files, namespace: "", meshNamespace: "mesh-system", output: "json" }, io)
    );
    const [analyzed, findings] = await listed((io) =>
      analyze({
        ...{ files, recursive: false, namespace: "", allNamespaces: false },
        ...{ meshNamespace: "mesh-system", meshConfigFile: "", suppress: [] },
        ...{ failureThreshold: "Error", outputThreshold: "Info", output: "json" },
        ...{ ignoreUnknown: false, color: false, verbose: false },
      }, io)
    );
    assert.deepEqual([status, findings], [1, 79]);
    // The default gateway, which only `analyze` takes to exist, has the port 443.
    const lacking = validated.filter((text) => text.startsWith("MSH0162 Gateway shop/bad "));
    assert.equal(lacking.length, 1);
    assert.deepEqual(analyzed, validated.filter((text) => !lacking.includes(text)));
    const codes = [...new Set(validated.map((text) => text.split(" ", 1)[0]))];
    assert.deepEqual(codes, [
      "MSH0101",
      "MSH0106",
      "MSH0108",
      "MSH0118",
      "MSH0133",
      "MSH0162",
      "MSH1001",
    ]);
    assert.ok(validated.some((text) => text.includes("renamed: networking.mesh.io")));
    assert.ok(validated.some((text) => text.startsWith("MSH0106  ")), validated.join("\n"));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
