/**
 * Cases of precedence of mutual TLS modes: mesh, namespace, workload, port; and clients that choose
 * for each endpoint.
 *
 * @module
 */
import assert from "node:assert/strict";
import { askTcp, call, eventually, startBackend } from "../../../scripts/harness/mod.ts";
import { manifest, type Spec } from "../../support/manifest.ts";
import { becomes, inPlain, type SecurityCase, throughMesh } from "./case.ts";
import { CLIENT, policy, type SecurityWorld, SERVER, SERVER_NAMESPACE } from "./world.ts";

const ROOT = "mesh-system";

type Mode = "STRICT" | "PERMISSIVE" | "UNSET";

/** Modes at each level; unset: none. */
interface Said {
  readonly mesh?: Mode;
  readonly namespace?: Mode;
  /** Mode of the workload; `other` for a workload that is not the server. */
  readonly workload?: Mode;
  readonly other?: Mode;
  /** Mode of the workload's HTTP port. */
  readonly port?: Mode;
}

interface Row {
  readonly said: Said;
  /** True if plain text is taken at the HTTP port, and at the other one. */
  readonly http: boolean;
  readonly tcp: boolean;
}

const open = { http: true, tcp: true };
const closed = { http: false, tcp: false };

const ROWS: readonly Row[] = [
  { said: { mesh: "STRICT" }, ...closed },
  { said: { mesh: "STRICT", namespace: "PERMISSIVE" }, ...open },
  { said: { mesh: "PERMISSIVE", namespace: "STRICT" }, ...closed },
  { said: { mesh: "STRICT", namespace: "UNSET" }, ...closed },
  { said: { namespace: "STRICT", workload: "PERMISSIVE" }, ...open },
  { said: { mesh: "STRICT", namespace: "UNSET", workload: "UNSET" }, ...closed },
  { said: { namespace: "STRICT", other: "PERMISSIVE" }, ...closed },
  { said: { mesh: "STRICT", workload: "UNSET", port: "PERMISSIVE" }, http: true, tcp: false },
  { said: { workload: "PERMISSIVE", port: "STRICT" }, http: false, tcp: true },
  { said: { namespace: "STRICT", workload: "UNSET", port: "UNSET" }, ...closed },
];

function policiesOf({ mesh, namespace, workload, other, port }: Said, http: number): string[] {
  const authn = (name: string, spec: Spec, where = SERVER_NAMESPACE): string =>
    policy("PeerAuthentication", name, spec, { namespace: where });
  const own = (app: string, mode: Mode, more: Spec = {}): Spec => ({
    selector: { matchLabels: { app } },
    mtls: { mode },
    ...more,
  });
  const ports = port && { portLevelMtls: { [http]: { mode: port } } };
  return [
    mesh && authn("default", { mtls: { mode: mesh } }, ROOT),
    namespace && authn("default", { mtls: { mode: namespace } }),
    workload && authn("workload", own("shop", workload, ports)),
    other && authn("other", own("till", other)),
  ].filter((text) => text !== undefined);
}

/** Reports if the server answers connections in plain text that are no HTTP. */
async function bytesInPlain({ tcp }: SecurityWorld): Promise<number> {
  const name = await askTcp(SERVER, tcp, 3_000).catch(() => "");
  return name === "till" ? 1 : 0;
}

async function holds(world: SecurityWorld, { said, http, tcp }: Row): Promise<void> {
  await world.apply(...policiesOf(said, world.http));
  const what = JSON.stringify(said);
  await becomes(`HTTP in plain text: ${what}`, http ? 200 : 0, () => inPlain(world, "/"));
  await becomes(`bytes in plain text: ${what}`, tcp ? 1 : 0, () => bytesInPlain(world));
  await becomes(`HTTP through the mesh: ${what}`, 200, () => throughMesh(world, "/"));
  assert.equal(await askTcp(CLIENT, world.tcp), "till", `bytes through the mesh: ${what}`);
}

/** A service of which one endpoint has a certificate, and another has none. */
function mixed(http: number, bare: number): string {
  const common = { ports: { main: http }, serviceAccount: "shop" };
  return manifest("ServiceEntry", "mixed", {
    hosts: ["mixed.test"],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: http, protocol: "HTTP", name: "main" }],
    endpoints: [
      { ...common, address: SERVER, labels: { "security.mesh.io/tlsMode": "mesh" } },
      { address: "127.0.0.1", ports: { main: bare } },
    ],
  }, SERVER_NAMESPACE);
}

export const PRECEDENCE_CASES: readonly SecurityCase[] = [
  {
    name:
      "the nearest level of mesh, namespace, workload and port decides, and unset modes inherit",
    run: async (world) => {
      for (const row of ROWS) await holds(world, row);
    },
  },
  {
    name:
      "endpoints of one service are called by TLS if they have certificates, the others in plain text",
    run: async (world) => {
      await using bare = startBackend("bare");
      await world.apply(
        policy("PeerAuthentication", "default", { mtls: { mode: "STRICT" } }),
        mixed(world.http, bare.port),
      );
      const met = new Map<string, string | undefined>();
      await eventually("both to answer", async () => {
        const url = `http://${CLIENT}:${world.http}/`;
        const { status, echo } = await call(url, { host: "mixed.test" });
        if (echo !== undefined) met.set(echo.backend, echo.headers["x-forwarded-client-cert"]);
        return status === 200 && met.size === 2;
      });
      assert.deepEqual([...met.keys()].sort(), ["bare", "shop"]);
      assert.match(met.get("shop") ?? "", /URI=spiffe:\/\/cluster\.local\/ns\/web\/sa\/web/);
      assert.equal(met.get("bare"), undefined, "nobody vouches for the client in plain text");
    },
  },
];
