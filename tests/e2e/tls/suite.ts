/**
 * The suite of TLS: its cases, certificates, configuration and proxies.
 *
 * @module
 */
import { freePorts, startBackend, startTcpBackend } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, serviceEntry } from "../../support/manifest.ts";
import { startWorld, type World } from "../../support/world.ts";
import { type Bench, benchOf, makePki, startTlsBackend, type TlsCase } from "./bench.ts";
import { CREDENTIAL_CASES } from "./credential_cases.ts";
import { GATEWAY_CASES } from "./gateway_cases.ts";
import { HTTP3_CASES } from "./http3_cases.ts";
import { INGRESS_CASES } from "./ingress_cases.ts";
import { OUTBOUND_CASES } from "./outbound_cases.ts";
import { ORIGINATION_CASES, ORIGINATION_STATS } from "./origination_cases.ts";

/** All cases. */
export const TLS_CASES: readonly TlsCase[] = [
  ...GATEWAY_CASES,
  ...CREDENTIAL_CASES,
  ...HTTP3_CASES,
  ...INGRESS_CASES,
  ...ORIGINATION_CASES,
  ...OUTBOUND_CASES,
];

/** The suite with its proxies. */
export interface TlsSuite extends AsyncDisposable {
  readonly world: World;
  /** The bench of another case. */
  readonly bench: () => Bench;
}

/**
 * Starts the suite.
 *
 * @param envoy path of another Envoy than the pinned one
 */
export async function startTlsSuite(envoy?: string): Promise<TlsSuite> {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-tls-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const pki = await makePki(dir);
  const a = stack.use(startBackend("a"));
  const b = stack.use(startBackend("b"));
  const tcp = stack.use(await startTcpBackend("t"));
  const left = stack.use(await startTlsBackend("left", pki.backend));
  const right = stack.use(await startTlsBackend("right", pki.backend));
  const [http = 0, bytes = 0, tls = 0] = freePorts(3);
  const services = documents(
    serviceEntry("a", ["a.test"], { number: http, protocol: "HTTP" }, [endpoint(a.port)]),
    serviceEntry("b", ["b.test"], { number: http, protocol: "HTTP" }, [endpoint(b.port)]),
    serviceEntry("t", ["t.test"], { number: bytes, protocol: "TCP" }, [endpoint(tcp.port)]),
    serviceEntry("left", ["left.test"], { number: tls, protocol: "TLS" }, [endpoint(left.port)]),
    serviceEntry("right", ["right.test"], { number: tls, protocol: "TLS" }, [endpoint(right.port)]),
  );
  const files = { "services.yaml": services };
  const world = stack.use(
    await startWorld({
      envoy,
      kinds: ["sidecar", "router"],
      files,
      daemon: {
        env: {
          MESH_CREDENTIAL_DIR: pki.credentials.dir,
          MESH_CREDENTIAL_ANONYMOUS: "true",
          PILOT_ENABLE_QUIC_LISTENERS: "true",
          ENABLE_TLS_ON_SIDECAR_INGRESS: "true",
        },
      },
      stats: ORIGINATION_STATS,
    }),
  );
  const all = stack.move();
  return {
    world,
    bench: () => benchOf(world, pki, a.port, tls),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
