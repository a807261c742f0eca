/**
 * Cases of gateways with `credentialName`, and of gateways between networks.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MESHCTL } from "../../../cmd/meshctl/program.ts";
import { call, eventually } from "../../../scripts/harness/mod.ts";
import {
  documents,
  endpoint,
  manifest,
  serviceEntry,
  type Spec,
  to,
} from "../../support/manifest.ts";
import { runInProcess } from "../../support/program_run.ts";
import { sidecars, type TestProxy, type World } from "../../support/world.ts";
import {
  answersHttps,
  askTls,
  requestOf,
  SIDECARS_FILE,
  startTlsBackend,
  type TlsCase,
} from "./bench.ts";
import { gateway, routes, server } from "./gateway_cases.ts";

/** The answer of `meshctl incident` about a request to a gateway. */
async function incident({ daemon }: World, evidence: string): Promise<string> {
  const address = new URL(daemon.http).host;
  const args = ["incident", evidence, "--daemon", address, "--from", "router-delta.test"];
  const [out, err] = await runInProcess(MESHCTL, args);
  return out || err;
}

export const CREDENTIAL_CASES: readonly TlsCase[] = [
  {
    name: "a certificate goes by a name, and is renewed under connections",
    run: async ({ world, pki, port, each }) => {
      const { credentials, authority: trusts } = pki;
      await credentials.write("shop", pki.one);
      const named = server({ number: port, protocol: "HTTPS", name: "shop" }, ["one.tls.test"], {
        mode: "SIMPLE",
        credentialName: "shop",
      });
      // A missing credential does not delay others for long.
      const missing = server({ number: port, protocol: "HTTPS", name: "gone" }, ["gone.tls.test"], {
        mode: "SIMPLE",
        credentialName: "gone",
      });
      await world.config.write(
        "credential.yaml",
        documents(
          gateway("credential", named, missing),
          routes("credential", "one.tls.test", { http: [to("a.test")] }),
          routes("credential", "gone.tls.test", { http: [to("b.test")] }),
        ),
      );
      await each("router", async ({ address }) => {
        const answer = await answersHttps(address, port, "a", { sni: "one.tls.test", trusts });
        assert.equal(answer.names, "DNS:one.tls.test");
        await assert.rejects(
          askTls(address, port, requestOf("gone.tls.test"), { sni: "gone.tls.test" }),
        );
      });
      const evidence = `curl https://gone.tls.test:${port}/`;
      assert.match(await incident(world, evidence), /^now {7}UNKNOWN: .* kubernetes:\/\/gone, /m);
      const renewed = await pki.authority.issue("renewed", ["one.tls.test", "renewed.tls.test"]);
      await credentials.write("shop", renewed);
      await credentials.write("gone", pki.two);
      await each("router", async ({ address }) => {
        await eventually("the renewed certificate", async () => {
          const ask = answersHttps(address, port, "a", { sni: "one.tls.test", trusts });
          return (await ask).names === "DNS:one.tls.test, DNS:renewed.tls.test";
        });
        const came = { sni: "gone.tls.test" };
        assert.equal((await answersHttps(address, port, "b", came)).names, "DNS:two.tls.test");
      });
      assert.match(await incident(world, evidence), /^now {7}ALLOWED/m);
      const dump = await fetch(`${world.daemon.http}/debug/config_dump?proxyID=router-delta.test`);
      const text = await dump.text();
      assert.match(text, /kubernetes:\/\/shop/);
      assert.doesNotMatch(text, /PRIVATE KEY/);
    },
  },
  {
    name: "clients are held to the authorities of a credential",
    run: async ({ world, pki, port, each }) => {
      await pki.credentials.write("clients", pki.one, pki.authority);
      const common = { sni: "one.tls.test", trusts: pki.authority };
      await world.config.write(
        "clients.yaml",
        documents(
          gateway(
            "clients",
            server({ number: port, protocol: "HTTPS", name: "m" }, ["one.tls.test"], {
              mode: "MUTUAL",
              credentialName: "clients",
            }),
          ),
          routes("clients", "one.tls.test", { http: [to("a.test")] }),
        ),
      );
      await each("router", async ({ address }) => {
        await answersHttps(address, port, "a", { ...common, as: pki.client });
        for (const as of [undefined, pki.stranger]) {
          await assert.rejects(
            askTls(address, port, requestOf(common.sni), { ...common, as }),
          );
        }
      });
    },
  },
  {
    name: "a rule's credential is a gateway's, and that of a sidecar which the rule selects",
    run: async ({ world, pki, port, each }) => {
      await pki.credentials.write("to-secure", pki.client, pki.authority);
      await using backend = await startTlsBackend("secure", pki.backend, pki.authority);
      const tls = {
        mode: "MUTUAL",
        credentialName: "to-secure",
        sni: "secure.test",
        subjectAltNames: ["secure.test"],
      };
      const rule = (name: string, more: Spec): string =>
        manifest("DestinationRule", name, {
          host: "credential.test",
          trafficPolicy: { tls },
          ...more,
        });
      await world.config.write(SIDECARS_FILE, sidecars([{ number: port, protocol: "HTTP" }]));
      await world.config.write(
        "rule-credential.yaml",
        documents(
          serviceEntry("credential", ["credential.test"], { number: port, protocol: "HTTP" }, [
            endpoint(backend.port),
          ]),
          rule("credential", {}),
          rule("credential-delta", {
            workloadSelector: { matchLabels: { transport: "delta", kind: "sidecar" } },
          }),
          gateway("to-secure", {
            port: { number: port, protocol: "HTTP", name: "http" },
            hosts: ["credential.test"],
          }),
          routes("to-secure", "credential.test", { http: [to("credential.test")] }),
        ),
      );
      const ask = ({ address }: TestProxy) =>
        call(`http://${address}:${port}/`, { host: "credential.test" });
      const served = async (testProxy: TestProxy): Promise<void> => {
        await eventually(
          "an answer",
          async () => (await ask(testProxy)).echo?.backend === "secure",
        );
      };
      await each("router", served);
      await each("sidecar", async (testProxy) => {
        if (testProxy.transport === "delta") await served(testProxy);
        // The result is that of a server without a credential, which requires one.
        else await eventually("no answer", async () => (await ask(testProxy)).status === 503);
      });
    },
  },
  {
    name: "TLS is sent on to the cluster that its server name tells",
    run: async ({ world, port, tlsPort, each }) => {
      await world.config.write(
        "auto.yaml",
        gateway(
          "auto",
          server({ number: port, protocol: "TLS", name: "auto" }, ["*.test"], {
            mode: "AUTO_PASSTHROUGH",
          }),
        ),
      );
      await each("router", async ({ address }) => {
        const sni = `outbound_.${tlsPort}_._.left.test`;
        const answer = await eventually(
          "an answer by name",
          () => askTls(address, port, "ping\n", { sni, alpn: ["mesh"] }),
        );
        assert.equal(answer.names, "DNS:secure.test, DNS:*.pass.test");
        assert.match(answer.text, /^left pong/);
        await assert.rejects(
          askTls(address, port, "ping\n", { sni: "outbound_.1_._.left.test", alpn: ["mesh"] }),
        );
        // A client outside of the mesh: without the ALPN of mutual TLS, even by a right name.
        await assert.rejects(askTls(address, port, "ping\n", { sni }));
        await assert.rejects(askTls(address, port, "ping\n", { sni, alpn: ["h2", "http/1.1"] }));
      });
    },
  },
];
