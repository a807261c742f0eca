/**
 * Cases of Sidecar ingress listeners with TLS.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry } from "../../support/manifest.ts";
import { addressOf, eachTransport } from "../../support/world.ts";
import { answersHttps, askTls, requestOf, SIDECARS_FILE, type TlsCase } from "./bench.ts";
import { mutual } from "./gateway_cases.ts";

export const INGRESS_CASES: readonly TlsCase[] = [{
  name: "TLS of an ingress listener, which asks for clients' certificates",
  run: async ({ world, pki, port, backend, each }) => {
    await world.config.write(
      SIDECARS_FILE,
      documents(
        // The mesh's own mutual TLS has no say where a listener names its own.
        manifest("PeerAuthentication", "default", { mtls: { mode: "STRICT" } }),
        serviceEntry("own", ["own.test"], { number: port, protocol: "HTTPS" }, [endpoint(port)]),
        ...eachTransport((transport) =>
          manifest("Sidecar", `proxy-${transport}`, {
            workloadSelector: { labels: { transport, kind: "sidecar" } },
            ingress: [{
              port: { number: port, protocol: "HTTPS", name: "https" },
              bind: addressOf("sidecar", transport),
              captureMode: "NONE",
              defaultEndpoint: `127.0.0.1:${backend}`,
              tls: mutual(pki, "MUTUAL"),
            }],
            egress: [{ hosts: ["./*"] }],
          })
        ),
      ),
    );
    await each("sidecar", async ({ address }) => {
      const trusts = pki.authority;
      const sni = "one.tls.test";
      const answer = await answersHttps(address, port, "a", { sni, trusts, as: pki.client });
      assert.equal(answer.names, "DNS:one.tls.test");
      assert.match(answer.text, /x-forwarded-client-cert.*spiffe:\/\/test\/client/);
      await assert.rejects(askTls(address, port, requestOf(sni), { sni, trusts }));
      const stranger = { sni, trusts, as: pki.stranger };
      await assert.rejects(askTls(address, port, requestOf(sni), stranger));
      await eventually("plain text to be refused", async () => {
        try {
          return (await fetch(`http://${address}:${port}/`)).status === 0;
        } catch {
          return true;
        }
      });
    });
    await world.config.remove(SIDECARS_FILE);
  },
}];
