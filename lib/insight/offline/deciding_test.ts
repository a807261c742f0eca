/** The objects that are named for a refusal: those without which it would not be. */
import assert from "node:assert/strict";
import { ITEMS_MESH } from "../../../tests/support/items_mesh.ts";
import { objectsOf } from "../../../tests/support/mesh_fixture.ts";
import { verdictLine, verdictOf } from "../verdict/mod.ts";
import { OfflineMesh } from "./mod.ts";

const MESH = `${ITEMS_MESH}---
apiVersion: telemetry.mesh.io/v1
kind: Telemetry
metadata: {name: logs, namespace: shop}
spec: {accessLogging: [{providers: [{name: envoy}]}]}
`;
const STRICT = `---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: strict, namespace: shop}
spec: {mtls: {mode: STRICT}}
`;
const rule = (tls: string) =>
  `---
apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: items, namespace: shop}
spec: {host: items.example, trafficPolicy: {tls: ${tls}}}
`;
const deny = (name: string) =>
  `---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: shop}
spec: {action: DENY, rules: [{}]}
`;
const ROUTES = `---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: items, namespace: shop}
spec: {hosts: [items.example], http: [{directResponse: {status: 418}}]}
`;

const CASES: readonly (readonly [title: string, added: string, wanted: RegExp])[] = [
  [
    "a client in plain text and a server that wants mutual TLS",
    STRICT + rule("{mode: DISABLE}"),
    /^DENIED by DestinationRule\/shop\/items, PeerAuthentication\/shop\/strict: .*sends HTTP\/1\.1 in plain text to port 80, where TLS is accepted$/,
  ],
  [
    "a client with TLS of its own and a server without mutual TLS",
    STRICT.replace("STRICT", "DISABLE") + rule("{mode: SIMPLE, sni: items.example}"),
    /^DENIED by DestinationRule\/shop\/items: /,
  ],
  ["a policy", deny("a"), /^DENIED by AuthorizationPolicy\/shop\/a: 403/],
  [
    "two policies, each of which refuses",
    deny("a") + deny("b"),
    /^DENIED by AuthorizationPolicy\/shop\/a, AuthorizationPolicy\/shop\/b: 403/,
  ],
  ["a route that answers", ROUTES, /^DENIED by VirtualService\/shop\/items: 418/],
  ["nothing that refuses", STRICT, /^ALLOWED/],
];

for (const [title, added, wanted] of CASES) {
  Deno.test(`deciding objects: ${title}`, async () => {
    const { mesh } = OfflineMesh.of({ objects: objectsOf(MESH + added) });
    const question = { from: "front.web", url: "http://items.example/" };
    const line = verdictLine(verdictOf(await mesh.askDeciding(question)));
    assert.match(line, wanted);
    // The objects are there again.
    assert.equal(verdictLine(verdictOf(await mesh.askDeciding(question))), line);
  });
}

Deno.test("deciding objects: among the routes of many services", async () => {
  const many = Array.from({ length: 60 }, (_, at) =>
    `---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: a${at}, namespace: shop}
spec:
  hosts: [a${at}.example]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: a${at}, namespace: shop}
spec: {hosts: [a${at}.example], http: [{route: [{destination: {host: a${at}.example}}]}]}
`).join("");
  const { mesh } = OfflineMesh.of({ objects: objectsOf(MESH + many + ROUTES) });
  const found = await mesh.askDeciding({ from: "front.web", url: "http://items.example/" });
  assert.match(verdictLine(verdictOf(found)), /^DENIED by VirtualService\/shop\/items: 418/);
});
