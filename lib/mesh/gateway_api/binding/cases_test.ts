/**
 * Cases of binding, in the files of `cases/`. A line `# case: NAME` begins a case, and lines
 * `# expect: TEXT` have what comes out: a line for each listener, for each parent of a route with
 * the listeners that it attaches to, for each backend and for each target of a policy.
 */
import assert from "node:assert/strict";
import {
  backendsOf,
  type BackendTlsPolicy,
  bindBackendTls,
  bindGateway,
  bindRoute,
  type BoundListener,
  type Gateway,
  isRouteKind,
  resolveBackend,
  type Route,
} from "./mod.ts";
import { type World, worldOf } from "../../../../tests/support/gateway_api_world.ts";

const FOLDER = new URL("./cases/", import.meta.url);

function listenerLine(listener: BoundListener): string {
  const { owner: { kind, namespace, name }, spec } = listener;
  return [
    `${kind}/${namespace}/${name}/${spec.name}:`,
    listener.programmed ? "programmed" : "not programmed",
    listener.kinds.join(","),
    listener.conflict?.reason,
    listener.rejected?.reason,
    listener.unresolved?.reason,
    listener.overlaps ? "overlaps" : undefined,
  ].filter((part) => part).join(" ");
}

function gatewayLines(gateway: Gateway, world: World): string[] {
  const bound = bindGateway(gateway, world);
  if (bound === undefined) return [`Gateway/${gateway.meta.namespace}/${gateway.meta.name}: other`];
  const sets = bound.sets.filter(({ fault }) => fault !== undefined)
    .map(({ namespace, name, fault }) => `ListenerSet/${namespace}/${name}: ${fault?.reason}`);
  return [...bound.listeners.map(listenerLine), ...sets];
}

function routeLines(route: Route, world: World): string[] {
  const name = `${route.meta.kind}/${route.meta.namespace}/${route.meta.name}`;
  const parents = bindRoute(route, world).map(({ index, attachments, services, fault }) => {
    const to = attachments.map(({ listener: { owner, name }, hostnames }) =>
      `${owner.name}/${name}[${hostnames}]`
    );
    const hosts = services?.map(({ host }) => host) ?? [];
    return `${name} parent ${index}: ${[...to, ...hosts, ...fault ? [fault.reason] : []].join(" ")}`
      .trimEnd();
  });
  const backends = backendsOf(route).map(({ ref, path }) => {
    const backend = resolveBackend(ref, route, world);
    const to = "fault" in backend
      ? backend.fault.reason
      : `${backend.target.host}:${backend.target.port}`;
    return `${name} ${path.join(".")}: ${to}`;
  });
  return [...parents, ...backends];
}

function policyLines(policy: BackendTlsPolicy, world: World): string[] {
  const bound = bindBackendTls(policy, world);
  return bound.targets.map(({ ref, fault }) =>
    `BackendTLSPolicy/${policy.meta.namespace}/${policy.meta.name} ${ref.name}: ` +
    (fault?.reason ?? bound.rejected?.reason ?? "accepted") +
    (bound.authorities.fault ? ` ${bound.authorities.fault.reason}` : "")
  );
}

function linesOf(text: string): string[] {
  const world = worldOf(text);
  return [
    ...world.of<Gateway>("Gateway").flatMap((one) => gatewayLines(one, world)),
    ...(world.objects as Route[]).filter(({ meta }) => isRouteKind(meta.kind))
      .flatMap((one) => routeLines(one, world)),
    ...world.of<BackendTlsPolicy>("BackendTLSPolicy").flatMap((one) => policyLines(one, world)),
  ];
}

for (
  const { name: file } of [...Deno.readDirSync(FOLDER)].sort((a, b) => a.name < b.name ? -1 : 1)
) {
  const [, ...cases] = Deno.readTextFileSync(new URL(file, FOLDER)).split(/^# case: /m);
  for (const one of cases) {
    const [name = "", ...lines] = one.split("\n");
    Deno.test(`binding of ${file.replace(".cases", "")}: ${name}`, () => {
      const wanted = lines.filter((line) => line.startsWith("# expect: "))
        .map((line) => line.slice("# expect: ".length).trimEnd());
      assert.deepEqual(linesOf(lines.join("\n")).sort(), wanted.sort());
    });
  }
}

Deno.test("thousands of conflicting listeners are compared once each", () => {
  let reads = 0;
  const listeners = Array.from({ length: 20_000 }, (_, i) => ({
    name: `l${i}`,
    protocol: "HTTPS",
    port: 443,
    get hostname() {
      reads++;
      return `h${i % 10}.example.com`;
    },
  }));
  const gateway = worldOf("kind: Gateway\nmetadata: {name: g}\nspec: {gatewayClassName: mesh}");
  const [object] = gateway.of<Gateway>("Gateway");
  const bound = bindGateway({ ...object!, spec: { ...object!.spec, listeners } }, gateway);
  const conflicts = bound!.listeners.filter(({ conflict }) =>
    conflict?.reason === "HostnameConflict"
  );
  assert.equal(conflicts.length, listeners.length);
  assert.ok(reads < listeners.length * 20, `${reads} reads`);
});
