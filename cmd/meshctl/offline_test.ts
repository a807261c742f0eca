import assert from "node:assert/strict";
import { isPrintable } from "../../lib/kit/base/mod.ts";
import { NO_CONFIGURED, runProgram } from "../../lib/kit/cli/mod.ts";
import { MESHCTL } from "./program.ts";

const SHOP = new URL("../../samples/incidents/shop.yaml", import.meta.url).pathname;
const POLICY = new URL("../../samples/incidents/denied/policy.yaml", import.meta.url).pathname;
const MESH = ["--config-dir", SHOP, "--config-dir", POLICY];

interface Ran {
  readonly out: string;
  readonly err: string;
  readonly status: number;
}

/** Runs meshctl; `DIR` stands for a directory with the files. */
async function meshctl(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-offline-" });
  try {
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${dir}/${name}`, text);
    }
    let [out, err] = ["", ""];
    const io = {
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
    };
    const argv = args.map((one) => one.replace("DIR", dir));
    const signal = new AbortController().signal;
    const status = await runProgram(MESHCTL, argv, { io, signal, configured: NO_CONFIGURED });
    return { out: out.replaceAll(dir, "DIR"), err: err.replaceAll(dir, "DIR"), status };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

const ASK = ["explain", "request", ...MESH];

Deno.test("explain request: verdicts, with the objects behind them", async () => {
  const denied = await meshctl([...ASK, "--from", "front.web", "--to", "items.example/x"]);
  assert.equal(denied.status, 1);
  assert.match(denied.out, /^DENIED by AuthorizationPolicy\/shop\/readers: 403/m);
  const client = "web/app=x,service-account=frontend";
  const allowed = await meshctl([...ASK, "--from", client, "--to", "items.example/x"]);
  assert.equal(allowed.status, 0);
  assert.match(allowed.out, /^ALLOWED to items\.example:80: HTTP to 172\.16\.0\.\d:80/m);
  const post = [...ASK, "--from", client, "--to", "items.example/x", "--method", "POST"];
  assert.equal((await meshctl(post)).status, 1);
  const json = JSON.parse((await meshctl([...post, "-o", "json"])).out);
  assert.deepEqual([json.verdict.outcome, json.verdict.by], [
    "denied",
    ["AuthorizationPolicy/shop/readers"],
  ]);
  // Two endpoints with different labels are asked both.
  assert.deepEqual(json.hops.map((hop: { proxy: string }) => hop.proxy).slice(1), [
    "items-v1.shop",
    "items-v2.shop",
  ]);
});

Deno.test("explain request: the route of the Gateway API that refuses", async () => {
  const route = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: items, namespace: shop}
spec:
  parentRefs: [{group: networking.mesh.io, kind: ServiceEntry, name: items}]
  rules:
  - {matches: [{path: {value: /absent}}], backendRefs: [{name: absent, port: 80}]}
  - backendRefs: [{group: networking.mesh.io, kind: Hostname, name: items.example, port: 80}]
`;
  const ask = ["explain", "request", "--config-dir", SHOP, "--config-dir", "DIR"];
  const { out, status } = await meshctl(
    [...ask, "--from", "front.web", "--to", "items.example/absent"],
    { "route.yaml": route },
  );
  assert.equal(status, 1);
  assert.match(
    out,
    /^ {3}by HTTPRoute\/shop\/items spec\.rules\[0\]\.matches\[0\] \(DIR\/route\.yaml:1\)$/m,
  );
  assert.match(out, /^DENIED by HTTPRoute\/shop\/items: 500/m);
});

Deno.test("explain request: questions and meshes with mistakes", async () => {
  const mistakes: readonly (readonly [string[], number, RegExp])[] = [
    [[...ASK, "--from", "fromt.web", "--to", "items.example"], 2, /Did you mean front\.web\?/],
    [[...ASK, "--from", "front.web"], 64, /--to/],
    [[...ASK, "--from", "front.web", "--to", "ftp://a/"], 2, /scheme ftp/],
    [[...ASK, "--from", "front.web", "--to", "a/", "--token", "{"], 64, /no JSON object/],
    [["explain", "request", "--from", "a.b", "--to", "c"], 64, /--config-dir/],
    [[...ASK, "--from", "front.web", "--to", "a/", "--jwks", "/nosuch"], 2, /cannot read \/nosuch/],
    [["diff", ...MESH, "--daemon", "x:1", "--remove", "A/b/c"], 64, /exclude each other/],
    [["diff", "--daemon", ",", "--remove", "A/b/c"], 64, /names no address/],
    [["explain", "requst", "--from", "a.b"], 64, /unknown command "requst" for "meshctl explain"/],
    [["explain", "request", "--form", "a.b"], 64, /unknown flag: --form\nDid you mean --from\?/],
    [["rehearse"], 64, /no mesh is named\nGive --config-dir/],
    [["diff", "--remove", "A/b/c"], 64, /no mesh is named\nGive --config-dir/],
    [["history"], 1, /no daemon is named/],
    [["history", "--limit", "-3"], 64, /--limit must be at least 1/],
    [["history", "--daemon", "a:1", "--xds-address", "b:2"], 64, /exclude each other/],
    [["history", "--proxy", "a.b"], 64, /--proxy needs --since and --until/],
    [
      ["diff", ...MESH, "-f", "/nosuch"],
      1,
      /^Error: cannot read \/nosuch: there is no such file or directory\n/,
    ],
    [["x", "wait", "vz", "a"], 64, /is no kind of the mesh/],
    [[...ASK, "--daemon", "x:1", "--from", "a.b", "--to", "c"], 64, /exclude/],
    [
      ["explain", "request", "--daemon", "127.0.0.1:1", "--from", "a.b", "--to", "c"],
      2,
      /cannot ask the daemon at http:\/\/127\.0\.0\.1:1: /,
    ],
    [["explain", "request", "--config-dir", "DIR", "--from", "a.b", "--to", "c"], 65, /no object/],
  ];
  for (const [args, wanted, fault] of mistakes) {
    const { err, status } = await meshctl(args);
    assert.match(err, fault);
    assert.equal(status, wanted, args.join(" "));
  }
});

Deno.test("explain proxy and resource: the objects behind resources", async () => {
  const name = "outbound|80|v1|items.example";
  const all = await meshctl(["explain", "proxy", "front.web", ...MESH]);
  assert.ok(all.out.includes(`Cluster ${name}\n    DestinationRule/shop/items`), all.out);
  const one = await meshctl(["explain", "resource", "front.web", "cds", name, ...MESH]);
  assert.match(
    one.out,
    /^Cluster outbound.*\n {4}DestinationRule\/shop\/items \(.*shop\.yaml:\d+\)/,
  );
  const gone = await meshctl(["explain", "resource", "front.web", "cds", `${name}x`, ...MESH]);
  assert.equal(gone.status, 1);
  assert.ok(gone.err.includes(`Did you mean ${name}?`), gone.err);
  const type = await meshctl(["explain", "resource", "front.web", "xds", name, ...MESH]);
  assert.match(type.err, /no resource type xds/);
});

const TESTS = `tests:
- name: the front has the wrong account
  from: front.web
  to: http://items.example/items
  expect: {outcome: denied, status: 403, by: AuthorizationPolicy/shop/readers}
- name: <a> & "b"
  from: front.web
  to: http://items.example/items
  expect: allowed
`;

Deno.test("test: passes and failures, as text and as JUnit", async () => {
  const args = ["test", ...MESH, "-f", "DIR/t.yaml"];
  const text = await meshctl(args, { "t.yaml": TESTS });
  assert.equal(text.status, 1);
  assert.match(text.out, /^ok {3}the front has the wrong account\nFAIL <a> & "b"\n {5}allowed exp/);
  assert.match(text.out, /1 passed, 1 failed\n$/);
  const { out } = await meshctl([...args, "-o", "junit"], { "t.yaml": TESTS });
  assert.match(out, /<testsuite name="DIR\/t\.yaml" tests="2" failures="1" errors="0">/);
  assert.match(
    out,
    /name="&lt;a&gt; &amp; &quot;b&quot;">\n {6}<failure message="allowed expected/,
  );
  const good = await meshctl(args, {
    "t.yaml": TESTS.replace("expect: allowed", "expect: denied"),
  });
  assert.equal(good.status, 0);
});

Deno.test("test: files that are no tests end with status 65", async () => {
  const broken: readonly (readonly [string, RegExp])[] = [
    ["a: [", /t\.yaml:\d/],
    ["a: b", /no list "tests"/],
    ["tests: [x]", /no map/],
    ["tests: [{from: a.b, to: http://c, expcet: allowed}]", /unknown field "expcet"/],
    ["tests: [{from: a.b, to: http://c, expect: fine}]", /"fine" is none of/],
    ["tests: [{from: a.b, to: c, expect: allowed}]", /is no URL/],
    ["tests: [{from: a.b, to: http://c, expect: {}}]", /no field/],
    ["tests: []", /no tests/],
  ];
  for (const [text, fault] of broken) {
    const { err, status } = await meshctl(["test", ...MESH, "-f", "DIR/t.yaml"], {
      "t.yaml": text,
    });
    assert.match(err, fault);
    assert.equal(status, 65, text);
  }
});

const CHANGE = `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: items, namespace: shop}
spec: {hosts: [items.example], http: [{route: [{destination: {host: items.example, subset: v2}}]}]}
`;

Deno.test("diff: routes that move, thresholds and forms", async () => {
  const args = ["diff", "--config-dir", SHOP, "-f", "DIR/c.yaml"];
  const files = { "c.yaml": CHANGE };
  const text = await meshctl(args, files);
  assert.equal(text.status, 0);
  assert.match(text.out, /^moved: front\.web http:\/\/items\.example:80\/$/m);
  assert.match(text.out, /after: {2}ALLOWED to items\.example:80 subset v2/);
  assert.match(text.out, /VirtualService\/shop\/items added/);
  for (const [failOn, status] of [["moved", 79], ["proxies", 79], ["denied", 0]] as const) {
    assert.equal((await meshctl([...args, "--fail-on", failOn], files)).status, status, failOn);
  }
  const markdown = await meshctl([...args, "-o", "markdown"], files);
  assert.match(markdown.out, /^## Blast radius\n/);
  assert.match(markdown.out, /^\| moved \| front\.web \| /m);
  const json = JSON.parse((await meshctl([...args, "-o", "json"], files)).out);
  assert.ok(json.requests.changes.every((one: { change: string }) => one.change === "moved"));
  assert.ok(json.prediction.proxies.concerned >= 1);
});

Deno.test("diff: an unchanged object, a removal, and changes that are invalid", async () => {
  const shop = await Deno.readTextFile(SHOP);
  const same = await meshctl(
    ["diff", "--config-dir", SHOP, "-f", "DIR/c.yaml", "--fail-on", "proxies"],
    { "c.yaml": shop },
  );
  assert.equal(same.status, 0, same.out);
  const removal = ["diff", ...MESH, "--remove", "AuthorizationPolicy/shop/readers"];
  const removed = await meshctl([...removal, "--fail-on", "allowed"]);
  assert.match(removed.out, /^newly allowed: front\.web /m);
  assert.equal(removed.status, 79);
  const bad = await meshctl(["diff", ...MESH, "-f", "DIR/c.yaml"], {
    "c.yaml": CHANGE.replace("hosts:", "hots:"),
  });
  assert.deepEqual([bad.out, bad.status], ["", 65]);
  const none = await meshctl(["diff", ...MESH]);
  assert.equal(none.status, 64);
  const gone = await meshctl(["diff", ...MESH, "--remove", "VirtualService/shop/x"]);
  assert.deepEqual([gone.out, gone.status], ["", 65]);
});

const BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" +
  "bcdefghij".split("").map((name, at) => {
    const before = `*${"abcdefghij"[at]}`;
    return `${name}: &${name} [${Array(9).fill(before).join(", ")}]\n`;
  }).join("");

/** Contents that are no configuration, with a part of the error. */
const HOSTILE: readonly (readonly [name: string, content: string, fault: RegExp])[] = [
  ["aliases that multiply", BOMB, /alias|too many|limit|recording/i],
  ["no text", "\u0000\u0001\u0002PK", /control|not|no /i],
  ["a prototype", "__proto__: {tests: [], kind: VirtualService}\n", /./],
  ["nesting", "[".repeat(100_000), /./],
];

for (const [name, content, fault] of HOSTILE) {
  Deno.test(`diff, test, explain and analyze, hostile: ${name}`, async () => {
    const file = { "x.yaml": content };
    const front = ["--from", "front.web", "--to", "items.example/x"];
    const cases = [
      ["diff", ...MESH, "-f", "DIR/x.yaml"],
      ["test", ...MESH, "-f", "DIR/x.yaml"],
      ["explain", "request", "--config-dir", "DIR/x.yaml", ...front],
      ["history", "--log", "DIR/x.yaml", ...front],
      ["analyze", "--use-kube=false", "DIR/x.yaml"],
      ["pc", "cluster", "-f", "DIR/x.yaml"],
    ];
    for (const args of cases) {
      const { out, err, status } = await meshctl(args, file);
      assert.match(err, fault, args.join(" "));
      assert.ok(isPrintable(out + err));
      assert.ok(status === 65 || status === 1, `${args.join(" ")}: ${status} ${out}${err}`);
      assert.equal(({} as { tests?: unknown }).tests, undefined);
    }
  });
}

Deno.test("a file of a gigabyte and a missing file are refused", async () => {
  const dir = await Deno.makeTempDir({ prefix: "mesh-offline-" });
  try {
    // A hole: it has the size and takes no room.
    await Deno.writeTextFile(`${dir}/big.yaml`, "");
    await Deno.truncate(`${dir}/big.yaml`, 1 << 30);
    const front = ["--from", "front.web", "--to", "items.example/x"];
    const commands = (path: string) => [
      ["diff", ...MESH, "-f", path],
      ["test", ...MESH, "-f", path],
      ["explain", "request", "--config-dir", path, ...front],
      ["analyze", "--use-kube=false", path],
      ["pc", "cluster", "-f", path],
    ];
    for (const args of commands(`${dir}/big.yaml`)) {
      const { out, err, status } = await meshctl(args);
      assert.match(err, /limit|more than|too large/, args.join(" "));
      assert.deepEqual([out, status === 65 || status === 1], ["", true], args.join(" "));
    }
    for (const args of commands(`${dir}/none`)) {
      const { out, err, status } = await meshctl(args);
      assert.match(err, /none:.* there is no such file/, args.join(" "));
      assert.deepEqual([out, status === 65 || status === 1], ["", true], args.join(" "));
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

const MANIFESTS = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{name: http, port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: front, namespace: shop}
spec:
  template:
    metadata: {labels: {app: front}}
    spec: {serviceAccountName: front, containers: [{name: front, image: front}]}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: front, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  rules: [{from: [{source: {principals: ["cluster.local/ns/shop/sa/front"]}}]}]
`;

Deno.test("explain request, diff: manifests of workloads", async () => {
  const files = {
    "shop.yaml": MANIFESTS,
    "change.yaml": MANIFESTS.split("---\n")[3]!.replace("serviceAccountName: front, ", ""),
  };
  const asked = ["explain", "request", "--config-dir", "DIR/shop.yaml", "--to", "http://web.shop/"];
  const allowed = await meshctl([...asked, "--from", "front.shop"], files);
  assert.match(allowed.out, /^ALLOWED to web\.shop\.svc\.cluster\.local:80/m);
  assert.match(allowed.out, /by Service\/shop\/web .*\(DIR\/shop\.yaml:5\)/);
  assert.equal(allowed.err, "");
  const change = ["diff", "--config-dir", "DIR/shop.yaml", "-f", "DIR/change.yaml"];
  const { out, status } = await meshctl([...change, "--fail-on", "denied"], files);
  assert.equal(status, 79);
  assert.match(out, /^newly denied: front\.shop http:\/\/web\.shop\.svc\.cluster\.local:80\//m);
  assert.match(out, /^ {2}Pod\/shop\/front changed$/m);
  assert.doesNotMatch(out, /is ignored/);
});
