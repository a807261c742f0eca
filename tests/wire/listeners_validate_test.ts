/** A real Envoy accepts all clusters, assignments and listeners of the golden files. */
import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../lib/kit/proto/mod.ts";
import { makeAuthority, withCertificates } from "../support/certificates.ts";
import { validateBootstrap, type Verdict } from "../support/envoy_validate.ts";

const ENVOY = new URL("../../lib/mesh/envoy/", import.meta.url);

/** Golden file → what it holds. */
async function goldens(
  part: "clusters" | "endpoints" | "listeners",
): Promise<Map<string, JsonObject>> {
  const folder = new URL(`${part}/testdata/`, ENVOY);
  const found = new Map<string, JsonObject>();
  for await (const { name } of Deno.readDir(folder)) {
    found.set(name, JSON.parse(await Deno.readTextFile(new URL(name, folder))));
  }
  assert.ok(found.size >= 4, `${found.size} golden files of ${part}`);
  return found;
}

/**
 * Puts real files in the place of those that goldens name: Envoy reads
 * certificates when it is given them.
 */
async function withFiles<T>(config: JsonValue, use: (config: JsonValue) => Promise<T>): Promise<T> {
  const text = JSON.stringify(config);
  if (!text.includes("/etc/mesh/")) return await use(config);
  const dir = await Deno.makeTempDir({ prefix: "mesh-validate-" });
  try {
    const authority = await makeAuthority(dir);
    await authority.issue("leaf", ["a.example.com"]);
    const real: Readonly<Record<string, string>> = {
      "cert.pem": "leaf.pem",
      "key.pem": "leaf-key.pem",
      "ca.pem": "ca.pem",
    };
    await authority.revocationList();
    return await use(JSON.parse(
      text.replaceAll(/"\/etc\/mesh\/([^"]+)"/g, (_, name) => `"${dir}/${real[name] ?? name}"`),
    ));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** A bootstrap with an ADS server, so that references to it stand. */
function validate(clusters: JsonValue[], listeners: JsonValue[]): Promise<Verdict> {
  const grpcServices = [{ envoyGrpc: { clusterName: "xds" } }];
  const bootstrap: JsonObject = {
    node: { id: "sidecar~10.0.0.1~a.ns~ns.svc.cluster.local", cluster: "a.ns" },
    dynamicResources: {
      adsConfig: { apiType: "GRPC", transportApiVersion: "V3", grpcServices },
    },
    staticResources: {
      clusters: [{ name: "xds", type: "STATIC", connectTimeout: "1s" }, ...clusters],
      listeners,
    },
  };
  return withFiles(bootstrap, validateBootstrap);
}

/** A listener at an address that no other has. */
function apart(listener: JsonObject, index: number): JsonObject {
  const local = (address: JsonValue | undefined): JsonValue =>
    (address as JsonObject).pipe !== undefined ? { pipe: { path: `@mesh-validate-${index}` } } : {
      socketAddress: {
        ...(address as { socketAddress: JsonObject }).socketAddress,
        portValue: 20_000 + index,
      },
    };
  const more = (listener.additionalAddresses ?? []) as JsonObject[];
  return {
    ...listener,
    address: local(listener.address),
    additionalAddresses: more.map((a) => ({ address: local(a.address) })),
  };
}

Deno.test(withCertificates("Envoy takes every expected cluster", async () => {
  const clusters = [...await goldens("clusters")].map(([name, cluster]) => ({ ...cluster, name }));
  const verdict = await validate(clusters, []);
  assert.ok(verdict.accepted, verdict.log);
}));

Deno.test(withCertificates("Envoy takes every expected assignment", async () => {
  const clusters = [...await goldens("endpoints")].map(([name, loadAssignment]) => ({
    name,
    type: name.startsWith("host_names") ? "STRICT_DNS" : "STATIC",
    connectTimeout: "1s",
    loadAssignment,
  }));
  const verdict = await validate(clusters, []);
  assert.ok(verdict.accepted, verdict.log);
}));

Deno.test(withCertificates("Envoy takes every expected listener", async () => {
  const listeners = [...(await goldens("listeners")).values()].map(apart);
  const verdict = await validate([], listeners);
  assert.ok(verdict.accepted, verdict.log);
}));

Deno.test(
  withCertificates(
    "Envoy refuses a nameless cluster and ambiguous chains, so its verdict means something",
    async () => {
      const nameless = await validate([{ name: "", type: "STATIC" }], []);
      assert.equal(nameless.accepted, false);
      assert.match(nameless.log, /[Nn]ame/);
      const listener = (await goldens("listeners")).get("virtual_inbound.golden.json");
      const chains = listener?.filterChains as JsonValue[];
      const ambiguous = await validate([], [{
        ...listener,
        filterChains: [...chains, chains[0]!],
      }]);
      assert.equal(ambiguous.accepted, false);
      assert.match(ambiguous.log, /same matching rules/);
    },
  ),
);
