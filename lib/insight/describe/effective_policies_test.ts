import assert from "node:assert/strict";
import { documents, manifest } from "../../../tests/support/manifest.ts";
import { objectsOf, testMeshConfig } from "../../../tests/support/mesh_fixture.ts";
import { clone } from "../../kit/proto/mod.ts";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { effectivePolicies } from "./effective_policies.ts";

const security = (
  kind: string,
  name: string,
  namespace: string,
  spec: Readonly<Record<string, unknown>>,
) => manifest(kind, name, spec, namespace).replace("networking", "security");
const mtls = (mode: string) => ({ mtls: { mode } });
const selector = { matchLabels: { app: "web" } };
const WEB = { role: "sidecar", namespace: "shop", labels: { app: "web", tier: "1" } } as const;
const GATEWAY = {
  role: "router",
  namespace: "shop",
  labels: { "gateway.networking.k8s.io/gateway-name": "edge" },
} as const;
const target = (kind: string, group: string) => ({ targetRefs: [{ kind, group, name: "edge" }] });

interface Case {
  readonly name: string;
  readonly yaml: string;
  readonly root?: string;
  /** The name of an object that is older than the others. */
  readonly older?: string;
  readonly workload?: typeof WEB | typeof GATEWAY;
  readonly mode?: string;
  readonly ports?: Readonly<Record<string, string>>;
  readonly peers?: readonly string[];
  readonly access?: readonly string[];
}

const CASES: readonly Case[] = [
  { name: "none", yaml: "", mode: "permissive" },
  {
    name: "an unset mode of the workload is that of the namespace, an unset one that of the mesh",
    yaml: documents(
      security("PeerAuthentication", "all", "root", mtls("STRICT")),
      security("PeerAuthentication", "own", "shop", mtls("UNSET")),
      security("PeerAuthentication", "web", "shop", { selector, ...mtls("UNSET") }),
    ),
    mode: "strict",
    peers: ["all.root", "own.shop", "web.shop"],
  },
  {
    name: "the older one of two on a level",
    older: "b",
    yaml: documents(
      security("PeerAuthentication", "a", "shop", mtls("DISABLE")),
      security("PeerAuthentication", "b", "shop", mtls("STRICT")),
    ),
    mode: "strict",
    peers: ["a.shop", "b.shop"],
  },
  {
    name: "modes of ports of the workload's own",
    yaml: documents(
      security("PeerAuthentication", "own", "shop", mtls("STRICT")),
      security("PeerAuthentication", "web", "shop", {
        selector,
        portLevelMtls: { "8080": { mode: "DISABLE" }, "8081": { mode: "UNSET" } },
      }),
    ),
    mode: "strict",
    ports: { "8080": "disable" },
    peers: ["own.shop", "web.shop"],
  },
  {
    name: "the root namespace of the mesh configuration",
    yaml: documents(
      security("PeerAuthentication", "all", "top", mtls("STRICT")),
      security("PeerAuthentication", "other", "root", mtls("DISABLE")),
    ),
    root: "top",
    mode: "strict",
    peers: ["all.top"],
  },
  {
    name: "policies of the root namespace with selectors",
    yaml: documents(
      security("AuthorizationPolicy", "web", "root", { selector, action: "DENY", rules: [{}] }),
      security("AuthorizationPolicy", "api", "root", { selector: { matchLabels: { app: "api" } } }),
      security("AuthorizationPolicy", "far", "far", { selector }),
      security("AuthorizationPolicy", "own", "shop", {}),
    ),
    access: ["DENY web.root", "ALLOW own.shop"],
  },
  {
    name: "policies for a Gateway do not apply to workloads",
    yaml: security(
      "AuthorizationPolicy",
      "edge",
      "shop",
      target("Gateway", "gateway.networking.k8s.io"),
    ),
    access: [],
  },
  {
    name: "policies for a Gateway apply to its own workload",
    yaml: security(
      "AuthorizationPolicy",
      "edge",
      "shop",
      target("Gateway", "gateway.networking.k8s.io"),
    ),
    workload: GATEWAY,
    access: ["ALLOW edge.shop"],
  },
];

for (const { name, yaml, root = "root", workload = WEB, older, ...wanted } of CASES) {
  Deno.test(`effective policies: ${name}`, () => {
    const mesh = clone(MeshConfigSchema, testMeshConfig());
    mesh.rootNamespace = root;
    const objects = (yaml === "" ? [] : objectsOf(yaml)).map((one) => ({
      ...one,
      meta: { ...one.meta, creationTime: one.meta.name === older ? 1 : 2 },
    }));
    const found = effectivePolicies(objects, mesh, workload);
    assert.equal(found.modes.mode, wanted.mode ?? "permissive");
    assert.deepEqual(found.modes.ports, wanted.ports ?? {});
    assert.deepEqual([...found.peers].sort(), wanted.peers ?? []);
    assert.deepEqual(
      found.access.map(({ action, name }) => `${action} ${name}`),
      wanted.access ?? [],
    );
  });
}
