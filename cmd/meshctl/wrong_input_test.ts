/** Hostile and broken input of commands about daemons and proxies. */
import { isPrintable } from "../../lib/kit/base/mod.ts";
import assert from "node:assert/strict";
import { type CommandSpec, runProgram } from "../../lib/kit/cli/mod.ts";
import { MESHCTL } from "./program.ts";

/** Runs the program in-process; standard output, standard error and exit status. */
async function ran(argv: readonly string[], input = ""): Promise<[string, string, number]> {
  let out = "";
  let err = "";
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    input: () => Promise.resolve(new TextEncoder().encode(input)),
  };
  const { signal } = new AbortController();
  const status = await runProgram(MESHCTL, argv, { io, signal });
  return [out, err, status];
}

const CLUSTERS = JSON.stringify({
  configs: [{
    "@type": "type.googleapis.com/envoy.admin.v3.ClustersConfigDump",
    dynamic_active_clusters: [{ cluster: { name: "outbound|80||evil\u001b[2J\nx", type: "EDS" } }],
  }],
});

Deno.test("half a config dump, other documents and bytes that are no text end with status 65", async () => {
  const cases: [input: string, err: RegExp][] = [
    [CLUSTERS.slice(0, -20), /^Error: standard input is not a config dump: the JSON is cut off/],
    ["{} trailing", /not a config dump: the JSON is cut off/],
    ["{]", /the JSON is malformed/],
    ["{}", /it has neither `configs` nor `cluster_statuses`/],
    ["[1]", /it is not an object/],
    ["", /it is not an object/],
    ["a: &a [*a]", /not a config dump/],
  ];
  for (const part of ["cluster", "listener", "route", "endpoint", "secret", "all"]) {
    for (const [input, expected] of cases) {
      const [out, err, status] = await ran(["pc", part, "-f", "-"], input);
      assert.deepEqual([out, status], ["", 65], `${part}: ${input}`);
      assert.match(err, expected);
    }
  }
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeFile(file, new Uint8Array([0xff, 0xfe, 0]));
    const [, err, status] = await ran(["pc", "cluster", "-f", file]);
    assert.equal(status, 65);
    assert.match(err, /is not text in UTF-8/);
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("wrong types within a dump give empty cells, not failures", async () => {
  const wrong = JSON.stringify({
    configs: [
      7,
      { "@type": "x.ClustersConfigDump", dynamic_active_clusters: { a: 1 }, static_clusters: [3] },
      { "@type": "x.ListenersConfigDump", dynamic_listeners: [{ active_state: "x" }] },
      {
        "@type": "x.RoutesConfigDump",
        static_route_configs: [{ route_config: { virtual_hosts: 1 } }],
      },
      {
        "@type": "x.SecretsConfigDump",
        dynamic_active_secrets: [{
          secret: { tls_certificate: { certificate_chain: { inline_bytes: "%" } } },
        }],
      },
    ],
  });
  const [out, err, status] = await ran(["pc", "all", "-f", "-"], wrong);
  assert.deepEqual([err, status], ["", 0]);
  assert.match(out, /\(not readable\)/);
});

Deno.test("names cannot control the terminal, in no form of output", async () => {
  for (const form of ["short", "json", "yaml"]) {
    const [out, , status] = await ran(["pc", "cluster", "-f", "-", "-o", form], CLUSTERS);
    assert.equal(status, 0);
    assert.ok(isPrintable(out), out);
    assert.match(out, /evil/);
  }
});

Deno.test("missing files, directories and wrong combinations of flags are refused", async () => {
  const cases: [argv: string[], status: number, err: RegExp][] = [
    [["pc", "cluster", "-f", "/nosuch"], 1, /cannot read \/nosuch: there is no such file/],
    [["pc", "cluster", "-f", "/"], 1, /cannot read \/: it is a directory/],
    [["pc", "cluster"], 64, /needs a proxy, or --file/],
    [["pc", "cluster", "a", "-f", "-"], 64, /a proxy and --file exclude each other/],
    [["ps"], 1, /no daemon is named, and no orchestrator is configured\nUse --xds-address/],
    [["ps", "--xds-address", "a:1", "--plaintext", "--cert-dir", "x"], 1, /excludes --cert-dir/],
    [["ps", "--xds-address", "a:1", "--cert-dir", "/nosuch"], 1, /cannot read \/nosuch\/.*\.pem/],
    [["admin", "log", "--level", "x:y", "--reset"], 64, /exclude each other/],
    [["x", "metrics", "web"], 64, /needs the address of a Prometheus/],
    [["x", "wait", "VirtualService"], 64, /accepts 2 arg/],
    [["x", "wait", "A", "b", "--threshold", "2"], 64, /--threshold must be/],
    [["pc", "log", "-f", "http://127.0.0.1:1"], 1, /^Error: cannot ask http:\/\/127/],
  ];
  for (const [argv, expected, pattern] of cases) {
    const [out, err, status] = await ran(argv);
    assert.deepEqual([out, status], ["", expected], `${argv.join(" ")}: ${err}`);
    assert.match(err, pattern);
  }
});

Deno.test("a server that accepts and says nothing meets the time limit, over xDS and HTTP", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const held: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) held.push(connection);
  })();
  try {
    const address = `127.0.0.1:${listener.addr.port}`;
    for (const target of [address, `http://${address}`]) {
      const argv = ["ps", "--xds-address", target, "--plaintext", "--timeout", "200ms"];
      const [out, err, status] = await ran(
        target === address ? argv : argv.filter((x) => x !== "--plaintext"),
      );
      assert.deepEqual([out, status], ["", 1]);
      assert.match(err, /did not answer within 0\.2 seconds/);
    }
  } finally {
    listener.close();
    await accepting;
    for (const connection of held) connection.close();
  }
});

Deno.test("a daemon whose answers are no JSON, errors or redirects is refused", async () => {
  const answers: [body: string, status: number, err: RegExp][] = [
    ["<html>", 200, /answered syncz without JSON/],
    ["\u001b[2Jno", 500, /answered: 500 \\u\{1b\}\[2Jno/],
    ["who", 401, /refuses the query: who/],
    ["near: b", 404, /^Error: near: b/],
  ];
  for (const [body, status, pattern] of answers) {
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response(body, { status }),
    );
    const [out, err, exit] = await ran([
      "ps",
      "--xds-address",
      `http://127.0.0.1:${server.addr.port}`,
    ]);
    assert.deepEqual([out, exit], ["", 1]);
    assert.match(err, pattern);
  }
});

Deno.test("roots of two proxies are compared", async () => {
  const dir = await Deno.makeTempDir();
  const dump = (pem: string) =>
    JSON.stringify({
      configs: [{
        "@type": "type.googleapis.com/envoy.admin.v3.SecretsConfigDump",
        dynamic_active_secrets: [{
          name: "ROOTCA",
          secret: {
            name: "ROOTCA",
            validation_context: { trusted_ca: { inline_bytes: btoa(pem) } },
          },
        }],
      }],
    });
  const root = (text: string) =>
    `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
  try {
    await Deno.writeTextFile(`${dir}/a.json`, dump(root("AAAA")));
    await Deno.writeTextFile(`${dir}/b.json`, dump(root("BBBB")));
    const compare = (a: string, b: string) =>
      ran(["pc", "rc", `${dir}/${a}.json`, `${dir}/${b}.json`]);
    const [out, , same] = await compare("a", "a");
    assert.equal(same, 0);
    assert.match(
      out,
      /have the identical ROOTCA, theoretically the connectivity between them is available\n$/,
    );
    const [none, err, differ] = await compare("a", "b");
    assert.deepEqual([none, differ], ["", 1]);
    assert.match(err, /^Error: .* have the non identical ROOTCA/);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

/** The command lines of all commands that run, with their numbers of arguments. */
function* commands(
  { commands: children = [], run, args = [], hidden, name }: CommandSpec,
  before: readonly string[] = [],
): Iterable<{ line: readonly string[]; least: number; most: number }> {
  if (hidden === true) return;
  const line = [...before, name];
  const least = args.filter(({ optional }) => optional !== true).length;
  const most = args.at(-1)?.variadic === true ? Infinity : args.length;
  if (run !== undefined) yield { line, least, most };
  for (const child of children) yield* commands(child, line);
}

Deno.test("a wrong number of arguments and an unknown flag are answered with the words to write", async () => {
  let [counted, flags] = [0, 0];
  for (const { line, least, most } of commands(MESHCTL)) {
    const [program, ...words] = line;
    const wrong = least > 0 ? [] : most < Infinity ? Array(most + 1).fill("x") : undefined;
    if (wrong !== undefined && words.length > 0) {
      const [out, err, status] = await ran([...words, ...wrong]);
      assert.deepEqual([out, status], ["", 64], line.join(" "));
      assert.match(err, new RegExp(`\nWrite: ${[program, ...words].join(" ")}( |\n)`), err);
      assert.match(err, new RegExp(`\nRun '${line.join(" ")} --help' for usage\\.`), err);
      counted++;
    }
    const [, err, status] = await ran([...words, "--no-such-flag-as-this"]);
    assert.equal(status, 64, line.join(" "));
    assert.match(err, new RegExp(`Run '${line.join(" ")} --help' for the flags`), err);
    flags++;
  }
  assert.ok(counted > 50 && flags > 60, `${counted} ${flags}`);
});

Deno.test("a command that stands below another one is named in full", async () => {
  for (
    const [word, line] of [["describe", "experimental describe"], ["wait", "experimental wait"]]
  ) {
    const [, err, status] = await ran([word!, "pod", "x"]);
    assert.equal(status, 64);
    assert.match(err, new RegExp(`Did you mean this\\?\n\tmeshctl ${line}\n`), err);
  }
});
