/**
 * Cases of gateways with TLS: certificates by server name, client certificates, passthrough,
 * redirects to HTTPS.
 *
 * @module
 */
import assert from "node:assert/strict";
import { askTcp, call, eventually } from "../../../scripts/harness/mod.ts";
import { documents, manifest, type Spec, to } from "../../support/manifest.ts";
import { addressOf, eachTransport } from "../../support/world.ts";
import { answersHttps, askTls, type Pki, requestOf, type TlsCase } from "./bench.ts";

/** A Gateway for each proxy. */
export function gateway(name: string, ...servers: readonly Spec[]): string {
  return documents(...eachTransport((transport) =>
    manifest("Gateway", `${name}-${transport}`, {
      selector: { transport, kind: "router" },
      servers: servers.map((server) => ({ ...server, bind: addressOf("router", transport) })),
    })
  ));
}

export function server(
  port: { readonly number: number; readonly protocol: string; readonly name: string },
  hosts: string[],
  tls: Spec,
): Spec {
  return { port, hosts, tls };
}

export function routes(name: string, host: string, more: Spec): string {
  const gateways = eachTransport((transport) => `${name}-${transport}`);
  return manifest("VirtualService", `${name}-${host.replaceAll(/[^a-z]/g, "")}`, {
    hosts: [host],
    gateways,
    ...more,
  });
}

export function simple({ cert, key }: { readonly cert: string; readonly key: string }): Spec {
  return { mode: "SIMPLE", serverCertificate: cert, privateKey: key };
}

export function mutual(pki: Pki, mode: string, more: Spec = {}): Spec {
  return { ...simple(pki.one), mode, caCertificates: pki.authority.cert, ...more };
}

export const GATEWAY_CASES: readonly TlsCase[] = [
  {
    name: "a certificate for each host, and HTTP inside",
    run: async ({ world, pki, port, each }) => {
      const trusts = pki.authority;
      await world.config.write(
        "https.yaml",
        documents(
          gateway(
            "https",
            server(
              { number: port, protocol: "HTTPS", name: "one" },
              ["one.tls.test"],
              simple(pki.one),
            ),
            server({ number: port, protocol: "HTTPS", name: "two" }, ["two.tls.test"], {
              ...simple(pki.two),
              maxProtocolVersion: "TLSV1_2",
            }),
          ),
          routes("https", "one.tls.test", { http: [to("a.test")] }),
          routes("https", "two.tls.test", { http: [to("b.test")] }),
        ),
      );
      await each("router", async ({ address, agent }) => {
        const one = await answersHttps(address, port, "a", { sni: "one.tls.test", trusts });
        assert.equal(one.names, "DNS:one.tls.test");
        const two = await answersHttps(address, port, "b", {
          sni: "two.tls.test",
          trusts,
          alpn: ["http/1.1"],
        });
        assert.equal(two.names, "DNS:two.tls.test");
        assert.equal(two.alpn, "http/1.1");
        // Requests do not leave the server whose name the connection has.
        const crossed = await askTls(address, port, requestOf("two.tls.test"), {
          sni: "one.tls.test",
          trusts,
        });
        assert.match(crossed.text, /^HTTP\/1.1 404 /);
        await assert.rejects(askTls(address, port, requestOf("x"), { sni: "three.tls.test" }));
        await assert.rejects(call(`http://${address}:${port}/`, { host: "one.tls.test" }));
        const name = agent.name.replace("router-", "");
        const tables = await agent.held("route");
        assert.ok(tables.includes(`https.${port}.one.https-${name}.test`), `${tables}`);
      });
    },
  },
  {
    name: "clients must show a certificate",
    run: async ({ world, pki, port, each }) => {
      const common = { sni: "one.tls.test", trusts: pki.authority };
      const config = (tls: Spec): string =>
        documents(
          gateway(
            "mutual",
            server({ number: port, protocol: "HTTPS", name: "m" }, ["one.tls.test"], tls),
          ),
          routes("mutual", "one.tls.test", { http: [to("a.test")] }),
        );
      await world.config.write(
        "mutual.yaml",
        config(mutual(pki, "MUTUAL", { subjectAltNames: ["spiffe://test/client"] })),
      );
      await each("router", async ({ address }) => {
        await answersHttps(address, port, "a", { ...common, as: pki.client });
        const refused = (more: Parameters<typeof askTls>[3]) =>
          assert.rejects(askTls(address, port, requestOf(common.sni), { ...common, ...more }));
        await refused({});
        await refused({ as: pki.stranger });
        // The right authority and another name.
        await refused({ as: pki.two });
      });
      // Envoy requests a certificate only if it compares names, so there is none here.
      await world.config.write("mutual.yaml", config(mutual(pki, "OPTIONAL_MUTUAL")));
      await each("router", async ({ address }) => {
        await answersHttps(address, port, "a", common);
        await answersHttps(address, port, "a", { ...common, as: pki.client });
        await assert.rejects(
          askTls(address, port, requestOf(common.sni), { ...common, as: pki.stranger }),
        );
      });
    },
  },
  {
    name: "TLS that is forwarded by its name, and TLS that ends before TCP",
    run: async ({ world, pki, port, each }) => {
      const route = (host: string): Spec => ({ route: [{ destination: { host } }] });
      await world.config.write(
        "pass.yaml",
        documents(
          gateway(
            "pass",
            server({ number: port, protocol: "TLS", name: "pass" }, ["*.pass.test"], {
              mode: "PASSTHROUGH",
            }),
            server(
              { number: port, protocol: "TLS", name: "ends" },
              ["one.tls.test"],
              simple(pki.one),
            ),
          ),
          routes("pass", "*.pass.test", {
            tls: [
              { match: [{ sniHosts: ["left.pass.test"], port }], ...route("left.test") },
              { match: [{ sniHosts: ["*.pass.test"], port }], ...route("right.test") },
            ],
          }),
          routes("pass", "one.tls.test", { tcp: [route("t.test")] }),
        ),
      );
      await each("router", async ({ address }) => {
        const ask = (sni: string) =>
          eventually(`an answer for ${sni}`, async () => {
            return await askTls(address, port, "ping\npong\n", { sni, trusts: pki.authority });
          });
        const left = await ask("left.pass.test");
        assert.match(left.text, /^left pong/);
        assert.equal(left.names, "DNS:secure.test, DNS:*.pass.test");
        assert.match((await ask("other.pass.test")).text, /^right pong/);
        const ended = await ask("one.tls.test");
        assert.equal(ended.names, "DNS:one.tls.test");
        assert.match(ended.text, /^t\n/);
        await assert.rejects(askTls(address, port, "ping\n", { sni: "two.tls.test" }));
        await assert.rejects(askTcp(address, port, 2_000));
      });
    },
  },
  {
    name: "plain HTTP is sent to HTTPS",
    run: async ({ world, port, each }) => {
      const host = "redirected.test";
      const config = (tls: Spec): string =>
        documents(
          gateway("redirect", {
            port: { number: port, protocol: "HTTP", name: "http" },
            hosts: [host, "bare.test"],
            ...tls,
          }),
          routes("redirect", host, { http: [to("a.test")] }),
        );
      await world.config.write("redirect.yaml", config({ tls: { httpsRedirect: true } }));
      await each("router", async ({ address }) => {
        // A host without routes is sent there, too.
        for (const name of [host, "bare.test"]) {
          await eventually(`the redirect of ${name}`, async () => {
            const { status, headers } = await call(`http://${address}:${port}/x`, { host: name });
            return status === 301 && headers.location === `https://${name}/x`;
          });
        }
      });
      await world.config.write("redirect.yaml", config({}));
      await each("router", async ({ address }) => {
        await eventually("no redirect any more", async () => {
          const { echo } = await call(`http://${address}:${port}/x`, { host });
          return echo?.backend === "a";
        });
      });
    },
  },
];
