import assert from "node:assert/strict";
import { MeshError } from "../../kit/base/mod.ts";
import { parseProbes } from "./probe_table.ts";

const PATH = "/app-health/web/readyz";

Deno.test("the table of injection is parsed", () => {
  const table = parseProbes(JSON.stringify({
    [PATH]: {
      httpGet: {
        path: "ready?x=1",
        port: 8080,
        scheme: "HTTPS",
        httpHeaders: [{ name: "A", value: "b" }],
      },
      timeoutSeconds: 3,
    },
    "/app-health/web/livez": { tcpSocket: { port: 90 } },
    "/app-lifecycle/web/prestopz": { grpc: { port: 91, service: "all" }, timeoutSeconds: 0 },
  }));
  assert.deepEqual(Object.fromEntries(table), {
    [PATH]: {
      kind: "http",
      scheme: "https",
      path: "/ready?x=1",
      host: undefined,
      headers: [["a", "b"]],
      port: 8080,
      timeoutMs: 3000,
    },
    "/app-health/web/livez": { kind: "tcp", port: 90, host: undefined, timeoutMs: 1000 },
    "/app-lifecycle/web/prestopz": { kind: "grpc", port: 91, service: "all", timeoutMs: 1000 },
  });
});

const WRONG: readonly (readonly [text: string, says: RegExp])[] = [
  ["{", /not JSON/],
  ["[]", /the table is not an object/],
  ['{"/app-health/web/other":{"tcpSocket":{"port":1}}}', /"\/app-health\/web\/other"/],
  ['{"/app-health/a/b/livez":{"tcpSocket":{"port":1}}}', /"\/app-health\/a\/b\/livez"/],
  ...([
    ["{}", /needs exactly one of httpGet, tcpSocket, grpc/],
    ['{"grpc":{"port":1},"tcpSocket":{"port":1}}', /needs exactly one/],
    ['{"tcpSocket":{"port":"http"}}', /tcpSocket.port is not a port number/],
    ['{"tcpSocket":{"port":70000}}', /tcpSocket.port is not a port number/],
    ['{"httpGet":{"port":1,"scheme":"ftp"}}', /httpGet.scheme is "ftp"/],
    ['{"httpGet":{"port":1,"path":7}}', /httpGet.path is not a string/],
    ['{"httpGet":{"port":1,"httpHeaders":[{"name":"a b"}]}}', /httpHeaders\[0\].name/],
    [
      '{"httpGet":{"port":1,"httpHeaders":[{"name":"a","value":"b\\r\\nc: d"}]}}',
      /httpHeaders\[0\].value/,
    ],
    ['{"tcpSocket":{"port":1},"timeoutSeconds":"1"}', /timeoutSeconds is not a number/],
    ['{"tcpSocket":{"port":1},"timeoutSeconds":-1}', /timeoutSeconds is not a number/],
  ] as const).map(([probe, says]) => [`{"${PATH}":${probe}}`, says] as const),
];

for (const [text, says] of WRONG) {
  Deno.test(`MESH_ORCH_APP_PROBERS=${text} is refused`, () => {
    assert.throws(() => parseProbes(text), (error) => {
      assert.ok(error instanceof MeshError);
      assert.match(error.message, says);
      return true;
    });
  });
}
