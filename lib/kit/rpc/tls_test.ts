import assert from "node:assert/strict";
import { connect as connectPlain } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { makeAuthority, withCertificates } from "../../../tests/support/certificates.ts";
import { createConnection, type Headers } from "./h2/mod.ts";
import { requestHeaders } from "./h2/testing.ts";
import { openListener } from "./listen.ts";
import { openStream, type RpcClientTls, RpcError, startRpc } from "./mod.ts";
import type { RpcBounds, RpcTransport } from "./options.ts";

const PATH = "/test.Echo/Stream";
const TRANSPORTS = ["native", "grpc-js"] satisfies RpcTransport[];
const OPTIONS = {
  address: "localhost:0",
  limits: { maxReceive: 1024, maxStreams: 10 },
  keepalive: { interval: 60_000, timeout: 10_000 },
};

/** Certificates of a server and a client, PEM, by their authority. */
async function makeCertificates(): Promise<
  Record<"ca" | "cert" | "key" | "clientCert" | "clientKey", string>
> {
  const dir = await Deno.makeTempDir();
  const authority = await makeAuthority(dir);
  const server = await authority.issue("server", ["localhost"]);
  const client = await authority.issue("client", ["spiffe://cluster.local/ns/a/sa/b"]);
  const read = (path: string) => Deno.readTextFile(path);
  const texts = {
    ca: await read(authority.cert),
    cert: await read(server.cert),
    key: await read(server.key),
    clientCert: await read(client.cert),
    clientKey: await read(client.key),
  };
  await Deno.remove(dir, { recursive: true });
  return texts;
}

/** Opens a connection that sends nothing. */
async function openSilent(port: number) {
  const socket = connectPlain(port, "localhost");
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => {});
  socket.resume();
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  return { closed, isClosed: () => socket.destroyed };
}

/** Calls the method over a TLS socket, and returns the status. */
async function call(socket: TLSSocket): Promise<string | undefined> {
  const status = Promise.withResolvers<string | undefined>();
  const closed = Promise.withResolvers<void>();
  const connection = createConnection({
    role: "client",
    socket,
    maxStreams: 0,
    window: 65_535,
    closed: () => closed.resolve(),
  });
  const stream = connection.open(requestHeaders(PATH), {
    headers(headers: Headers, end) {
      if (end) status.resolve(headers.find(([name]) => name === "grpc-status")?.[1]);
    },
    data() {},
    aborted: (code) => status.reject(new Error(code)),
  });
  stream.data([Uint8Array.of(0, 0, 0, 0, 1, 7)], () => {});
  stream.end();
  const result = await status.promise;
  connection.destroy();
  await closed.promise;
  return result;
}

for (const transport of ["native", "grpc-js"] as const satisfies readonly RpcTransport[]) {
  Deno.test(
    withCertificates(
      `calls over TLS, with and without a client certificate (${transport})`,
      async () => {
        const { ca, cert, key, clientCert, clientKey } = await makeCertificates();
        const server = await startRpc({
          address: "127.0.0.1:0",
          transport,
          services: [{
            path: PATH,
            async handle(call) {
              for await (const message of call.messages) call.send(message);
            },
          }],
          limits: { maxReceive: 1 << 20, maxStreams: 100 },
          keepalive: { interval: 30_000, timeout: 10_000 },
          tls: { cert, key, clientCa: ca },
        });
        for (const own of [{}, { cert: clientCert, key: clientKey }]) {
          const socket = connect({
            host: "localhost",
            port: server.port,
            ca,
            ALPNProtocols: ["h2"],
            ...own,
          });
          assert.equal(await call(socket), "0");
          assert.equal(socket.alpnProtocol, "h2");
        }
        await server.stop(1000);
      },
    ),
  );
}

Deno.test(withCertificates("a TLS socket has the client's certificate", async () => {
  const { ca, cert, key, clientCert, clientKey } = await makeCertificates();
  const seen: [boolean, string | undefined][] = [];
  const listener = await openListener("127.0.0.1:0", (socket) => {
    const tls = socket as TLSSocket;
    seen.push([tls.authorized, tls.getPeerCertificate()?.subjectaltname]);
    tls.end();
  }, { cert, key, clientCa: ca });
  for (const own of [{}, { cert: clientCert, key: clientKey }]) {
    const closed = Promise.withResolvers<void>();
    const socket = connect({ host: "localhost", port: listener.port, ca, ...own });
    socket.on("close", () => closed.resolve());
    socket.resume();
    await closed.promise;
  }
  await listener.close();
  assert.deepEqual(seen, [[false, undefined], [true, "URI:spiffe://cluster.local/ns/a/sa/b"]]);
}));

/** Calls the method with the client of this room; returns its status. */
async function callByClient(target: string, tls: RpcClientTls): Promise<string> {
  const stream = openStream({ target, path: PATH, tls });
  stream.end();
  try {
    for await (const _ of stream.messages);
    return "OK";
  } catch (error) {
    assert.ok(error instanceof RpcError);
    return error.status;
  } finally {
    stream.close();
    await stream.ended;
  }
}

for (const transport of TRANSPORTS) {
  Deno.test(
    withCertificates(`${transport}: a call has the client's certificates`, async () => {
      const { ca, cert, key, clientCert, clientKey } = await makeCertificates();
      const seen: (number | undefined)[] = [];
      const secure: (boolean | undefined)[] = [];
      const server = await startRpc({
        ...OPTIONS,
        transport,
        tls: { cert, key, clientCa: ca },
        services: [{
          path: PATH,
          handle: (call) => {
            secure.push(call.secure);
            return Promise.resolve(void seen.push(call.certificates?.length));
          },
        }],
      });
      const target = `localhost:${server.port}`;
      assert.equal(await callByClient(target, { ca }), "OK");
      assert.equal(await callByClient(target, { ca, cert: clientCert, key: clientKey }), "OK");
      assert.equal(await callByClient(target, { ca, serverName: "other.host" }), "UNAVAILABLE");
      assert.equal(await callByClient(target, { ca: clientCert }), "UNAVAILABLE");
      await server.stop(1000);
      assert.equal(seen[0], undefined);
      assert.ok(seen[1]! >= 1);
      assert.equal(seen.length, 2);
      assert.deepEqual(secure, [true, true]);
    }),
  );

  Deno.test(
    withCertificates(
      `${transport}: a client with cipher suites sends nothing by others`,
      async () => {
        const { ca, cert, key } = await makeCertificates();
        let calls = 0;
        const handle = () => {
          calls++;
          return Promise.resolve();
        };
        const services = [{ path: PATH, handle }];
        const server = await startRpc({ ...OPTIONS, transport, tls: { cert, key }, services });
        const target = `localhost:${server.port}`;
        const by = (...names: string[]) =>
          callByClient(target, { ca, cipherSuites: new Set(names) });
        assert.equal(await by("TLS_RSA_WITH_RC4_128_SHA"), "UNAVAILABLE");
        assert.equal(calls, 0);
        assert.equal(await by("TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256"), "OK");
        await server.stop(1000);
      },
    ),
  );

  Deno.test(
    withCertificates(`${transport}: bounds hold before the TLS handshake is complete`, async () => {
      const { cert, key, ca } = await makeCertificates();
      const start = (bounds: Partial<RpcBounds>) =>
        startRpc({
          ...OPTIONS,
          transport,
          tls: { cert, key },
          services: [{ path: PATH, handle: () => Promise.resolve() }],
          bounds,
        });
      const few = await start({ unadmittedOfAddress: 2 });
      const silent = [await openSilent(few.port), await openSilent(few.port)];
      const beyond = await openSilent(few.port);
      await beyond.closed;
      assert.deepEqual(silent.map(({ isClosed }) => isClosed()), [false, false]);
      await few.stop(1000);
      await Promise.all(silent.map(({ closed }) => closed));
      const hasty = await start({ requestMs: 100 });
      await (await openSilent(hasty.port)).closed;
      assert.equal(await callByClient(`localhost:${hasty.port}`, { ca }), "OK");
      await hasty.stop(1000);
    }),
  );

  Deno.test(
    withCertificates(
      `${transport}: certificates and cipher suites are taken from now on`,
      async () => {
        const [first, second] = [await makeCertificates(), await makeCertificates()];
        const { cert, key } = first;
        const services = [{ path: PATH, handle: () => Promise.resolve() }];
        const server = await startRpc({ ...OPTIONS, transport, tls: { cert, key }, services });
        const target = `localhost:${server.port}`;
        const calls = () =>
          Promise.all([first, second].map(({ ca }) => callByClient(target, { ca })));
        assert.deepEqual(await calls(), ["OK", "UNAVAILABLE"]);
        server.setTls({ cert: second.cert, key: second.key });
        assert.deepEqual(await calls(), ["UNAVAILABLE", "OK"]);
        server.setTls({ cert, key, cipherSuites: new Set(["TLS_RSA_WITH_RC4_128_SHA"]) });
        assert.deepEqual(await calls(), ["UNAVAILABLE", "UNAVAILABLE"]);
        const suites = ["TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256"];
        server.setTls({ cert, key, cipherSuites: new Set(suites) });
        assert.deepEqual(await calls(), ["OK", "UNAVAILABLE"]);
        await server.stop(1000);
      },
    ),
  );
}
