/** Versions of an API server that a real one does not show on demand. */
import assert from "node:assert/strict";
import { createClient } from "../../kit/orch/mod.ts";
import { nativeSidecars } from "./mod.ts";

/** An API server with a version, or without one that works. */
function versionServer() {
  let version: { major: string; minor: string } | undefined;
  let requests = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
    assert.equal(new URL(url).pathname, "/version");
    requests++;
    return version === undefined
      ? new Response("{}", { status: 500 })
      : Response.json({ ...version, gitVersion: `v${version.major}.${version.minor}.0` });
  });
  const access = {
    server: `http://127.0.0.1:${server.addr.port}`,
    name: "versions",
    namespace: "",
    tls: () => Promise.resolve({ ca: "" }),
    proxyUrl: "",
  };
  const client = createClient(access, { rate: { qps: 0, burst: 0 } });
  return {
    client,
    set: (major: string, minor: string) => version = { major, minor },
    fail: () => version = undefined,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await server.shutdown();
    },
  };
}

Deno.test("auto: native sidecars by the version of the API server, read again after a new connection", async () => {
  await using api = versionServer();
  let connections = 0;
  const source = { client: api.client, connections: () => connections };
  const enabled = nativeSidecars("auto", source);
  assert.equal(await enabled(), false, "the version is not known");
  const rows: [major: string, minor: string, expected: boolean][] = [
    ["1", "32", false],
    ["1", "33+", true],
    ["1", "9", false],
    ["2", "0", true],
  ];
  for (const [major, minor, expected] of rows) {
    api.set(major, minor);
    connections++;
    assert.equal(await enabled(), expected, `${major}.${minor}`);
  }
  const before = api.requests();
  api.set("1", "20");
  assert.equal(await enabled(), true, "the same connection");
  assert.equal(api.requests(), before);
  api.fail();
  connections++;
  assert.equal(await enabled(), true, "the last known version");
  api.set("1", "20");
  assert.deepEqual(await Promise.all([enabled(), enabled()]), [false, false]);
});

Deno.test("true and false ask no API server, and auto is false without one", async () => {
  await using api = versionServer();
  api.set("1", "40");
  const source = { client: api.client, connections: () => 0 };
  assert.equal(await nativeSidecars(true, undefined)(), true);
  assert.equal(await nativeSidecars(false, source)(), false);
  assert.equal(await nativeSidecars("auto", undefined)(), false);
  assert.equal(api.requests(), 0);
});
