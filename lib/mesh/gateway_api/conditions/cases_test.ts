/**
 * Cases of status, in the files of `cases/`. A line `# case: NAME` begins a case, and lines
 * `# expect: TEXT` have the conditions of each object: `TYPE` holds, `!TYPE` does not, with the reason
 * after a colon where it is another one than the type, and all of a generation above 1 with it.
 */
import assert from "node:assert/strict";
import {
  type BackendTlsPolicy,
  bindAddresses,
  bindBackendTls,
  bindGateway,
  bindRoute,
  classParametersFault,
  type Gateway,
  type GatewayClass,
  gatewayOfSet,
  isRouteKind,
  type ListenerSet,
  parametersFault,
  type Route,
  statedAddresses,
} from "../binding/mod.ts";
import { type World, worldOf } from "../../../../tests/support/gateway_api_world.ts";
import { routeFaults } from "../conversion/mod.ts";
import {
  attachedFrom,
  type AttachedRoutes,
  type Condition,
  countAttached,
  gatewayClassStatus,
  type GatewayStatus,
  gatewayStatus,
  listenerSetStatus,
  type ListenerStatus,
  policyStatus,
  referenceFault,
  remoteGatewayStatus,
  routeStatus,
} from "./mod.ts";

const FOLDER = new URL("./cases/", import.meta.url);
const controllerName = "mesh.io/gateway-controller";

function text(conditions: readonly Condition[]): string {
  return conditions.map(({ type, status, reason, message, observedGeneration }) => {
    assert.notEqual(message, "");
    const sign = status === "True" ? "" : "!";
    const why = reason === type ? "" : `:${reason}`;
    return `${sign}${type}${why}${observedGeneration === 1 ? "" : `@${observedGeneration}`}`;
  }).join(" ");
}

function listenerLines(name: string, listeners: readonly ListenerStatus[] = []): string[] {
  return listeners.map((one) =>
    `${name}/${one.name}: ${one.attachedRoutes} routes ${text(one.conditions)}`
  );
}

function nameOf({ meta: { kind, namespace, name } }: World["objects"][number]): string {
  return `${kind}/${namespace}/${name}`;
}

function statusOfGateway(gateway: Gateway, world: World): GatewayStatus | undefined {
  const bound = bindGateway(gateway, world);
  if (bound === undefined) return undefined;
  if (bound.role === "remote") return remoteGatewayStatus(bound, statedAddresses(gateway.spec));
  const addresses = bindAddresses(gateway, { ...bound, domain: "cluster.local" }, world);
  const of = world.gatewayClass(bound.className)?.spec;
  const parameters = parametersFault(gateway.spec, bound.namespace, of, world);
  const facts = { addresses, attached: attachedIn(world) };
  return gatewayStatus(bound, parameters === undefined ? facts : { ...facts, parameters });
}

function attachedIn(world: World): AttachedRoutes {
  const routes = (world.objects as Route[]).filter(({ meta }) => isRouteKind(meta.kind));
  return attachedFrom([countAttached(routes.map((route) => bindRoute(route, world)))]);
}

function gatewayLines(gateway: Gateway, world: World): string[] {
  const status = statusOfGateway(gateway, world);
  if (status === undefined) return [];
  const { addresses = [], conditions, listeners, attachedListenerSets: sets } = status;
  const at = addresses.map(({ value }) => ` ${value}`).join("");
  const attached = sets === undefined ? "" : ` ${sets} sets`;
  return [
    `${nameOf(gateway)}:${at}${attached} ${text(conditions)}`,
    ...listenerLines(nameOf(gateway), listeners),
  ];
}

function classLine(one: GatewayClass, world: World): string {
  const fault = classParametersFault(one.spec, world);
  const { conditions } = gatewayClassStatus(one.meta.generation, true, fault);
  return `${nameOf(one)}: ${text(conditions)}`;
}

function setLines(set: ListenerSet, world: World): string[] {
  const named = gatewayOfSet(set);
  const gateway = named && world.gateway(named);
  const status = gateway && listenerSetStatus(set.meta, gateway, attachedIn(world));
  if (status === undefined) return [];
  return [
    `${nameOf(set)}: ${text(status.conditions)}`,
    ...listenerLines(nameOf(set), status.listeners),
  ];
}

function routeLines(route: Route, world: World): string[] {
  const unresolved = referenceFault(route, world);
  const { generation } = route.meta;
  const facts = {
    generation,
    controllerName,
    ...(unresolved ? { unresolved } : {}),
    ...routeFaults(route, false),
  };
  return routeStatus(bindRoute(route, world), facts).parents.map(({ parentRef, conditions }) =>
    `${nameOf(route)} ${JSON.stringify(parentRef)}: ${text(conditions)}`
  );
}

function policyLines(policy: BackendTlsPolicy, world: World): string[] {
  const { generation } = policy.meta;
  const ancestors = [{ name: "g" }];
  return policyStatus(bindBackendTls(policy, world), { generation, controllerName, ancestors })
    .ancestors.map(({ conditions }) => `${nameOf(policy)}: ${text(conditions)}`);
}

function linesOf(documents: string): string[] {
  const world = worldOf(documents);
  return [
    ...world.of<GatewayClass>("GatewayClass").map((one) => classLine(one, world)),
    ...world.of<Gateway>("Gateway").flatMap((one) => gatewayLines(one, world)),
    ...world.of<ListenerSet>("ListenerSet").flatMap((one) => setLines(one, world)),
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
    Deno.test(`status of ${file.replace(".cases", "")}: ${name}`, () => {
      const wanted = lines.filter((line) => line.startsWith("# expect: "))
        .map((line) => line.slice("# expect: ".length));
      assert.deepEqual(linesOf(lines.join("\n")).sort(), wanted.sort());
    });
  }
}

Deno.test("the message about thousands of invalid listeners names ten", () => {
  const listeners = Array.from({ length: 5_000 }, (_, i) => `{name: l${i}, port: 80, protocol: X}`);
  const world = worldOf(
    `kind: Gateway\nmetadata: {name: g}\nspec: {gatewayClassName: mesh, listeners: [${listeners}]}`,
  );
  const status = statusOfGateway(world.of<Gateway>("Gateway")[0]!, world);
  const message = status!.conditions[0]!.message;
  assert.match(message, /^listeners that are not valid: "l0", .*"l9" and 4990 more$/);
});
