/**
 * Cases of gateways with HTTP/3.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, eventually } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, serviceEntry, to } from "../../support/manifest.ts";
import { addressOf, eachTransport } from "../../support/world.ts";
import { answersHttps, type TlsCase } from "./bench.ts";
import { gateway, mutual, routes, server, simple } from "./gateway_cases.ts";
import { startHttp3Client } from "./http3_client.ts";

export const HTTP3_CASES: readonly TlsCase[] = [{
  name: "HTTP/3 where the gateway's service has a UDP port, told of over HTTPS",
  run: async ({ world, pki, port, each }) => {
    const trusts = pki.authority;
    const edge = eachTransport((transport) =>
      endpoint(port, {}, { address: addressOf("router", transport) })
    );
    const config = (protocol: string): string =>
      documents(
        serviceEntry("edge", ["edge.test"], { number: port, protocol }, edge),
        gateway(
          "http3",
          server(
            { number: port, protocol: "HTTPS", name: "one" },
            ["one.tls.test"],
            simple(pki.one),
          ),
          server(
            { number: port, protocol: "HTTPS", name: "two" },
            ["two.tls.test"],
            mutual(pki, "MUTUAL"),
          ),
        ),
        routes("http3", "one.tls.test", { http: [to("a.test")] }),
      );
    const offer = async (address: string): Promise<string> => {
      const answer = await answersHttps(address, port, "a", { sni: "one.tls.test", trusts });
      return /alt-svc: ?(.*)\r/i.exec(answer.text)?.[1] ?? "";
    };
    await world.config.write("http3.yaml", config("TCP"));
    await each("router", async ({ address }) => {
      assert.equal(await offer(address), "");
    });
    await world.config.write("http3.yaml", config("UDP"));
    await each("router", async ({ address }) => {
      await eventually("the offer of HTTP/3", async () => await offer(address) !== "");
      assert.equal(await offer(address), `h3=":${port}"; ma=86400`);
      await using client = await startHttp3Client({ address, port, sni: "one.tls.test", trusts });
      const answer = await eventually("an answer over HTTP/3", async () => {
        const got = await call(`${client.url}/over`, { host: "one.tls.test" });
        return got.status === 200 ? got : undefined;
      });
      assert.equal(answer.echo?.backend, "a");
      // A server that asks for clients' certificates stays with TCP.
      await using other = await startHttp3Client({ address, port, sni: "two.tls.test", trusts });
      assert.equal((await call(other.url, { host: "two.tls.test" })).status, 503);
    });
    await world.config.remove("http3.yaml");
  },
}];
