/**
 * Credentials of gateways, mesh configuration and networks from a real API server.
 */
import assert from "node:assert/strict";
import {
  createObject,
  deleteObject,
  mergePatch,
  type OrchClient,
  replaceObject,
  types,
} from "../../lib/kit/orch/mod.ts";
import { fromBinary } from "../../lib/kit/proto/mod.ts";
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import { type Daemon, eventually, freePort, startDaemon } from "../../scripts/harness/mod.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { makeGatewayCredentials } from "../support/gateway_credentials.ts";
import { writePluggedCa } from "../support/identity.ts";
import { watchSecrets } from "../support/secrets_client.ts";
import { allowSecrets, createAccounts, tokenOf } from "../support/service_accounts.ts";

const HOST = "shop.test";
const base64 = (bytes: Uint8Array): string => bytes.toBase64();

/** The data of a secret from the files of a credential, with other names for some. */
async function dataOf(dir: string, names: Record<string, string> = {}) {
  const data: Record<string, string> = {};
  for await (const { name } of Deno.readDir(dir)) {
    data[names[name] ?? name] = base64(await Deno.readFile(`${dir}/${name}`));
  }
  return data;
}

async function putSecret(
  client: OrchClient,
  name: string,
  data: Record<string, string>,
  more: Record<string, unknown> = {},
): Promise<void> {
  const metadata = { namespace: "shop", name };
  const secret = { apiVersion: "v1", kind: "Secret", metadata, data, ...more };
  await createObject(client, types.SECRET, secret).catch(() =>
    replaceObject(client, types.SECRET, secret)
  );
}

clusterTest("secrets, mesh configuration and networks of an API server", async (cluster, t) => {
  await using stack = new AsyncDisposableStack();
  using client = await adminClient(cluster);
  await applyDefinitions(client);
  await createAccounts(client, ["shop/edge", "shop/plain", "mesh-system/meshd"]);
  await allowSecrets(client, "shop", "edge");
  const dir = await Deno.makeTempDir({ prefix: "mesh-secrets-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const { certificate: { pem: ca } } = await writePluggedCa(`${dir}/ca`);
  const made = await makeGatewayCredentials(`${dir}/made`, HOST);
  await made.writePair("shop", "ecdsa");
  await made.writePair("shop", "rsa");
  await made.writeClients("shop");
  await putSecret(client, "whole", await dataOf(`${dir}/made/shop/ecdsa`), {
    type: "kubernetes.io/tls",
  });
  await putSecret(
    client,
    "generic",
    await dataOf(`${dir}/made/shop/rsa`, { "tls.crt": "cert", "tls.key": "key" }),
  );
  await putSecret(
    client,
    "generic-cacert",
    await dataOf(`${dir}/made/shop/clients`, { "ca.crt": "cacert", "ca.crl": "crl" }),
  );
  await client.json({
    method: "POST",
    path: "/apis/networking.mesh.io/v1/namespaces/shop/gateways",
    body: GATEWAY,
  });
  await putMesh(client, { mesh: "trustDomain: cluster.local\naccessLogFile: /dev/stdout\n" });
  await createObject(client, types.CONFIG_MAP, configMap("base", { mesh: SHARED }));
  const secured = freePort();
  const daemon = stack.use(
    await startDaemon({
      configDir: "",
      secured,
      args: [`--orchconfig=${cluster.files.daemonKubeconfig}`],
      env: {
        ROOT_CA_DIR: `${dir}/ca`,
        SHARED_MESH_CONFIG: "base",
        MESH_CREDENTIAL_ANONYMOUS: "true",
      },
    }),
  );
  const gateway = async (account: string) =>
    watchSecrets({
      target: `localhost:${secured}`,
      tls: { ca },
      token: await tokenOf(client, `shop/${account}`),
      account,
      names: NAMES,
    });

  await t.step("a gateway whose account may list secrets gets both layouts of keys", async () => {
    await using edge = await gateway("edge");
    await eventually("the secrets", () => Promise.resolve(edge.held.size === NAMES.length));
    const typeOf = (name: string) => fromBinary(SecretSchema, edge.held.get(name)!).type;
    const whole = typeOf("kubernetes://whole");
    assert.equal(whole.case, "tlsCertificate");
    assert.ok(whole.value.ocspStaple, "the OCSP response");
    const authorities = typeOf("kubernetes://generic-cacert");
    assert.equal(authorities.case, "validationContext");
    assert.ok(authorities.value.crl, "the revocation list");

    const before = edge.held.get("kubernetes://whole");
    await made.writePair("shop", "ecdsa");
    const renewed = await dataOf(`${dir}/made/shop/ecdsa`);
    const { "tls.key": _, ...faulty } = renewed;
    await putSecret(client, "whole", faulty, { type: "Opaque" }).catch(() => {});
    await putSecret(client, "whole", renewed, { type: "kubernetes.io/tls" });
    await eventually(
      "the renewed one",
      () => Promise.resolve(`${edge.held.get("kubernetes://whole")}` !== `${before}`),
    );

    await deleteObject(client, types.SECRET, { namespace: "shop", name: "generic" });
    await eventually("its removal", () => Promise.resolve(!edge.held.has("kubernetes://generic")));
    assert.ok(!daemon.program.output().includes("PRIVATE KEY"));
  });

  await t.step("another account of the namespace gets none", async () => {
    await using plain = await gateway("plain");
    await plain.answered;
    assert.deepEqual([...plain.held.keys()], []);
  });

  await t.step(
    "a client without an identity gets none, at loopback of the plain port",
    async () => {
      await daemon.program.printed(/MESH_CREDENTIAL_ANONYMOUS has no effect with an orchestrator/);
      await using nobody = watchSecrets({ target: daemon.xds, account: "edge", names: NAMES });
      await nobody.answered;
      assert.deepEqual([...nobody.held.keys()], []);
    },
  );

  await t.step(
    "SHARED_MESH_CONFIG is the base of the ConfigMap mesh, and both are followed",
    async () => {
      assert.deepEqual(await meshOf(daemon), ["/dev/stdout", false]);
      await putMesh(client, { mesh: "accessLogFile: /tmp/log\n" });
      await eventually("the change", async () => (await meshOf(daemon))[0] === "/tmp/log");
      await putMesh(client, { mesh: "accessLogFile: /tmp/log\nconnectTimeout: soon\n" });
      await daemon.program.printed(/configmap\/mesh-system\/mesh.*connectTimeout/);
      assert.deepEqual(await meshOf(daemon), ["/tmp/log", false]);
      await putMesh(client, { mesh: "accessLogFile: /tmp/other\n", meshNetworks: NETWORKS });
      await eventually("the repair", async () => (await meshOf(daemon))[0] === "/tmp/other");
      await mergePatch(client, types.CONFIG_MAP, { namespace: "mesh-system", name: "base" }, {
        data: { mesh: "enableTracing: true\n" },
      });
      await eventually("the shared one", async () => (await meshOf(daemon))[1] === true);
      await eventually("the networks", async () => /10\.9\.8\.7/.test(await networksOf(daemon)));
    },
  );
});

const NAMES = ["kubernetes://whole", "kubernetes://generic", "kubernetes://generic-cacert"];
const SHARED = "enableTracing: false\naccessLogFile: /shared\n";
const NETWORKS = "networks:\n  n1:\n    endpoints:\n    - fromRegistry: Orchestrator\n" +
  "    gateways:\n    - address: 10.9.8.7\n      port: 15443\n";

const GATEWAY = {
  apiVersion: "networking.mesh.io/v1",
  kind: "Gateway",
  metadata: { name: "edge", namespace: "shop" },
  spec: {
    selector: { at: "edge" },
    servers: [
      {
        port: { number: 443, name: "a", protocol: "HTTPS" },
        hosts: [HOST],
        tls: { mode: "SIMPLE", credentialName: "whole" },
      },
      {
        port: { number: 444, name: "b", protocol: "HTTPS" },
        hosts: [HOST],
        tls: { mode: "MUTUAL", credentialName: "generic" },
      },
    ],
  },
};

function configMap(name: string, data: Record<string, string>) {
  const metadata = { namespace: "mesh-system", name };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

async function putMesh(client: OrchClient, data: Record<string, string>): Promise<void> {
  const object = configMap("mesh", data);
  await createObject(client, types.CONFIG_MAP, object).catch(() =>
    replaceObject(client, types.CONFIG_MAP, object)
  );
}

async function meshOf(daemon: Daemon): Promise<[string | undefined, boolean]> {
  const config = await daemon.debug<{ accessLogFile?: string; enableTracing?: boolean }>("mesh");
  return [config.accessLogFile, config.enableTracing === true];
}

async function networksOf(daemon: Daemon): Promise<string> {
  return JSON.stringify(await daemon.debug("networkz"));
}
