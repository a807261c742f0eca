/**
 * Accesses that the client library connects: against real TLS servers, proxies and programs.
 */
import assert from "node:assert/strict";
import { fromFileUrl } from "../../../../scripts/paths.ts";
import { eventually } from "../../../../scripts/harness/mod.ts";
import { makeAuthority, withCertificates } from "../../../../tests/support/certificates.ts";
import { startConnectProxy } from "../../../../tests/support/connect_proxy.ts";
import { MeshError } from "../../base/mod.ts";
import { type Access, accessOf, ALL_CREDENTIAL_OPTIONS } from "../access.ts";
import { createClient, guardWrites } from "../client.ts";
import { OrchError } from "../error.ts";
import { parseKubeconfig } from "../kubeconfig.ts";

interface Server extends AsyncDisposable {
  readonly port: number;
  /** Authorities, base64 of PEM. */
  readonly ca: string;
  readonly otherCa: string;
  /** Requests, in order. */
  readonly asked: Request[];
  /** Connections of clients. */
  readonly peers: Set<number>;
}

/** A server with a certificate for `api.test` alone, which shows what it was asked. */
async function start(
  answer: (request: Request) => Response | Promise<Response> = echo,
): Promise<Server> {
  const dir = await Deno.makeTempDir();
  const [authority, other] = [await makeAuthority(dir), await makeAuthority(dir, "other")];
  const { cert, key } = await authority.issue("leaf", ["api.test"]);
  const asked: Request[] = [];
  const peers = new Set<number>();
  const read = (path: string) => Deno.readTextFileSync(path);
  const server = Deno.serve({
    ...{ port: 0, hostname: "127.0.0.1", cert: read(cert), key: read(key), onListen() {} },
  }, (request, { remoteAddr }) => {
    peers.add(remoteAddr.port);
    asked.push(request.clone());
    return answer(request);
  });
  const [ca, otherCa] = [btoa(read(authority.cert) + read(other.cert)), btoa(read(other.cert))];
  await Deno.remove(dir, { recursive: true });
  return {
    ...{ port: server.addr.port, ca, otherCa, asked, peers },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function echo(request: Request): Promise<Response> {
  const { method, headers } = request;
  return Response.json({
    method,
    body: await request.text(),
    headers: Object.fromEntries(headers),
  });
}

function accessTo(server: Server, cluster: string, user = "token: t"): Access {
  const text = `current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:${server.port}", ${cluster}}}]
users: [{name: u, user: {${user}}}]
`;
  return accessOf(parseKubeconfig(text, "config"), { allowed: ALL_CREDENTIAL_OPTIONS });
}

interface Echoed {
  readonly method: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const unreachable = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof OrchError && error.code === "orch-unreachable", String(error));
  assert.match(error.message, pattern);
  return true;
};

withCertificatesTest(
  "a server is known by the name in tls-server-name, and by its authorities alone",
  async () => {
    await using server = await start();
    const ask = async (cluster: string) => {
      using client = createClient(
        accessTo(server, cluster, "token: t, as: jane, as-groups: [a, b]"),
      );
      return await client.json<Echoed>({ path: "/a" });
    };
    const { headers } = await ask(
      `certificate-authority-data: ${server.ca}, tls-server-name: api.test`,
    );
    assert.equal(headers.authorization, "Bearer t");
    assert.deepEqual([headers["impersonate-user"], headers["impersonate-group"]], ["jane", "a, b"]);
    await assert.rejects(
      ask(`certificate-authority-data: ${server.ca}, tls-server-name: other.test`),
      unreachable(/other\.test/),
    );
    await assert.rejects(
      ask(`certificate-authority-data: ${server.otherCa}, tls-server-name: api.test`),
      unreachable(/certificate/),
    );
    assert.equal(server.asked.length, 1, "nothing was sent to the servers that were refused");
  },
);

withCertificatesTest(
  "a server is not verified with insecure-skip-tls-verify, and else is",
  async () => {
    await using server = await start();
    using open = createClient(
      accessTo(server, "insecure-skip-tls-verify: true", "username: ä, password: p"),
    );
    const { headers } = await open.json<Echoed>({ path: "/a" });
    assert.equal(headers.authorization, `Basic ${new TextEncoder().encode("ä:p").toBase64()}`);
    using verified = createClient(accessTo(server, "tls-server-name: api.test"));
    await assert.rejects(verified.json({ path: "/a" }), unreachable(/certificate|issuer/));
  },
);

withCertificatesTest(
  "through a proxy, the server is verified by its authorities alone",
  async () => {
    await using server = await start();
    await using proxy = startConnectProxy(server.port);
    const ask = async (ca: string) => {
      const cluster = `certificate-authority-data: ${ca}, proxy-url: "${proxy.url}"`;
      const access = accessTo(server, cluster);
      using client = createClient({ ...access, server: "https://api.test:6443" });
      return await client.json<Echoed>({ path: "/a" });
    };
    assert.equal((await ask(server.ca)).headers.authorization, "Bearer t");
    await assert.rejects(ask(server.otherCa), unreachable(/certificate/));
    assert.deepEqual(proxy.asked, ["api.test:6443", "api.test:6443"]);
  },
);

withCertificatesTest(
  "requests share a connection, have bodies, and wait for their guard",
  async () => {
    await using server = await start();
    const access = accessTo(
      server,
      `certificate-authority-data: ${server.ca}, tls-server-name: api.test`,
    );
    using client = createClient(access);
    const body = { text: "ä".repeat(100_000) };
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
      const echoed = await client.json<Echoed>({ method, path: "/a", body });
      assert.deepEqual([echoed.method, JSON.parse(echoed.body)], [method, body]);
    }
    assert.equal(server.peers.size, 1);
    const guarded = guardWrites(
      client,
      () => Promise.reject(new MeshError("no-holder", "no longer the holder")),
    );
    await assert.rejects(guarded.text({ method: "POST", path: "/a", body }), {
      code: "no-holder",
    });
    assert.equal(server.asked.length, 4);
  },
);

withCertificatesTest("a stream ends with its signal, and a stuck server is given up", async () => {
  let cancelled = 0;
  const stuck = Promise.withResolvers<Response>();
  await using server = await start((request) =>
    request.url.endsWith("/stuck") ? stuck.promise : new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode("line\n")),
        cancel: () => void cancelled++,
      }),
    )
  );
  const access = accessTo(
    server,
    `certificate-authority-data: ${server.ca}, tls-server-name: api.test`,
  );
  using client = createClient(access);
  await assert.rejects(client.text({ path: "/stuck", timeoutMs: 100 }), { code: "orch-timeout" });
  const stop = new AbortController();
  const reader = (await client.stream({ path: "/watch", signal: stop.signal })).getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "line\n");
  const next = assert.rejects(reader.read());
  stop.abort(new Error("not needed"));
  await next;
  await eventually("the server to see the end of the stream", () => cancelled === 1);
  const other = await client.stream({ path: "/watch" });
  await other.cancel();
  await eventually("the server to see the end of the other stream", () => cancelled === 2);
  stuck.resolve(new Response());
});

withCertificatesTest("no permission is needed beside net and read", async () => {
  await using server = await start();
  const access = `{
    server: "https://127.0.0.1:${server.port}", name: "x", namespace: "", proxyUrl: "",
    tls: () => Promise.resolve({ ca: atob("${server.ca}") }),
    special: { tlsServerName: "api.test", insecureSkipVerify: false },
  }`;
  const probe = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    const orch = JSON.stringify(import.meta.resolve("../mod.ts"));
    const text = `import { createClient } from ${orch};
using client = createClient(${access});
console.log((await client.json({ path: "/a" })).method);\n`;
    await Deno.writeTextFile(probe, text);
    const config = fromFileUrl(new URL("../../../../deno.json", import.meta.url));
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--no-prompt", `--config=${config}`, "-R", "-N=127.0.0.1", probe],
    }).output();
    assert.equal(new TextDecoder().decode(stdout), "GET\n", new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(probe);
  }
});

function withCertificatesTest(name: string, fn: () => Promise<void>): void {
  Deno.test(withCertificates(`library: ${name}`, fn));
}
