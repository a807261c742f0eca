/**
 * The status of objects of the Gateway API on a real API server with the definitions of the standard:
 * objects are read into tables, and the controller writes what these derive.
 */
import assert from "node:assert/strict";
import {
  type FollowStatus,
  type GatewayApiObjectStatus,
  NO_STATUS,
  runGatewayStatus,
} from "../../lib/cluster/controllers/mod.ts";
import { GATEWAY_CONTROLLER, isRouteKind } from "../../lib/mesh/gateway_api/mod.ts";
import { listAll, mergePatch, type OrchClient, type OrchObject } from "../../lib/kit/orch/mod.ts";
import type { ResourceType } from "../../lib/kit/orch/mod.ts";
import { type Cluster, eventually } from "../../scripts/harness/mod.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { applyGatewayApi, lackingGatewayApiDefinitions } from "../support/gateway_api.ts";
import { createGatewayApiTables } from "../support/gateway_api_tables.ts";

const GROUP = "gateway.networking.k8s.io";

function typeOf(kind: string, plural: string, namespaced = true): ResourceType {
  return { group: GROUP, version: "v1", kind, plural, namespaced };
}

const CLASS = typeOf("GatewayClass", "gatewayclasses", false);
const GATEWAY = typeOf("Gateway", "gateways");
const ROUTE = typeOf("HTTPRoute", "httproutes");
const TYPES = [CLASS, GATEWAY, ROUTE];

interface Seen extends OrchObject {
  readonly spec: unknown;
  readonly status?: Omit<GatewayApiObjectStatus, "listeners"> & {
    readonly listeners?: readonly {
      readonly attachedRoutes: number;
      readonly conditions: NonNullable<GatewayApiObjectStatus["conditions"]>;
    }[];
  };
}

const OBJECTS = `apiVersion: ${GROUP}/v1
kind: GatewayClass
metadata: {name: mesh}
spec: {controllerName: mesh.io/gateway-controller}
---
apiVersion: ${GROUP}/v1
kind: GatewayClass
metadata: {name: other}
spec: {controllerName: example.org/other}
---
apiVersion: ${GROUP}/v1
kind: Gateway
metadata: {name: g, namespace: default}
spec:
  gatewayClassName: mesh
  addresses: [{type: Hostname, value: front.example.org}]
  listeners:
  - {name: a, port: 80, protocol: HTTP, hostname: "*.example.com"}
  - {name: b, port: 80, protocol: TCP}
  - {name: c, port: 81, protocol: HTTP}
---
apiVersion: ${GROUP}/v1
kind: Gateway
metadata: {name: foreign, namespace: default}
spec: {gatewayClassName: other, listeners: [{name: a, port: 80, protocol: HTTP}]}
---
apiVersion: ${GROUP}/v1
kind: HTTPRoute
metadata: {name: r, namespace: default}
spec:
  parentRefs: [{name: g}, {name: foreign}]
  rules: [{backendRefs: [{name: echo, port: 80}]}]
`;

const ENTRIES = ["front.example.org", "echo.default.svc.cluster.local"].map((host, i) =>
  `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: e${i}, namespace: default}
spec: {hosts: [${host}], ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS}
`
).join("---\n");

/** The controller over tables that `read` fills from the server. */
function startController(client: OrchClient) {
  const { set, apply, status, graph } = createGatewayApiTables();
  apply(`# entries\n${ENTRIES}`);
  const follow: FollowStatus = (kind, key, changed) => {
    if (kind === "GatewayClass") return graph.tap(status.classes, key.name, changed);
    if (kind === "Gateway") return graph.tap(status.gateways, key, changed);
    return isRouteKind(kind) ? graph.tap(status.routes, { kind, ...key }, changed) : NO_STATUS;
  };
  const stop = new AbortController();
  const running = runGatewayStatus({ client, signal: stop.signal }, {
    types: TYPES,
    controllerName: GATEWAY_CONTROLLER,
    follow,
    everyMs: 50,
    pace: { qps: 0, burst: 1, workers: 2, roundMs: 0 },
  });
  return {
    async read() {
      const lists = await Promise.all(
        TYPES.map(async (type) => ({ type, items: await listAll<Seen>(client, type) })),
      );
      const objects = lists.flatMap(({ type: { kind }, items }) =>
        items.map(({ metadata: { name, namespace = "", generation = 0 }, spec }) => ({
          meta: {
            kind,
            name,
            namespace,
            generation,
            labels: {},
            annotations: {},
            creationTime: 0,
            origin: { source: "cluster/a" },
          },
          spec,
          digest: JSON.stringify([generation, spec]),
        }))
      );
      set(objects);
      return graph.revision;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

/** `TYPE` of a condition that holds, `!TYPE` otherwise, with the reason. */
function textOf(conditions: GatewayApiObjectStatus["conditions"] = []): string {
  return conditions.map(({ type, status, reason, observedGeneration }) =>
    `${status === "True" ? "" : "!"}${type}:${reason}@${observedGeneration}`
  ).join(" ");
}

async function apply(cluster: Cluster, text: string): Promise<void> {
  const file = await Deno.makeTempFile({ suffix: ".yaml" });
  await Deno.writeTextFile(file, text);
  const { success, text: said } = await cluster.run(["apply", "-f", file]);
  await Deno.remove(file);
  assert.ok(success, said);
}

clusterTest(
  "the status of objects of the Gateway API is written once, beside that of other controllers",
  async (cluster, t) => {
    await applyGatewayApi(cluster);
    using client = await adminClient(cluster);
    const get = async (type: ResourceType, name: string) =>
      (await listAll<Seen>(client, type)).find(({ metadata }) => metadata.name === name)!;
    await apply(cluster, OBJECTS);
    // What another controller has written to the route.
    const foreign = {
      parentRef: { group: GROUP, kind: "Gateway", name: "foreign" },
      controllerName: "example.org/other",
      conditions: [{
        type: "Accepted",
        status: "True",
        reason: "Accepted",
        message: "theirs",
        observedGeneration: 1,
        lastTransitionTime: "2026-01-01T00:00:00Z",
      }],
    };
    const route = { namespace: "default", name: "r" };
    await mergePatch(client, ROUTE, { ...route, subresource: "status" }, {
      status: { parents: [foreign] },
    });
    await using controller = startController(client);
    await controller.read();
    const parents = async () => (await get(ROUTE, "r")).status?.parents ?? [];

    await t.step("classes, Gateways with listeners and routes have conditions", async () => {
      await eventually("the route's parents", async () => (await parents()).length === 2);
      await eventually(
        "the Gateway",
        async () => (await get(GATEWAY, "g")).status?.listeners?.length === 3,
      );
      const { status } = await get(GATEWAY, "g");
      assert.equal(
        textOf(status?.conditions),
        "Accepted:ListenersNotValid@1 !Programmed:AddressNotAssigned@1",
      );
      assert.deepEqual(
        status?.listeners?.map(({ attachedRoutes, conditions }) =>
          `${attachedRoutes} ${textOf(conditions.slice(0, 2))}`
        ),
        [
          "1 !Accepted:ProtocolConflict@1 Conflicted:ProtocolConflict@1",
          "0 !Accepted:ProtocolConflict@1 Conflicted:ProtocolConflict@1",
          "1 Accepted:Accepted@1 !Conflicted:NoConflicts@1",
        ],
      );
      const accepted = textOf((await get(CLASS, "mesh")).status?.conditions);
      assert.match(accepted, /(^| )Accepted:Accepted@1/);
    });
    await t.step("entries and objects of other controllers are kept", async () => {
      const [first, second] = await parents();
      assert.deepEqual(first, foreign);
      assert.equal(second?.controllerName, GATEWAY_CONTROLLER);
      assert.equal(textOf(second?.conditions), "Accepted:Accepted@1 ResolvedRefs:ResolvedRefs@1");
      const other = textOf((await get(GATEWAY, "foreign")).status?.conditions);
      assert.match(other, /:Pending@/);
    });
    await t.step("a change of one object writes what depends on it, and nothing else", async () => {
      const versions = async () => {
        const all = await Promise.all(
          TYPES.map(async (type) => ({ type, items: await listAll<Seen>(client, type) })),
        );
        return new Map(
          all.flatMap(({ type: { kind }, items }) =>
            items.map(({ metadata: { name, resourceVersion } }) =>
              [`${kind} ${name}`, resourceVersion] as const
            )
          ),
        );
      };
      const before = await versions();
      await mergePatch(client, ROUTE, route, { spec: { hostnames: ["a.example.org"] } });
      await controller.read();
      await eventually(
        "the new generation",
        async () => (await parents())[1]?.conditions[0]?.observedGeneration === 2,
      );
      await eventually(
        "the new counts",
        async () => (await get(GATEWAY, "g")).status?.listeners?.[0]?.attachedRoutes === 0,
      );
      // A further change of one object: its status is written after all passes before.
      await mergePatch(client, ROUTE, route, { spec: { hostnames: ["b.example.org"] } });
      await controller.read();
      await eventually(
        "a further generation",
        async () => (await parents())[1]?.conditions[0]?.observedGeneration === 3,
      );
      const after = await versions();
      const changed = [...after].filter(([key, version]) => before.get(key) !== version)
        .map(([key]) => key.split(" ").at(-1)).toSorted();
      assert.deepEqual(changed, ["g", "r"]);
    });
  },
  { missing: lackingGatewayApiDefinitions() },
);
