/**
 * Cases of credentials (`credentialName`) of gateways in two clusters.
 *
 * @module
 */
import assert from "node:assert/strict";
import { deleteObject, mergePatch, type OrchClient, types } from "../../../lib/kit/orch/mod.ts";
import { fromBinary } from "../../../lib/kit/proto/mod.ts";
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { applyDefinitions } from "../../../scripts/crds.ts";
import { eventually } from "../../../scripts/harness/mod.ts";
import { make } from "../../support/cluster_objects.ts";
import { makeAuthority } from "../../support/certificates.ts";
import { watchSecrets } from "../../support/secrets_client.ts";
import { allowSecrets, createAccounts, tokenOf } from "../../support/service_accounts.ts";

const NAME = "kubernetes://cert";
const CERT = { namespace: "shop", name: "cert" };

/** The clusters `a`, of the daemon, and `b`. */
export interface CredentialClusters {
  readonly near: OrchClient;
  readonly far: OrchClient;
}

/**
 * Creates a Gateway in `a`, and a secret of the same name in both clusters, with different certificates.
 * The account `edge` may list secrets in both clusters, `near-only` in `a` alone.
 */
export async function makeRemoteCredentials({ near, far }: CredentialClusters): Promise<void> {
  await applyDefinitions(near);
  const dir = await Deno.makeTempDir({ prefix: "mesh-remote-credentials-" });
  const authority = await makeAuthority(dir);
  for (const client of [near, far]) {
    await createAccounts(client, ["shop/edge", "shop/near-only", "mesh-system/meshd"]);
    await allowSecrets(client, "shop", "edge");
    const { cert, key } = await authority.issue(client === near ? "near" : "far", ["shop.test"]);
    const text = async (path: string) => (await Deno.readFile(path)).toBase64();
    const data = { "tls.crt": await text(cert), "tls.key": await text(key) };
    await make(client, types.SECRET, CERT, { data });
  }
  const path = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings/read-secrets";
  const subjects = ["edge", "near-only"].map((name) => ({
    kind: "ServiceAccount",
    namespace: "shop",
    name,
  }));
  await near.json({
    method: "PATCH",
    path,
    contentType: "application/merge-patch+json",
    body: { subjects },
  });
  await near.json({
    method: "POST",
    path: "/apis/networking.mesh.io/v1/namespaces/shop/gateways",
    body: GATEWAY,
  });
  await Deno.remove(dir, { recursive: true });
}

/** Runs the cases. */
export async function remoteCredentials(
  { near, far, target, ca }: CredentialClusters & { readonly target: string; readonly ca: string },
): Promise<void> {
  const gateway = async (
    { of, account = "edge", cluster, reviewer }: {
      readonly of: OrchClient;
      readonly account?: string;
      readonly cluster: string;
      readonly reviewer?: string;
    },
  ) => {
    const token = await tokenOf(of, `shop/${account}`);
    const more = reviewer === undefined ? {} : { reviewer };
    return watchSecrets({ target, tls: { ca }, token, account, names: [NAME], cluster, ...more });
  };
  const [ofNear, ofFar] = [await certificateOf(near), await certificateOf(far)];
  assert.notEqual(ofNear, ofFar);

  await using own = await gateway({ of: near, cluster: "a" });
  await eventually("the certificate of a", () => heldBy(own.held) === ofNear);
  await using remote = await gateway({ of: far, cluster: "b", reviewer: "b" });
  await eventually("the certificate of b", () => heldBy(remote.held) === ofFar);
  await using aliased = await gateway({ of: far, cluster: "bee", reviewer: "bee" });
  await eventually("the certificate of b", () => heldBy(aliased.held) === ofFar);

  const refused = [
    // A proxy of a that claims b, and the other way round.
    { of: near, cluster: "b" },
    { of: far, cluster: "a", reviewer: "b" },
    // The right in a is no right in b.
    { of: far, account: "near-only", cluster: "b", reviewer: "b" },
    { of: near, cluster: "unknown" },
  ];
  for (const one of refused) {
    await using stream = await gateway(one);
    await stream.answered;
    assert.deepEqual([...stream.held.keys()], [], JSON.stringify({ ...one, of: undefined }));
  }

  // The secret of one cluster changes and ends for the gateways of that cluster alone.
  await mergePatch(near, types.SECRET, CERT, { data: { "ca.crt": btoa(ofNear) } });
  await deleteObject(far, types.SECRET, CERT);
  await eventually("the end of the certificate of b", () => heldBy(remote.held) === "");
  assert.equal(heldBy(own.held), ofNear);
}

async function certificateOf(client: OrchClient): Promise<string> {
  const { data } = await client.json<{ data: Record<string, string> }>({
    method: "GET",
    path: "/api/v1/namespaces/shop/secrets/cert",
  });
  return atob(data["tls.crt"]!);
}

/** The certificate that a gateway has received; empty: none. */
function heldBy(held: ReadonlyMap<string, Uint8Array>): string {
  const bytes = held.get(NAME);
  if (bytes === undefined) return "";
  const { type } = fromBinary(SecretSchema, bytes);
  assert.equal(type.case, "tlsCertificate");
  const { specifier } = type.value.certificateChain!;
  return specifier.case === "inlineBytes"
    ? new TextDecoder().decode(specifier.value)
    : `${specifier.value}`;
}

const GATEWAY = {
  apiVersion: "networking.mesh.io/v1",
  kind: "Gateway",
  metadata: { name: "edge", namespace: "shop" },
  spec: {
    selector: { at: "edge" },
    servers: [{
      port: { number: 443, name: "a", protocol: "HTTPS" },
      hosts: ["shop.test"],
      tls: { mode: "SIMPLE", credentialName: "cert" },
    }],
  },
};
