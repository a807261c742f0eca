/**
 * `tlsDefaults` of the mesh configuration, by handshakes with real Envoys.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, eventually, freePort, startBackend } from "../../scripts/harness/mod.ts";
import { withCertificates } from "../support/certificates.ts";
import { documents, endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";
import { assertNothingRejected, sidecars, startWorld } from "../support/world.ts";
import { answersHttps, askTls, benchOf, makePki, requestOf, startTlsBackend } from "./tls/bench.ts";
import { gateway, routes, server, simple } from "./tls/gateway_cases.ts";

const NEWEST = "tlsDefaults: {minProtocolVersion: TLSV1_3, ecdhCurves: [P-256]}\n";

Deno.test(withCertificates("TLS 1.3 by default, at gateways and towards services", async () => {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-tls-defaults-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const pki = await makePki(dir);
  const a = stack.use(startBackend("a"));
  const secure = stack.use(await startTlsBackend("secure", pki.backend));
  const [port, outbound] = [freePort(), freePort()];
  await Deno.writeTextFile(`${dir}/mesh`, NEWEST);
  const http = { number: outbound, protocol: "HTTP" };
  const files = {
    "all.yaml": documents(
      serviceEntry("a", ["a.test"], { number: 80, protocol: "HTTP" }, [endpoint(a.port)]),
      serviceEntry("secure", ["secure.test"], http, [endpoint(secure.port)]),
      manifest("DestinationRule", "secure", {
        host: "secure.test",
        trafficPolicy: { tls: { mode: "SIMPLE", caCertificates: pki.authority.cert } },
      }),
      sidecars([http]),
      gateway(
        "https",
        server({ number: port, protocol: "HTTPS", name: "one" }, ["one.tls.test"], simple(pki.one)),
        server({ number: port, protocol: "HTTPS", name: "two" }, ["two.tls.test"], {
          ...simple(pki.two),
          maxProtocolVersion: "TLSV1_2",
        }),
      ),
      ...["one", "two"].map((name) =>
        routes("https", `${name}.tls.test`, { http: [to("a.test")] })
      ),
    ),
  };
  const world = stack.use(
    await startWorld({
      kinds: ["sidecar", "router"],
      files,
      daemon: { args: [`--meshConfig=${dir}/mesh`] },
      stats: ["TLSv1.2", "TLSv1.3"],
    }),
  );
  const { each } = benchOf(world, pki, a.port);
  await each("router", async ({ address }) => {
    const trusts = pki.authority;
    await answersHttps(address, port, "a", { sni: "one.tls.test", trusts });
    await assert.rejects(
      askTls(address, port, requestOf("one.tls.test"), {
        sni: "one.tls.test",
        trusts,
        maxVersion: "TLSv1.2",
      }),
      "a server that says nothing has the mesh's oldest version",
    );
    const older = { sni: "two.tls.test", trusts, maxVersion: "TLSv1.2" } as const;
    await answersHttps(address, port, "a", older);
  });
  await each("sidecar", async ({ address, agent }) => {
    await eventually(
      "an answer over TLS",
      async () =>
        (await call(`http://${address}:${outbound}/`, { host: "secure.test" })).status === 200,
    );
    const versions = async (version: string): Promise<number> =>
      Object.values(await agent.stats(`outbound\\|${outbound}\\|.*${version}$`))
        .reduce((sum, count) => sum + count, 0);
    assert.ok(await versions("TLSv1.3") > 0, "clients of Envoy stop at 1.2 by themselves");
    assert.equal(await versions("TLSv1.2"), 0);
  });
  await assertNothingRejected(world);
}));
