/**
 * Explained requests where the proxies on the way are connected to different replicas of the daemon,
 * and the objects that are named for a refusal.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import { NO_CONFIGURED, runProgram } from "../../lib/kit/cli/mod.ts";
import { eventually, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { connectJudging } from "../support/judging_client.ts";
import { documents, manifest } from "../support/manifest.ts";
import { runInProcess } from "../support/program_run.ts";

const secured = (kind: string, name: string, spec: Readonly<Record<string, unknown>>): string =>
  manifest(kind, name, spec).replace("networking.mesh.io", "security.mesh.io");

const ITEMS = documents(
  manifest("ServiceEntry", "items", {
    hosts: ["items.test"],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    addresses: ["10.9.0.1"],
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    workloadSelector: { labels: { app: "items" } },
  }),
  manifest("WorkloadEntry", "items", {
    address: "10.0.0.7",
    labels: { app: "items" },
    serviceAccount: "items",
  }),
  secured("PeerAuthentication", "strict", { mtls: { mode: "STRICT" } }),
  secured("AuthorizationPolicy", "readers", {
    rules: [{ to: [{ operation: { paths: ["/items/*"] } }] }],
  }),
);
const DISABLED = manifest("DestinationRule", "items", {
  host: "items.test",
  trafficPolicy: { tls: { mode: "DISABLE" } },
});
const LOGS = manifest("Telemetry", "logs", { accessLogging: [{ providers: [{ name: "envoy" }] }] })
  .replace("networking.mesh.io", "telemetry.mesh.io");

/** Files of certificates, as agents announce them. */
const CERTIFIED = Object.fromEntries(
  ["SERVER", "CLIENT"].flatMap((side) =>
    [["CERT_CHAIN", "cert"], ["KEY", "key"], ["ROOT_CERT", "ca"]].map((
      [name, file],
    ) => [`TLS_${side}_${name}`, `/${file}`])
  ),
);
const FRONT = { name: "front", ip: "10.0.0.9", metadata: CERTIFIED };
const SERVER = {
  name: "items",
  ip: "10.0.0.7",
  labels: { app: "items" },
  metadata: { ...CERTIFIED, SERVICE_ACCOUNT: "items" },
};

/** Runs `meshctl incident`. */
async function incident(daemons: readonly string[], evidence: string, ...flags: string[]) {
  const args = ["incident", evidence, "--daemon", daemons.join(","), ...flags];
  const [out, err, status] = await runInProcess(MESHCTL, args);
  return { out: `${out}${err}`, status };
}

async function ask(daemons: readonly string[], path: string, ...flags: string[]) {
  let out = "";
  const args = ["explain", "request", "--daemon", daemons.join(","), "--from", "front.test"];
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (out += text),
  };
  const signal = new AbortController().signal;
  const argv = [...args, "--to", `items.test${path}`, ...flags];
  const status = await runProgram(MESHCTL, argv, { io, signal, configured: NO_CONFIGURED });
  return { last: out.trimEnd().split("\n").at(-1)!, out, status };
}

Deno.test("explained requests: proxies of other replicas are asked, else the verdict is unknown", async () => {
  await using config = await makeConfigDir();
  await config.write("a.yaml", ITEMS);
  await using first = await startDaemon({ configDir: config.path });
  await using second = await startDaemon({ configDir: config.path });
  await using front = connectJudging(first.xds, FRONT);
  const holds = (name: string) => () => Promise.resolve(front.held.has(name));
  await eventually("clusters of the client", holds("outbound|80||items.test"));

  // Until the proxy has accepted everything, that is among the reasons.
  await eventually(
    "the client to be in sync",
    async () => (await ask([first.http], "/items/7")).last.startsWith("UNKNOWN: the sidecar"),
  );
  const alone = await ask([first.http], "/items/7");
  assert.match(
    alone.last,
    /^UNKNOWN: the sidecar of 10\.0\.0\.7:80 is not connected here\. Ask all/,
  );
  assert.equal(alone.status, 2);
  const nowhere = await ask([first.http, second.http], "/items/7");
  assert.match(nowhere.last, /^UNKNOWN: .*not connected to any of the 2 daemons/);
  assert.equal(nowhere.status, 2);

  await using items = connectJudging(second.xds, SERVER);
  await eventually("clusters of the server", () => Promise.resolve(items.held.has("inbound|80||")));
  await eventually("an answer", async () => {
    const { status } = await ask([first.http, second.http], "/items/7");
    return status === 0;
  });
  const allowed = await ask([first.http, second.http], "/items/7");
  assert.match(allowed.last, /^ALLOWED to items\.test:80: HTTP to 10\.0\.0\.7:80/);
  const denied = await ask([first.http, second.http], "/other");
  assert.match(denied.last, /^DENIED by AuthorizationPolicy\/test\/readers: 403/);
  assert.equal(denied.status, 1);
  assert.equal((await ask([first.http], "/other")).status, 2);
  const away = await ask([first.http, "127.0.0.1:1"], "/other");
  assert.match(away.out, /UNKNOWN: .*a daemon was not asked for its proxies/);
  assert.equal(away.status, 2);

  // An incident is answered by the replica of its first proxy, with the proxies of the others.
  const both = [first.http, second.http];
  const toOther = "curl http://items.test/other";
  const cause = await incident(both, toOther, "--from", "front.test");
  assert.match(cause.out, /^now +DENIED by AuthorizationPolicy\/test\/readers: 403/m);
  assert.equal(cause.status, 1);
  const halved = await incident([first.http], toOther, "--from", "front.test");
  assert.match(halved.out, /^now +UNKNOWN: the sidecar of 10\.0\.0\.7:80 is not connected here/m);
  assert.match(halved.out, /^ +whether a proxy at 10\.0\.0\.7:80 is connected to another daemon/m);
  assert.equal(halved.status, 2);
  const dead = await incident([first.http, "127.0.0.1:1"], toOther, "--from", "front.test");
  assert.match(dead.out, /UNKNOWN: .*a daemon was not asked for its proxies/);
  // The address of the client in a line of an access log is known to one replica.
  const line = JSON.stringify({
    ...{ method: "GET", path: "/other", response_code: 403, authority: "items.test:80" },
    ...{ downstream_remote_address: "10.0.0.9:4000", upstream_cluster: null },
  });
  const logged = await incident([second.http, first.http], line);
  assert.match(logged.out, /^from +front\.test [^]*^now +DENIED by/m);

  // A question that is longer than a URL may be.
  const long = await ask(
    [first.http, second.http],
    "/items/7",
    "--header",
    `x: ${"a".repeat(20_000)}`,
  );
  assert.match(long.last, /^ALLOWED/);
  const header = ["--header", `x: ${"a".repeat(100_000)}`];
  assert.match((await ask([first.http], "/items/7", ...header)).last, /^DENIED: 431 /);
  const token = await ask([first.http], "/items/7", "--token", `a.b.${"c".repeat(1 << 20)}`);
  assert.match(token.out, /^Error: the request has 1\d{6} characters[^]*431/);
  assert.equal(token.status, 2);
});

Deno.test("explained requests: both sides of a conflict of modes are named, and nothing else", async () => {
  await using config = await makeConfigDir();
  await config.write("a.yaml", documents(ITEMS, DISABLED, LOGS));
  await using daemon = await startDaemon({ configDir: config.path });
  await using front = connectJudging(daemon.xds, FRONT);
  await using items = connectJudging(daemon.xds, SERVER);
  await eventually(
    "clusters of both",
    () =>
      Promise.resolve(front.held.has("outbound|80||items.test") && items.held.has("inbound|80||")),
  );
  await eventually("an answer", async () => (await ask([daemon.http], "/items/7")).status === 1);
  const { last } = await ask([daemon.http], "/items/7");
  assert.match(
    last,
    /^DENIED by DestinationRule\/test\/items, PeerAuthentication\/test\/strict: .*plain text to port 80, where TLS is accepted$/,
  );
  const page = await fetch(
    `${daemon.http}/debug/request?from=front.test&url=http://items.test/items/7`,
    { headers: { accept: "text/html" } },
  );
  const html = await page.text();
  assert.match(html, /DENIED/);
  assert.match(html, /DestinationRule\/test\/items/);
});

Deno.test("diff of a daemon: the proxies that run, of all replicas", async () => {
  await using config = await makeConfigDir();
  await config.write("a.yaml", ITEMS);
  await using first = await startDaemon({ configDir: config.path });
  await using second = await startDaemon({ configDir: config.path });
  await using front = connectJudging(first.xds, FRONT);
  await using items = connectJudging(second.xds, SERVER);
  await eventually(
    "clusters of both",
    () =>
      Promise.resolve(front.held.has("outbound|80||items.test") && items.held.has("inbound|80||")),
  );
  const change = `${config.path}/../change-${crypto.randomUUID()}.yaml`;
  const closed = ITEMS.slice(ITEMS.indexOf("AuthorizationPolicy") - 50).replace("/items/*", "/x");
  await Deno.writeTextFile(change, closed.slice(closed.indexOf("apiVersion")));
  const run = async (...args: string[]) => {
    let out = "";
    const io = {
      out: (text: string) => void (out += text),
      err: (text: string) => void (out += text),
    };
    const signal = new AbortController().signal;
    const argv = ["diff", "-f", change, ...args];
    const status = await runProgram(MESHCTL, argv, { io, signal, configured: NO_CONFIGURED });
    return { out, status };
  };
  try {
    const both = `${first.http},${second.http}`;
    await eventually(
      "both to be in sync",
      async () => (await ask([first.http, second.http], "/items/7")).status === 0,
    );
    const found = await run("--daemon", both, "--fail-on", "denied");
    assert.match(found.out, /newly denied: front\.test http:\/\/items\.test:80\/items\/x/);
    assert.match(found.out, /of 2 kinds of proxies|1 of 1 kinds of proxies/);
    assert.match(found.out, /denied before and after it: \d+ of front\.test/);
    assert.ok(!found.out.includes("note: files"));
    assert.equal(found.status, 79);
    // Requests that the client's proxy has logged are tried, too.
    const line = {
      method: "GET",
      path: "/items/logged",
      response_code: 200,
      authority: "items.test",
    };
    await Deno.writeTextFile(
      `${change}.log`,
      JSON.stringify({
        ...{ ...line, upstream_cluster: "outbound|80||items.test" },
        downstream_remote_address: "10.0.0.9:4000",
      }),
    );
    const logged = await run("--daemon", both, "--access-log", `${change}.log`);
    assert.match(logged.out, /^Of 1 requests of access logs 1 newly denied, /m);
    assert.match(
      logged.out,
      /newly denied: front\.test http:\/\/items\.test:80\/items\/logged, seen once/,
    );
    // One replica alone does not know the server's sidecar, and says so.
    const alone = await run("--daemon", first.http, "--fail-on", "denied");
    assert.match(alone.out, /not known: \d+ of front\.test/);
    assert.equal(alone.status, 0);
    await Deno.writeTextFile(change, "kind: Nothing\n");
    assert.match((await run("--daemon", both)).out, /^Error: /);
  } finally {
    await Deno.remove(change);
    await Deno.remove(`${change}.log`).catch(() => {});
  }
});
