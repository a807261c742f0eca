/**
 * Variables of the workload's certificate, flipped in the environment. The settings' own effects are
 * in the tests of rotation, of mounted certificates and of the certificate service.
 */
import assert from "node:assert/strict";
import { useEnvironment } from "../../kit/env/mod.ts";
import { mountedOptions, workloadOptions } from "./settings.ts";

function optionsWith(environment: Readonly<Record<string, string>>) {
  using _ = useEnvironment(environment);
  const { tls, ...options } = workloadOptions("meshd:15012", {
    clusterId: "c1",
    extraRoots: [],
    workload: undefined,
    namespace: "shop",
    serviceAccount: "cart",
  });
  // The file is read now: the environment holds until the end of this function.
  const roots = tls!().then(() => "read", (error: Error) => error.message);
  return { ...options, roots };
}

Deno.test("the variables of the workload's certificate set its authority, key and renewal", async () => {
  const standard = optionsWith({});
  assert.deepEqual(standard.key, { type: "rsa", bits: 2048 });
  assert.deepEqual([standard.target, standard.ratio, standard.jitter], ["meshd:15012", 0.5, 0.01]);
  const { key, target, ratio, jitter, ttlMs, roots } = optionsWith({
    WORKLOAD_RSA_KEY_SIZE: "3072",
    CA_ADDR: "ca:1",
    CA_ROOT_CA: "/absent/ca.pem",
    SECRET_GRACE_PERIOD_RATIO: "0.25",
    SECRET_GRACE_PERIOD_RATIO_JITTER: "0",
    SECRET_TTL: "2h",
  });
  assert.deepEqual(key, { type: "rsa", bits: 3072 });
  assert.deepEqual([target, ratio, jitter, ttlMs], ["ca:1", 0.25, 0, 7_200_000]);
  assert.match(await roots, /^\/absent\/ca\.pem/);
  assert.doesNotMatch(await standard.roots, /absent/);
  for (const curve of ["P256", "P384"]) {
    const options = optionsWith({ ECC_SIGNATURE_ALGORITHM: "ECDSA", ECC_CURVE: curve });
    assert.deepEqual(options.key, { type: "ecdsa", curve });
    await options.roots;
  }
});

Deno.test("TRUST_DOMAIN and MESH_META_CERT_SIGNER are in the request for the certificate", async () => {
  const standard = optionsWith({});
  assert.equal(standard.identity, "spiffe://cluster.local/ns/shop/sa/cart");
  assert.equal(standard.signer, undefined);
  const { identity, signer, roots } = optionsWith({
    TRUST_DOMAIN: "td.example",
    MESH_META_CERT_SIGNER: "strict",
  });
  assert.deepEqual([identity, signer], ["spiffe://td.example/ns/shop/sa/cart", "strict"]);
  const unnamed = optionsWith({ TRUST_DOMAIN: "" });
  assert.equal(unnamed.identity, standard.identity);
  await Promise.all([standard.roots, roots, unnamed.roots]);
  assert.throws(() => optionsWith({ TRUST_DOMAIN: "td/example" }), { code: "agent-identity" });
});

Deno.test("the variables of mounted certificates set their files and the quiet time", () => {
  assert.equal(mountedOptions(), undefined);
  using _ = useEnvironment({
    FILE_MOUNTED_CERTS: "true",
    FILE_DEBOUNCE_DURATION: "7ms",
    MESH_META_TLS_CLIENT_CERT_CHAIN: "/m/chain",
    MESH_META_TLS_CLIENT_KEY: "/m/key",
    MESH_META_TLS_CLIENT_ROOT_CERT: "/m/root",
  });
  assert.deepEqual(mountedOptions(), {
    files: { chain: "/m/chain", key: "/m/key", roots: "/m/root" },
    debounceMs: 7,
  });
});
