import assert from "node:assert/strict";
import { parseMeshConfig } from "../../schema/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { makeAuthority, withCertificates } from "../../../../tests/support/certificates.ts";
import { createListeners, type Followed } from "../followed.ts";
import { fetchBundles } from "./trust_bundles.ts";

const config = (url: string): MeshConfig =>
  parseMeshConfig(
    `caCertificates:
- {pem: own}
- {spiffeBundleUrl: "${url}", trustDomains: [other.example]}
- {spiffeBundleUrl: "https://nowhere.invalid/"}
`,
    "mesh",
  ).value!;

/** A mesh configuration that the test changes. */
function followed(first: MeshConfig): Followed<MeshConfig> & { set(mesh: MeshConfig): void } {
  let mesh = first;
  const { subscribe, notify } = createListeners<MeshConfig>();
  return { current: () => mesh, subscribe, set: (next) => notify(mesh = next) };
}

const authoritiesOf = ({ caCertificates }: MeshConfig) =>
  caCertificates.map(({ certificateData: { case: kind, value }, trustDomains }) => [
    kind,
    value,
    ...trustDomains,
  ]);

Deno.test(
  withCertificates(
    "bundles replace their addresses, and missing ones are named",
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
      const mesh = config(url);
      const file = followed(mesh);
      const bundles = fetchBundles(file, {
        enabled: true,
        allowed: ["127.0.0.1"],
        authorities: pem,
      });
      bundles.subscribe(changed.resolve);
      assert.equal(bundles.current(), mesh, "nothing is fetched yet");
      assert.equal(bundles.warnings().length, 2);
      const rest = ["spiffeBundleUrl", "https://nowhere.invalid/"];
      const expected = [["pem", "own"], ["pem", pem, "other.example"], rest];
      assert.deepEqual(authoritiesOf(await changed.promise), expected);
      file.set(config(url));
      assert.deepEqual(authoritiesOf(bundles.current()), expected, "the bundle is kept");
      assert.deepEqual(bundles.warnings().map(({ path }) => path), [
        "caCertificates[2].spiffeBundleUrl",
      ]);
      bundles[Symbol.dispose]();
      await server.shutdown();
      await Deno.remove(dir, { recursive: true });
    },
  ),
);

Deno.test("no bundle is fetched when authorities are not served", () => {
  const mesh = config("https://other.invalid/");
  using bundles = fetchBundles(followed(mesh), { enabled: false });
  assert.equal(bundles.current(), mesh);
  assert.deepEqual(bundles.warnings(), []);
});
