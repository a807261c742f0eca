import assert from "node:assert/strict";
import { join } from "node:path";
import { servePlugin } from "./server.ts";
import type { AmbientPlugin, CniPod, PluginCall, PluginDeps } from "./types.ts";

const CALL: PluginCall = {
  env: {
    CNI_COMMAND: "ADD",
    CNI_CONTAINERID: "c1",
    CNI_IFNAME: "eth0",
    CNI_NETNS: "/var/run/netns/a",
    CNI_ARGS: "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=a",
  },
  stdin: JSON.stringify({ cniVersion: "1.0.0", name: "net", type: "mesh-cni" }),
};

/** A pod without sidecar: no rules are set, so that only sockets and reading are tested. */
const PLAIN: CniPod = { metadata: { name: "a", namespace: "shop" } };

/** Listeners in a folder of their own, with a client of the socket of calls. */
async function listen(
  read: PluginDeps["pods"]["read"],
  { attempts = 1, ambient }: { readonly attempts?: number; readonly ambient?: AmbientPlugin } = {},
) {
  const dir = await Deno.makeTempDir({ prefix: "mesh-cni-" });
  const stop = new AbortController();
  const socketPath = join(dir, "pluginevent.sock");
  const server = await servePlugin({
    socketPath,
    logSocketPath: join(dir, "log.sock"),
    signal: stop.signal,
    pods: { read },
    paths: { map: (path) => path, check: () => Promise.resolve() },
    runnerFor: () => assert.fail("no program is run for a pod without sidecar"),
    excludeNamespaces: new Set(),
    nameservers: {},
    retry: { attempts, pauseMs: 60_000 },
    ...ambient && { ambient },
  });
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: socketPath } });
  return {
    socketPath,
    post: (body: string, init: RequestInit & { path?: string } = {}) =>
      fetch(`http://agent${init.path ?? "/cni"}`, { method: "POST", client, body, ...init }),
    [Symbol.asyncDispose]: async () => {
      client.close();
      stop.abort();
      await server.finished;
      await assert.rejects(Deno.stat(socketPath), Deno.errors.NotFound);
      await Deno.remove(dir, { recursive: true });
    },
  };
}

const call = (stdin = CALL.stdin) => JSON.stringify({ ...CALL, stdin });

Deno.test("the socket of calls: other requests are refused, and the next call is answered", async () => {
  await using server = await listen(() => Promise.resolve(PLAIN));
  const refused: [status: number, body: string, init?: RequestInit & { path?: string }][] = [
    [400, "{"],
    [400, "[]"],
    [400, JSON.stringify({ env: { a: 1 }, stdin: "" })],
    [400, JSON.stringify({ env: {}, stdin: "x".repeat(9 << 20) })],
    [404, call(), { path: "/other" }],
    [405, call(), { method: "PUT" }],
  ];
  for (const [status, body, init] of refused) {
    const response = await server.post(body, init);
    assert.equal(response.status, status, body.slice(0, 50));
    await response.body?.cancel();
  }
  const answer = await (await server.post(call())).json();
  assert.deepEqual(answer, { exitCode: 0, stdout: '{"cniVersion":"1.0.0"}\n', stderr: "" });
  assert.equal((await Deno.stat(server.socketPath)).mode! & 0o777, 0o600);
});

/** The answer over a connection of its own: the platform's `fetch` waits with many of them. */
async function answerOf(path: string): Promise<string> {
  using connection = await Deno.connect({ transport: "unix", path });
  const body = call();
  const head = `POST /cni HTTP/1.1\r\nHost: agent\r\nContent-Length: ${body.length}\r\n`;
  await connection.write(new TextEncoder().encode(`${head}Connection: close\r\n\r\n${body}`));
  return await new Response(connection.readable).text();
}

Deno.test("the socket of calls: one more than it takes at once is refused with 503", async () => {
  const { promise: read, resolve } = Promise.withResolvers<CniPod>();
  const all = Promise.withResolvers<void>();
  let reading = 0;
  await using server = await listen(() => {
    if (++reading === 256) all.resolve();
    return read;
  });
  const calls = Array.from({ length: 256 }, () => answerOf(server.socketPath));
  await all.promise;
  assert.match(await answerOf(server.socketPath), /^HTTP\/1\.1 503 /);
  resolve(PLAIN);
  for (const answer of await Promise.all(calls)) assert.match(answer, /"exitCode":0/);
});

Deno.test("the socket of calls: reading a pod ends when the caller has gone", async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  await using server = await listen((_, signal) => {
    begin();
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => {
        end();
        reject(signal.reason);
      })
    );
  });
  const gone = new AbortController();
  const asked = server.post(call(), { signal: gone.signal });
  await begun;
  gone.abort();
  await assert.rejects(asked);
  await ended;
});

/** Pods that were to be taken in. */
type Taken = [pod: string, seen: string, addresses: readonly string[]][];

function takesIn(taken: Taken, answer: () => Promise<boolean>): AmbientPlugin {
  return {
    addStarting(pod, seen, addresses) {
      taken.push([pod.metadata.name, seen, addresses]);
      return answer();
    },
  };
}

const EVENT = { Netns: "/var/run/netns/a", PodName: "a", PodNamespace: "shop" };

Deno.test("/cmdadd takes a pod in with its addresses, and refuses what is no pod", async () => {
  const taken: Taken = [];
  const ambient = takesIn(taken, () => Promise.resolve(taken.length < 4));
  await using server = await listen(() => Promise.resolve(PLAIN), { ambient });
  const post = async (event: unknown) => {
    const response = await server.post(JSON.stringify(event), { path: "/cmdadd" });
    return [response.status, await response.text()];
  };
  assert.deepEqual(await post({ ...EVENT, IPs: ["10.0.0.5/24", "fd00::5"] }), [200, "added\n"]);
  await post({ ...EVENT, IPs: [{ address: "10.0.0.5/24" }, { Address: { IP: "10.0.0.6" } }] });
  await post({ ...EVENT, IPs: null });
  assert.deepEqual(await post(EVENT), [200, "not in ambient mode\n"]);
  assert.deepEqual(taken.map(([, , addresses]) => addresses), [
    ["10.0.0.5", "fd00::5"],
    ["10.0.0.5", "10.0.0.6"],
    [],
    [],
  ]);
  assert.deepEqual(taken[0]?.slice(0, 2), ["a", "/var/run/netns/a"]);
  for (const wrong of [{}, [], { ...EVENT, Netns: 1 }, { ...EVENT, IPs: "10.0.0.5" }]) {
    assert.equal((await post(wrong))[0], 400);
  }
});

Deno.test("a pod that cannot be taken in does not start, by /cmdadd and by ADD", async () => {
  const ambient = takesIn([], () => Promise.reject(new Error("no node proxy is connected")));
  await using server = await listen(() => Promise.resolve(PLAIN), { ambient });
  const response = await server.post(JSON.stringify(EVENT), { path: "/cmdadd" });
  assert.equal(response.status, 500);
  assert.match(await response.text(), /shop\/a cannot enter ambient mode: no node proxy/);
  const { exitCode, stdout } = await (await server.post(call())).json();
  assert.equal(exitCode, 1);
  assert.equal(JSON.parse(stdout).code, 11);
});

Deno.test("ADD takes a pod in with the addresses of the plugins before", async () => {
  const taken: Taken = [];
  const ambient = takesIn(taken, () => Promise.resolve(true));
  await using server = await listen(() => Promise.resolve(PLAIN), { ambient });
  const prevResult = {
    cniVersion: "1.0.0",
    ips: [{ address: "10.0.0.5/24" }, { address: "fd00::5/64" }],
  };
  const config = { ...JSON.parse(CALL.stdin), ambient_enabled: true, prevResult };
  const { exitCode } = await (await server.post(call(JSON.stringify(config)))).json();
  assert.equal(exitCode, 0);
  assert.deepEqual(taken, [["a", "/var/run/netns/a", ["10.0.0.5", "fd00::5"]]]);
});

Deno.test("ADD with ambient_enabled is refused by an agent without ambient mode", async () => {
  await using server = await listen(() => Promise.resolve(PLAIN));
  const config = { ...JSON.parse(CALL.stdin), ambient_enabled: true };
  const { stdout } = await (await server.post(call(JSON.stringify(config)))).json();
  assert.equal(JSON.parse(stdout).code, 2);
});
