/**
 * Cases of TLS origination.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type Answer, call, eventually } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry, type Spec } from "../../support/manifest.ts";
import { sidecars, type TestProxy } from "../../support/world.ts";
import { type Bench, SIDECARS_FILE, startTlsBackend, type TlsCase } from "./bench.ts";

/** The service's host, which its backend's certificate names. */
const HOST = "secure.test";

interface Origination {
  /** Writes a rule and calls until an answer is right, over every proxy. */
  readonly with: (tls: Spec, what: string, right: (answer: Answer) => boolean) => Promise<void>;
  /** Writes a rule and calls until the certificate is refused, for its authority or its names. */
  readonly refuses: (tls: Spec, because: "error" | "san") => Promise<void>;
}

/** A service at a port of its own, whose backend speaks TLS. */
async function originate(
  { world, port, each }: Bench,
  backend: { readonly port: number },
  host = HOST,
): Promise<Origination> {
  const service = serviceEntry("secure", [host], { number: port, protocol: "HTTP" }, [
    endpoint(backend.port),
  ]);
  await world.config.write(SIDECARS_FILE, sidecars([{ number: port, protocol: "HTTP" }]));
  const write = (tls: Spec): Promise<void> => {
    const rule = manifest("DestinationRule", "secure", { host, trafficPolicy: { tls } });
    return world.config.write("secure.yaml", documents(service, rule));
  };
  const ask = ({ address }: TestProxy) => call(`http://${address}:${port}/`, { host });
  return {
    with: async (tls, what, right) => {
      await write(tls);
      await each("sidecar", async (testProxy) => {
        let last: Answer | undefined;
        await eventually(what, async () => right(last = await ask(testProxy))).catch((cause) => {
          throw new Error(`${cause}; last: ${last?.status} ${last?.body}`, { cause });
        });
      });
    },
    refuses: async (tls, because) => {
      await write(tls);
      await each("sidecar", async (testProxy) => {
        const count = async () =>
          Object.values(await testProxy.agent.stats(`\\|${port}\\|.*fail_verify_${because}$`))
            .reduce((sum, n) => sum + n, 0);
        await eventually(`a refusal by ${because} with ${JSON.stringify(tls)}`, async () => {
          const before = await count();
          const { status } = await ask(testProxy);
          return status === 503 && await count() > before;
        });
      });
    },
  };
}

/** Statistics of clusters by which the suite tells why certificates are refused. */
export const ORIGINATION_STATS = ["fail_verify_error", "fail_verify_san"] as const;

const served = ({ status, echo }: Answer): boolean => status === 200 && echo?.backend === "secure";

export const ORIGINATION_CASES: readonly TlsCase[] = [
  {
    name: "the backend's certificate is verified: its authority and its name",
    run: async (bench) => {
      const { pki } = bench;
      await using backend = await startTlsBackend("secure", pki.backend);
      const service = await originate(bench, backend);
      const right = { mode: "SIMPLE", caCertificates: pki.authority.cert };
      const wrong = { mode: "SIMPLE", caCertificates: pki.other.cert };
      await service.with({ mode: "DISABLE" }, "a failure without TLS", (a) => a.status >= 500);
      await service.with(right, "an answer", served);
      assert.equal(backend.asked.at(-1), HOST, "the server name of the request");
      await service.refuses(wrong, "error");
      // A request that is in flight when the cluster changes is retried with the name that Envoy
      // chose for its first attempt, so the first answer does not prove the rule's name.
      const named = { ...right, sni: "x.pass.test" };
      const byName = (a: Answer) => served(a) && backend.asked.at(-1) === named.sni;
      await service.with(named, "an answer by the rule's server name", byName);
      const names = { ...right, subjectAltNames: ["other.test"] };
      await service.refuses(names, "san");
      // The system's authorities do not include the test's.
      await service.refuses({ mode: "SIMPLE" }, "error");
      const careless = { mode: "SIMPLE", insecureSkipVerify: true };
      await service.with(careless, "an answer without verification", served);
    },
  },
  {
    name: "a name that the certificate has not",
    run: async (bench) => {
      await using backend = await startTlsBackend("secure", bench.pki.backend);
      const service = await originate(bench, backend, "unnamed.test");
      const tls = { mode: "SIMPLE", caCertificates: bench.pki.authority.cert };
      await service.refuses(tls, "san");
      await service.with({ ...tls, subjectAltNames: [HOST] }, "an answer by name", served);
    },
  },
  {
    name: "the proxy shows a certificate",
    run: async (bench) => {
      const { pki } = bench;
      await using backend = await startTlsBackend("secure", pki.backend, pki.authority);
      const service = await originate(bench, backend);
      const anonymous = { mode: "SIMPLE", caCertificates: pki.authority.cert };
      const mutual = {
        ...anonymous,
        mode: "MUTUAL",
        clientCertificate: pki.client.cert,
        privateKey: pki.client.key,
      };
      await service.with(anonymous, "a refusal without certificate", (a) => a.status === 503);
      await service.with(mutual, "an answer", served);
      assert.equal(backend.callers.at(-1), "client");
      const stranger = { ...mutual, clientCertificate: pki.stranger.cert };
      const theirs = { ...stranger, privateKey: pki.stranger.key };
      await service.with(theirs, "the refusal of a stranger", (a) => a.status === 503);
    },
  },
];
