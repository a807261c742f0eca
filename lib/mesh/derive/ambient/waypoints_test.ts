/** Services and workloads are bound to the waypoints that labels name. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { objectKey } from "../../model/mod.ts";
import { meshOf, objectsOf } from "../../../../tests/support/mesh_fixture.ts";
import { type Mesh, type TableKind, tableOf } from "../mod.ts";

/** A waypoint with the service in front of it. */
function waypoint(name: string, options: {
  readonly labels?: string;
  readonly annotations?: string;
  readonly listener?: string;
  readonly className?: string;
  readonly isReady?: boolean;
} = {}): string {
  const { labels = "", annotations = "", listener = "", isReady = true } = options;
  const { className = "mesh-waypoint" } = options;
  const gateway = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: infra, labels: {${labels}}, annotations: {${annotations}}}
spec:
  gatewayClassName: ${className}
  listeners: [{name: mesh, port: 15008, protocol: HBONE ${listener}}]
`;
  return isReady ? gateway + "---\n" + service(`${name}-${className}`, "", "infra") : gateway;
}

const OPEN = ", allowedRoutes: {namespaces: {from: All}}";

function service(name: string, labels: string, namespace = "shop"): string {
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata:
  name: ${name}
  namespace: ${namespace}
  labels: {${labels}}
  annotations: {mesh.io/use-waypoint-canary-weight: "20"}
spec:
  hosts: [${name}.${namespace}.svc.cluster.local]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
`;
}

function workload(name: string, labels: string): string {
  return `apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: ${name}, namespace: shop, labels: {${labels}}}
spec: {address: 10.0.0.1}
`;
}

function namespace(labels: string): string {
  return `apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {${labels}}}\n`;
}

const documents = (...texts: readonly string[]) => texts.join("---\n");
const USE = "mesh.io/use-waypoint: a, mesh.io/use-waypoint-namespace: infra";
const WEB = { namespace: "shop", host: "web.shop.svc.cluster.local" };

/** The binding of the service `web` and of the workload `w`. */
function boundIn(mesh: Mesh): string {
  const { waypoints } = mesh.ambient!;
  const shown = [
    mesh.graph.peek(waypoints.ofService, WEB),
    mesh.graph.peek(waypoints.ofWorkload, "shop/w"),
  ].map(({ waypoint, canary, fault, namedBy, ingress }) =>
    [
      waypoint === undefined ? fault?.reason ?? "-" : objectKey(waypoint),
      ...(canary === undefined ? [] : [`${objectKey(canary.waypoint)} ${canary.weight} %`]),
      ...(namedBy === undefined ? [] : [`by ${namedBy}`]),
      ...(ingress ? ["ingress"] : []),
    ].join(", ")
  );
  return shown.join("; ");
}

const CASES: readonly (readonly [what: string, documents: string, bound: string])[] = [
  ["no label", documents(waypoint("a"), service("web", ""), workload("w", "")), "-; -"],
  [
    "a label of the service",
    documents(waypoint("a", { listener: OPEN }), service("web", USE), workload("w", "")),
    "infra/a, by object; -",
  ],
  [
    "a label of the namespace, with the type service as default",
    documents(
      waypoint("a", { listener: OPEN }),
      namespace(USE),
      service("web", ""),
      workload("w", ""),
    ),
    "infra/a, by namespace; WaypointTrafficTypeUnsupported, by namespace",
  ],
  [
    "type all, and none at the workload",
    documents(
      waypoint("a", { listener: OPEN, labels: "mesh.io/waypoint-for: all" }),
      namespace(USE + ", mesh.io/ingress-use-waypoint: 'true'"),
      service("web", ""),
      workload("w", "mesh.io/use-waypoint: none"),
    ),
    "infra/a, by namespace, ingress; -",
  ],
  [
    "type workload",
    documents(
      waypoint("a", { listener: OPEN, labels: "mesh.io/waypoint-for: workload" }),
      namespace(USE),
      service("web", "mesh.io/ingress-use-waypoint: 'false'"),
      workload("w", ""),
    ),
    "WaypointTrafficTypeUnsupported, by namespace; infra/a, by namespace",
  ],
  [
    "type none",
    documents(
      waypoint("a", { listener: OPEN, labels: "mesh.io/waypoint-for: none" }),
      service("web", USE),
      workload("w", USE),
    ),
    "WaypointTrafficTypeUnsupported, by object; WaypointTrafficTypeUnsupported, by object",
  ],
  [
    "listeners allow their own namespace alone by default",
    documents(waypoint("a"), service("web", USE)),
    "WaypointAttachmentDenied, by object; -",
  ],
  [
    "listeners that select namespaces by labels",
    documents(
      waypoint("a", {
        listener:
          ", allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {t: x}}}}",
      }),
      namespace("t: x"),
      service("web", USE),
    ),
    "infra/a, by object; -",
  ],
  [
    "a waypoint that does not exist, in spite of that of the namespace",
    documents(
      waypoint("a", { listener: OPEN }),
      namespace(USE),
      service("web", "mesh.io/use-waypoint: missing"),
    ),
    "WaypointMissing, by object; -",
  ],
  [
    "a service whose clients connect to its workloads",
    documents(
      waypoint("a", { listener: OPEN }),
      service("web", USE).replace("STATIC", "NONE") + "  workloadSelector: {labels: {app: web}}\n",
    ),
    "ServiceWithoutAddress, by object; -",
  ],
  [
    "a waypoint without a Service",
    documents(waypoint("a", { listener: OPEN, isReady: false }), service("web", USE)),
    "WaypointNotReady, by object; -",
  ],
  [
    "a gateway of another class with a listener of tunnels",
    documents(waypoint("a", { listener: OPEN, className: "mesh" }), service("web", USE)),
    "infra/a, by object; -",
  ],
  [
    "a second waypoint",
    documents(
      waypoint("a", { listener: OPEN }),
      waypoint("b", { listener: OPEN }),
      service(
        "web",
        USE + ", mesh.io/use-waypoint-canary: b, mesh.io/use-waypoint-canary-namespace: infra",
      ),
    ),
    "infra/a, infra/b 20 %, by object; -",
  ],
];

for (const [what, yaml, bound] of CASES) {
  Deno.test(`waypoints: ${what}`, () => {
    assert.equal(boundIn(meshOf(yaml, { ambient: true })), bound);
  });
}

Deno.test("waypoints: the service in front, the inbound binding, and what is bound", () => {
  const annotations = "ambient.mesh.io/waypoint-inbound-binding: PROXY/15088";
  const options = { listener: OPEN, annotations, labels: "mesh.io/waypoint-for: all" };
  const mesh = meshOf(
    documents(
      waypoint("a", options),
      namespace(USE),
      service("web", ""),
      service("plain", "mesh.io/use-waypoint: none"),
      workload("w", ""),
      workload("v", "mesh.io/use-waypoint: none"),
    ),
    { ambient: true },
  );
  const { waypoints } = mesh.ambient!;
  const key = { namespace: "infra", name: "a" };
  const { allowed, ...rest } = mesh.graph.peek(waypoints.waypoint, key) ?? {};
  assert.equal(allowed?.from, "All");
  assert.deepEqual(rest, {
    ...key,
    className: "mesh-waypoint",
    traffic: "all",
    service: { namespace: "infra", host: "a-mesh-waypoint.infra.svc.cluster.local" },
    inbound: { protocol: "PROXY", port: 15088 },
  });
  assert.deepEqual(mesh.graph.peek(waypoints.services, key), [WEB]);
  assert.deepEqual(mesh.graph.peek(waypoints.workloads, key), ["shop/w"]);
});

Deno.test("waypoints: after any edits, bindings are those of a new mesh", () => {
  const pool = [
    ...["", "mesh.io/waypoint-for: all"].map((labels) => waypoint("a", { listener: OPEN, labels })),
    waypoint("a"),
    waypoint("b", { listener: OPEN }),
    ...["", USE, "mesh.io/use-waypoint: none"].flatMap((labels) => [
      namespace(labels),
      service("web", labels),
      workload("w", labels),
    ]),
    service(
      "web",
      USE + ", mesh.io/use-waypoint-canary: b, mesh.io/use-waypoint-canary-namespace: infra",
    ),
  ].map((text) =>
    objectsOf(text).map((one) => ({ ...one, meta: { ...one.meta, creationTime: 0 } }))
  );
  const answers = (mesh: Mesh): unknown => {
    const { waypoints } = mesh.ambient!;
    return [
      boundIn(mesh),
      ...["a", "b"].flatMap((name) => {
        const key = { namespace: "infra", name };
        return [
          mesh.graph.peek(waypoints.services, key),
          mesh.graph.peek(waypoints.workloads, key),
        ];
      }),
    ];
  };
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(pool.length - 1), fc.boolean()), { maxLength: 12 }),
      (edits) => {
        const mesh = meshOf("", { ambient: true });
        const present = new Map<string, ReturnType<typeof objectsOf>[number]>();
        for (const [index, isRemoved] of edits) {
          mesh.graph.transaction((tx) => {
            for (const object of pool[index]!) {
              const table = tableOf(mesh.tables, object.meta.kind as TableKind);
              const name = `${object.meta.kind} ${objectKey(object.meta)}`;
              if (isRemoved) {
                tx.delete(table, objectKey(object.meta));
                present.delete(name);
              } else {
                tx.set(table, objectKey(object.meta), object);
                present.set(name, object);
              }
            }
          });
          answers(mesh);
        }
        const fresh = meshOf("", { ambient: true });
        fresh.graph.transaction((tx) => {
          for (const object of present.values()) {
            const table = tableOf(fresh.tables, object.meta.kind as TableKind);
            tx.set(table, objectKey(object.meta), object);
          }
        });
        assert.deepEqual(answers(mesh), answers(fresh));
      },
    ),
  );
});
