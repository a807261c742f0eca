import assert from "node:assert/strict";
import { parseMeshConfig } from "../../lib/schema/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { makeAuthority, withCertificates } from "../../tests/support/certificates.ts";
import { resolveAuthorities } from "./trust_bundles.ts";

const config = (url: string): MeshConfig =>
  parseMeshConfig(
    `caCertificates:
- {pem: own}
- {spiffeBundleUrl: "${url}", trustDomains: [other.example]}
- {spiffeBundleUrl: "https://nowhere.invalid/"}
`,
    "mesh",
  ).value!;

const told = ({ caCertificates }: MeshConfig) =>
  caCertificates.map(({ certificateData: { case: kind, value }, trustDomains }) => [
    kind,
    value,
    ...trustDomains,
  ]);

Deno.test(
  withCertificates(
    "bundles come in the place of their addresses, and what is missing is named",
    async () => {
      const dir = await Deno.makeTempDir({ prefix: "mesh-authorities-" });
      const authority = await makeAuthority(dir);
      const pem = await Deno.readTextFile(authority.cert);
      const { cert, key } = await authority.issue("server", ["localhost"]);
      const x5c = [pem.replaceAll(/-----[A-Z ]+-----|\s/g, "")];
      const server = Deno.serve({
        hostname: "127.0.0.1",
        port: 0,
        onListen: () => {},
        cert: await Deno.readTextFile(cert),
        key: await Deno.readTextFile(key),
      }, () => Response.json({ keys: [{ use: "x509-svid", kty: "EC", x5c }] }));
      const url = `https://localhost:${server.addr.port}/`;
      const changed = Promise.withResolvers<MeshConfig>();
      const authorities = resolveAuthorities({
        told: true,
        allowed: ["127.0.0.1"],
        authorities: pem,
        onChange: changed.resolve,
      });
      const mesh = config(url);
      assert.equal(authorities.resolve(mesh), mesh, "nothing has come yet");
      assert.equal(authorities.warnings().length, 2);
      const rest = ["spiffeBundleUrl", "https://nowhere.invalid/"];
      const expected = [["pem", "own"], ["pem", pem, "other.example"], rest];
      assert.deepEqual(told(await changed.promise), expected);
      assert.deepEqual(told(authorities.resolve(config(url))), expected, "it is kept");
      assert.deepEqual(authorities.warnings().map(({ path }) => path), [
        "caCertificates[2].spiffeBundleUrl",
      ]);
      authorities[Symbol.dispose]();
      await server.shutdown();
      await Deno.remove(dir, { recursive: true });
    },
  ),
);

Deno.test("nothing is fetched where nobody is told", () => {
  using authorities = resolveAuthorities({ told: false, onChange: () => assert.fail() });
  const mesh = config("https://other.invalid/");
  assert.equal(authorities.resolve(mesh), mesh);
  assert.deepEqual(authorities.warnings(), []);
});
