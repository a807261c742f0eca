/**
 * TLS and undeclared protocols, by traffic through real Envoys, over both xDS variants.
 *
 * @module
 */
import { freePorts, startBackend, startTcpBackend } from "../../scripts/harness/mod.ts";
import { withCertificates } from "../support/certificates.ts";
import { documents, endpoint, serviceEntry } from "../support/manifest.ts";
import { assertNothingRejected, startWorld } from "../support/world.ts";
import { benchOf, makePki, startTlsBackend, type TlsCase } from "./tls/bench.ts";
import { CREDENTIAL_CASES } from "./tls/credential_cases.ts";
import { GATEWAY_CASES } from "./tls/gateway_cases.ts";
import { HTTP3_CASES } from "./tls/http3_cases.ts";
import { INGRESS_CASES } from "./tls/ingress_cases.ts";
import { OUTBOUND_CASES } from "./tls/outbound_cases.ts";
import { ORIGINATION_CASES, ORIGINATION_STATS } from "./tls/origination_cases.ts";

const CASES: readonly TlsCase[] = [
  ...GATEWAY_CASES,
  ...CREDENTIAL_CASES,
  ...HTTP3_CASES,
  ...INGRESS_CASES,
  ...ORIGINATION_CASES,
  ...OUTBOUND_CASES,
];

Deno.test(withCertificates("TLS and undeclared protocols", async (t) => {
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
      kinds: ["sidecar", "router"],
      files,
      daemon: {
        env: {
          MESH_CREDENTIAL_DIR: pki.credentials.dir,
          PILOT_ENABLE_QUIC_LISTENERS: "true",
          ENABLE_TLS_ON_SIDECAR_INGRESS: "true",
        },
      },
      stats: ORIGINATION_STATS,
    }),
  );
  for (const one of CASES) await t.step(one.name, () => one.run(benchOf(world, pki, a.port, tls)));
  await t.step("no update was refused", () => assertNothingRejected(world));
}));
