import assert from "node:assert/strict";
import { createServer } from "node:https";
import { startRpc } from "../../kit/rpc/mod.ts";
import { CHECK_PATH } from "./health.ts";
import { MAX_BODY_BYTES, type ProbeOutcome, proberOf } from "./mod.ts";
import { parseProbes } from "./probe_table.ts";

const PATH = "/app-health/web/readyz";

interface Asked {
  readonly url: string;
  readonly from: string;
  readonly headers: Headers;
}

/** Runs with an application that answers by path, and records the requests. */
async function withApplication(
  run: (port: number, asked: Asked[]) => Promise<void>,
  tls: { cert?: string; key?: string } = {},
): Promise<void> {
  const asked: Asked[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, ...tls as { cert: string; key: string } },
    (request, { remoteAddr }) => {
      const headers = new Headers(request.headers);
      asked.push({ url: request.url, from: remoteAddr.hostname, headers });
      const { pathname, search } = new URL(request.url);
      if (pathname === "/moved") return Response.redirect("http://192.0.2.1/", 302);
      if (pathname === "/large") return new Response("x".repeat(5 * MAX_BODY_BYTES));
      if (pathname === "/never") return new Promise<Response>(() => {});
      const status = Number(search.slice(1) || "200");
      return new Response(status === 204 ? null : "body", { status });
    },
  );
  try {
    await run(server.addr.port, asked);
  } finally {
    await server.shutdown();
  }
}

async function probe(
  fields: Record<string, unknown>,
  headers: Record<string, string> = {},
  form: {
    readonly keepAlive?: boolean;
    readonly http2?: boolean;
    readonly own?: readonly string[];
  } = {},
): Promise<ProbeOutcome> {
  const prober = proberOf({ address: "127.0.0.1", keepAlive: false, ...form });
  const table = parseProbes(JSON.stringify({ [PATH]: fields }));
  try {
    return await prober.run(table.get(PATH)!, new Headers(headers), new AbortController().signal);
  } finally {
    prober.close();
  }
}

const text = ({ body }: ProbeOutcome) => new TextDecoder().decode(body);

Deno.test("an HTTP probe gives the status and the start of the body", () =>
  withApplication(async (port) => {
    for (const status of [200, 204, 404, 503]) {
      const outcome = await probe({ httpGet: { path: `/?${status}`, port } });
      assert.equal(outcome.status, status);
    }
    assert.equal(text(await probe({ httpGet: { port } })), "body");
    assert.equal((await probe({ httpGet: { port, path: "/large" } })).body.length, MAX_BODY_BYTES);
  }));

Deno.test("a probe connects to the workload only, whatever its table names", () =>
  withApplication(async (port, asked) => {
    for (const host of ["169.254.169.254", "metadata.example", "10.0.0.1", "127.0.0.1@evil"]) {
      for (const fields of [{ httpGet: { port, host } }, { tcpSocket: { port, host } }]) {
        const outcome = await probe(fields);
        assert.deepEqual([outcome.status, text(outcome)], [500, ""]);
        assert.equal(outcome.fault, `${JSON.stringify(host)} is not an address of the workload`);
      }
    }
    assert.deepEqual(asked, []);
    for (const host of ["127.0.0.1", "localhost", "127.0.0.8"]) {
      const isOwn = await probe({ httpGet: { port, host } }, {}, { own: ["127.0.0.8"] });
      assert.doesNotMatch(isOwn.fault ?? "", /is not an address/);
    }
  }));

Deno.test("a redirect counts as success and is not followed", () =>
  withApplication(async (port, asked) => {
    assert.equal((await probe({ httpGet: { port, path: "/moved" } })).status, 200);
    assert.equal(asked.length, 1);
  }));

Deno.test("an HTTP probe comes from the agent's own source with the caller's headers", () =>
  withApplication(async (port, asked) => {
    await probe(
      {
        httpGet: {
          port,
          httpHeaders: [{ name: "X-Own", value: "1" }, { name: "X-Own", value: "2" }],
        },
      },
      { host: "10.0.0.1:15020", "user-agent": "prober/1", connection: "close", "x-own": "caller" },
    );
    const [{ from, headers } = assert.fail()] = asked;
    assert.equal(from, "127.0.0.6");
    assert.equal(headers.get("host"), `10.0.0.1:${port}`);
    assert.equal(headers.get("user-agent"), "prober/1");
    assert.equal(headers.get("x-own"), "1, 2");
    await probe({ httpGet: { port, httpHeaders: [{ name: "Host", value: "shop.test" }] } });
    assert.equal(asked[1]?.headers.get("host"), "shop.test");
  }));

/** Runs with a certificate of another name. */
async function withCertificate(
  run: (pair: { readonly cert: string; readonly key: string }) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  const { success } = await new Deno.Command("openssl", {
    args: ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=other.test"]
      .concat(["-keyout", `${dir}/key.pem`, "-out", `${dir}/cert.pem`]),
    stderr: "null",
  }).output();
  assert.ok(success);
  const [cert, key] = await Promise.all(
    ["cert", "key"].map((name) => Deno.readTextFile(`${dir}/${name}.pem`)),
  );
  await run({ cert: cert!, key: key! }).finally(() => Deno.remove(dir, { recursive: true }));
}

/** MESH_ENABLE_HTTP2_PROBING: each form of probing, and if requests arrive over HTTP/2. */
const FORMS = [{ http2: true, keepAlive: false }, { http2: true, keepAlive: true }, {
  http2: false,
  keepAlive: false,
}];

for (const form of FORMS) {
  Deno.test(`an HTTPS probe takes any certificate, with ${JSON.stringify(form)}`, () =>
    withCertificate((pair) =>
      withApplication(async (port, asked) => {
        const run = (path: string, headers = {}) =>
          probe({ httpGet: { port, scheme: "HTTPS", path } }, headers, form);
        for (const status of [299, 204, 404, 503]) {
          assert.equal((await run(`/?${status}`)).status, status);
        }
        assert.equal((await run("/moved")).status, 200);
        assert.equal(text(await run("/", { "user-agent": "prober/1" })), "body");
        assert.equal((await run("/large")).body.length, MAX_BODY_BYTES);
        const { headers, url, from } = asked[5]!;
        assert.equal(from, "127.0.0.6");
        assert.equal(headers.get("user-agent"), "prober/1");
        assert.equal(url, `https://127.0.0.1:${port}/`);
        // The runtime's server shows `host` only if a request has it: HTTP/2 has `:authority`.
        assert.equal(headers.has("host"), !form.http2);
      }, pair)
    ));
}

Deno.test("an HTTPS probe of an application without HTTP/2 uses HTTP/1.1", () =>
  withCertificate(async (pair) => {
    const versions: string[] = [];
    const server = createServer(pair, (request, response) => {
      versions.push(request.httpVersion);
      response.end("old");
    });
    const listening = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", () => listening.resolve());
    await listening.promise;
    const { port } = server.address() as { port: number };
    const prober = proberOf({ address: "127.0.0.1", keepAlive: true });
    const table = parseProbes(JSON.stringify({ [PATH]: { httpGet: { port, scheme: "HTTPS" } } }));
    for (let turn = 0; turn < 3; turn++) {
      const { signal } = new AbortController();
      const outcome = await prober.run(table.get(PATH)!, new Headers(), signal);
      assert.deepEqual([outcome.status, text(outcome)], [200, "old"], outcome.fault ?? "");
    }
    assert.deepEqual(versions, ["1.1", "1.1", "1.1"]);
    prober.close();
    await new Promise((done) => server.close(done));
  }));

for (const kind of ["httpGet", "grpc"]) {
  Deno.test(`${kind} of an application that is silent fails at its time limit`, async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr as Deno.NetAddr;
    const outcome = await probe({ [kind]: { port }, timeoutSeconds: 0.2 });
    listener.close();
    assert.deepEqual([outcome.status, outcome.fault], [500, "no answer within 0.2 s"]);
  });
}

Deno.test("an HTTPS probe of an application that is silent fails at its time limit", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const outcome = await probe({ httpGet: { port, scheme: "HTTPS" }, timeoutSeconds: 0.2 });
  listener.close();
  assert.deepEqual([outcome.status, outcome.fault], [500, "no answer within 0.2 s"]);
});

for (const kind of ["httpGet", "tcpSocket", "grpc"]) {
  Deno.test(`${kind} of a port without a listener fails`, async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr as Deno.NetAddr;
    listener.close();
    const outcome = await probe({ [kind]: { port }, timeoutSeconds: 60 });
    assert.equal(outcome.status, 500);
    assert.match(outcome.fault ?? "", /refused/i);
  });
}

Deno.test("a TCP probe succeeds with a connection, from the agent's own source", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const accepted = listener.accept();
  assert.equal((await probe({ tcpSocket: { port }, timeoutSeconds: 60 })).status, 200);
  const connection = await accepted;
  assert.equal((connection.remoteAddr as Deno.NetAddr).hostname, "127.0.0.6");
  connection.close();
  listener.close();
});

const STATUSES: readonly (readonly [bytes: number[], status: number, fault: string | undefined])[] =
  [
    [[8, 1], 200, undefined],
    [[8, 2], 500, "the health service says NOT_SERVING"],
    [[], 500, "the health service says UNKNOWN"],
  ];

for (const transport of ["native", "grpc-js"] as const) {
  Deno.test(`a gRPC probe asks the health service (${transport})`, async () => {
    let response: number[] = [];
    const asked: string[] = [];
    const server = await startRpc({
      address: "127.0.0.1:0",
      transport,
      services: [{
        path: CHECK_PATH,
        async handle(call) {
          for await (const message of call.messages) asked.push(new TextDecoder().decode(message));
          call.send([new Uint8Array(response)]);
        },
      }],
      limits: { maxReceive: 1 << 20, maxStreams: 100 },
      keepalive: { interval: 30_000, timeout: 10_000, maxAge: Infinity },
    });
    const port = Number(server.address.split(":").at(-1));
    for (const [bytes, status, fault] of STATUSES) {
      response = bytes;
      const outcome = await probe({ grpc: { port, service: "shop" }, timeoutSeconds: 60 });
      assert.deepEqual([outcome.status, outcome.fault], [status, fault]);
    }
    assert.deepEqual(new Set(asked), new Set(["\n\u0004shop"]));
    await server.stop(0);
  });
}
