import assert from "node:assert/strict";
import { startKubeletStandIn } from "../../../../tests/support/kubelet_stand_in.ts";
import { startConnectProxy } from "../../../../tests/support/connect_proxy.ts";
import type { Access } from "../access.ts";
import { execInPod } from "./exec.ts";
import { forwardPort } from "./port_forward.ts";

const POD = { namespace: "shop", name: "web-1" };

function accessTo(server: string): Access {
  return {
    server,
    name: "test",
    namespace: "default",
    tls: () => Promise.resolve({ ca: "" }),
    proxyUrl: "",
  };
}

Deno.test("a forwarded port carries requests and large answers, several at a time", async () => {
  const large = "x".repeat(3_000_000);
  await using backend = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => new Response(`${await request.text()}${large}`),
  );
  await using api = startKubeletStandIn({ ports: { "shop/web-1:15000": backend.addr.port } });
  await using forward = await forwardPort({ access: accessTo(api.url), pod: POD, port: 15_000 });
  const url = `http://127.0.0.1:${forward.port}/`;
  const bodies = ["a", "b".repeat(500_000), "c"];
  const answers = await Promise.all(
    bodies.map(async (body) => await (await fetch(url, { method: "POST", body })).text()),
  );
  assert.deepEqual(
    answers.map((text) => text.length),
    bodies.map((body) => body.length + large.length),
  );
  assert.deepEqual(
    new Set(api.offered.map(({ protocols }) => protocols)),
    new Set(["v4.channel.k8s.io"]),
  );
});

Deno.test("a port on which nothing listens closes the connection and names the reason", async () => {
  await using api = startKubeletStandIn({});
  await using forward = await forwardPort({ access: accessTo(api.url), pod: POD, port: 80 });
  await assert.rejects(fetch(`http://127.0.0.1:${forward.port}/`));
  assert.match(forward.fault() ?? "", /port 80: connection refused/);
});

Deno.test("a refused stream has the server's reason, and a server that hangs ends in time", async () => {
  const forbidden = { kind: "Status", message: 'pods "web-1" is forbidden', reason: "Forbidden" };
  await using refusing = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json(forbidden, { status: 403 }),
  );
  const access = accessTo(`http://127.0.0.1:${refusing.addr.port}`);
  await assert.rejects(forwardPort({ access, pod: POD, port: 80 }), {
    status: 403,
    message: /is forbidden/,
  });
  await assert.rejects(execInPod({ access, pod: POD, command: ["ls"] }), { status: 403 });
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const hanging = accessTo(`http://127.0.0.1:${silent.addr.port}`);
  await assert.rejects(forwardPort({ access: hanging, pod: POD, port: 80, timeoutMs: 200 }), {
    code: "orch-timeout",
  });
});

Deno.test("exec returns both outputs and the exit status", async () => {
  await using api = startKubeletStandIn({
    exec: (pod, [program, ...args]) => {
      if (program === "echo") return { stdout: `${pod} ${args.join(" ")}\n` };
      return program === "false" ? { stderr: "no\n", status: 3 } : undefined;
    },
  });
  const access = accessTo(api.url);
  const run = (...command: string[]) =>
    execInPod({ access, pod: POD, container: "mesh-proxy", command });
  assert.deepEqual(await run("echo", "a b", "c"), {
    stdout: "shop/web-1 a b c\n",
    stderr: "",
    status: 0,
  });
  assert.deepEqual(await run("false"), { stdout: "", stderr: "no\n", status: 3 });
  await assert.rejects(run("absent"), { code: "orch-exec-failed", message: /absent is not there/ });
  assert.equal(api.offered[0]?.protocols, "v5.channel.k8s.io, v4.channel.k8s.io");
  assert.match(
    api.asked[0] ?? "",
    /container=mesh-proxy&command=echo&command=a\+b&command=c&stdin=false/,
  );
});

Deno.test("streams go through the proxy of a configuration, with the credentials", async () => {
  await using backend = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => new Response(`${await request.text()}!`),
  );
  await using api = startKubeletStandIn({
    ports: { "shop/web-1:15000": backend.addr.port },
    exec: () => ({ stdout: "x".repeat(300_000), status: 4 }),
  });
  const { port } = new URL(api.url);
  // The platform's server of the stand-in reads a list of subprotocols only with spaces.
  const spaced = (text: string): string => text.replaceAll("k8s.io,", "k8s.io, ");
  await using proxy = startConnectProxy(Number(port), spaced);
  const access = { ...accessTo("http://api.test:6443"), proxyUrl: proxy.url };
  const { stdout, status } = await execInPod({ access, pod: POD, command: ["a"] });
  assert.deepEqual([stdout.length, status], [300_000, 4]);
  {
    await using forward = await forwardPort({ access, pod: POD, port: 15_000 });
    const answer = await fetch(`http://127.0.0.1:${forward.port}/`, { method: "POST", body: "a" });
    assert.equal(await answer.text(), "a!");
  }
  assert.deepEqual(new Set(proxy.asked), new Set(["api.test:6443"]));
  await using refusing = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json({ kind: "Status", message: "is forbidden" }, { status: 403 }),
  );
  await using other = startConnectProxy(refusing.addr.port);
  const refused = { ...access, proxyUrl: other.url };
  await assert.rejects(execInPod({ access: refused, pod: POD, command: ["ls"] }), {
    status: 403,
    message: /is forbidden/,
  });
});

Deno.test("impersonated groups are headers of their own, in requests and streams", async () => {
  const seen: string[] = [];
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const access = {
    ...accessTo(`http://127.0.0.1:${listener.addr.port}`),
    impersonate: { user: "jane", groups: ["a", "b"], uid: "7" },
  };
  const serving = (async () => {
    for await (const connection of listener) {
      const buffer = new Uint8Array(4096);
      const size = await connection.read(buffer) ?? 0;
      seen.push(new TextDecoder().decode(buffer.subarray(0, size)).toLowerCase());
      connection.close();
      if (seen.length === 2) return;
    }
  })();
  const { createTransport } = await import("../transport.ts");
  using transport = createTransport(access);
  await assert.rejects(transport.read({ path: "/version" }));
  await assert.rejects(forwardPort({ access, pod: POD, port: 80 }));
  await serving;
  for (const head of seen) {
    assert.deepEqual(head.match(/^impersonate-\S+ \S+/gm), [
      "impersonate-user: jane",
      "impersonate-group: a",
      "impersonate-group: b",
      "impersonate-uid: 7",
    ]);
  }
});
