import assert from "node:assert/strict";
import { objectsOf } from "../../../tests/support/mesh_fixture.ts";
import { startTranslation } from "../../../tests/support/translation_fixture.ts";
import { isTableKind } from "../schema/mod.ts";
import { upsertOf } from "./changes.ts";
import { startIngest } from "../../../tests/support/ingest_fixture.ts";

const SERVICE = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: web, namespace: app}
spec:
  hosts: [web.app.svc.cluster.local]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1}]
`;

const rule = (subsets: string): string =>
  `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata: {name: web, namespace: app}
spec: {host: web, subsets: [${subsets}]}
`;

const routes = (destination: string, name = "web"): string =>
  `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: app}
spec:
  hosts: [web]
  http: [{route: [{destination: {${destination}}}]}]
`;

const httpRoute = (backend: string): string =>
  `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: web, namespace: app}
spec:
  parentRefs: [{name: gw}]
  rules: [{backendRefs: [{name: ${backend}, port: 80}]}]
`;

const policy = (action: string): string =>
  `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: p, namespace: app}
spec: {action: ${action}, rules: [{}]}
`;

const V1 = "{name: v1, labels: {version: v1}}";
const V2 = "{name: v2, labels: {version: v2}}";

Deno.test("changes that name what does not exist, or take something away, do not stand alone", () => {
  const { set, writer } = startTranslation();
  for (const text of [SERVICE, rule(V1), policy("ALLOW")]) set(text);
  const alone = (text: string): boolean => {
    const [object] = objectsOf(text);
    const change = upsertOf(object!)!;
    assert.ok(isTableKind(change.kind));
    return writer.standsAlone(change, writer.original(change.kind, change.key));
  };
  const cases: [name: string, text: string, want: boolean][] = [
    ["a route to a subset", routes("host: web, subset: v1"), true],
    ["a route to a subset that is missing", routes("host: web, subset: v2"), false],
    ["a route to a host that is missing", routes("host: other"), false],
    ["a route by a full name", routes("host: web.app.svc.cluster.local"), true],
    ["a Service", SERVICE.replaceAll("web", "new"), true],
    ["a further subset", rule(`${V1}, ${V2}`), true],
    ["a subset taken away", rule(V2), false],
    ["a first DestinationRule", rule(V1).replaceAll("web", "new"), false],
    ["a route of the Gateway API", httpRoute("web"), true],
    ["a route of the Gateway API to nothing", httpRoute("other"), false],
    ["a changed policy", policy("DENY"), true],
    ["a first policy", policy("DENY").replace("name: p", "name: q"), false],
  ];
  for (const [name, text, want] of cases) assert.equal(alone(text), want, name);
  const deletion = { kind: "VirtualService", key: "app/web", object: undefined } as const;
  assert.equal(writer.standsAlone(deletion, undefined), false, "a deletion");
});

Deno.test("a route that precedes its subset is published with it", async () => {
  const { ingest, pipeline: { mesh }, clock, publications } = startIngest();
  const cluster = ingest.open("cluster/a");
  cluster.objects({ upserts: [...objectsOf(SERVICE), ...objectsOf(rule(V1))], deletes: [] });
  cluster.synced();
  ingest.build();
  const change = (time: number, text: string): void => {
    clock.to(time);
    cluster.objects({ upserts: objectsOf(text), deletes: [] });
  };
  change(1_000, routes("host: web, subset: v1"));
  change(2_000, routes("host: web, subset: v2"));
  change(2_060, rule(`${V1}, ${V2}`));
  clock.to(3_000);
  await ingest.close();
  assert.deepEqual(publications, [1_010, 2_100]);
  assert.equal(mesh.tables.destinationRules.peek("app/web")?.spec.subsets.length, 2);
});
