/**
 * Trusted roots at a real agent: a change of the daemon's root reaches it over discovery at once, is
 * acknowledged there, and needs no new certificate.
 *
 * @module
 */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { generateKey, issueAuthority, readCertificates } from "../../lib/kit/pki/mod.ts";
import { encode, fromBinary } from "../../lib/kit/proto/mod.ts";
import { openStream } from "../../lib/kit/rpc/mod.ts";
import {
  eventually,
  freePort,
  makeConfigDir,
  startAgent,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import {
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { withCertificates } from "../support/certificates.ts";
import { startTokenIssuer } from "../support/identity.ts";

const SECRETS = "/envoy.service.secret.v3.SecretDiscoveryService/StreamSecrets";
const SOCKET = "var/run/secrets/workload-spiffe-uds/socket";

interface Change {
  readonly phase: string;
  readonly active: string;
  readonly previous?: string;
}

/** Serial numbers of certificates in PEM. */
function serials(pem: string): string[] {
  return readCertificates(pem, "roots").map(({ serial }) => serial).sort();
}

/** Follows the secret `ROOTCA` of an agent, as its proxy does. */
function followRoots(socket: string) {
  const stream = openStream({ target: `unix:${socket}`, path: SECRETS });
  stream.send(encode(DiscoveryRequestSchema, { resourceNames: ["ROOTCA"] }));
  let last: string[] = [];
  void (async () => {
    for await (const message of stream.messages) {
      const { resources } = fromBinary(DiscoveryResponseSchema, message);
      const { type } = fromBinary(SecretSchema, resources[0]!.value);
      assert.equal(type.case, "validationContext");
      const { specifier } = type.value.trustedCa!;
      last = serials(specifier.value as string);
    }
  })().catch(() => {});
  return { last: () => last, stop: () => stream.close() };
}

Deno.test(
  withCertificates(
    "agents receive and acknowledge a changed root without a new certificate",
    async () => {
      await using stack = new AsyncDisposableStack();
      const dir = await Deno.makeTempDir({ prefix: "mesh-trusted-roots-" });
      stack.defer(() => Deno.remove(dir, { recursive: true }));
      const issuer = stack.use(await startTokenIssuer());
      const config = stack.use(await makeConfigDir());
      const secured = freePort();
      const store = `${dir}/store`;
      const daemon = stack.use(
        await startDaemon({
          configDir: config.path,
          secured,
          env: { JWT_RULE: issuer.rule, ROOT_CA_DIR: `${dir}/none`, MESHCA_SELF_SIGNED_DIR: store },
        }),
      );
      const decide = async (decision: string) => {
        const url = `${daemon.http}/debug/root_change?decision=${decision}`;
        const answer = await fetch(url, { method: "POST" });
        assert.equal(answer.status, 200, await answer.text());
      };
      const { roots } = JSON.parse(await Deno.readTextFile(`${store}/self-signed.json`));
      const folder = `${dir}/shop`;
      const key = await generateKey({ type: "ecdsa", curve: "P256" });
      const validity = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000 };
      const extra = await issueAuthority({ organization: "partner", key, ...validity });
      const files = {
        "var/run/secrets/tokens/mesh-token": await issuer.token("shop", "shop"),
        "var/run/secrets/mesh/root-cert.pem": roots.active.certificate as string,
        "out/none": "",
      };
      for (const [path, text] of Object.entries(files)) {
        await Deno.mkdir(dirname(`${folder}/${path}`), { recursive: true });
        await Deno.writeTextFile(`${folder}/${path}`, text);
      }
      const agent = stack.use(
        await startAgent({
          role: "sidecar",
          name: "shop",
          namespace: "shop",
          ip: "127.0.0.1",
          xds: `localhost:${secured}`,
          secured: true,
          envoy: "/none",
          dir,
          noWait: true,
          env: {
            DISABLE_DATAPROXY: "true",
            SERVICE_ACCOUNT: "shop",
            ECC_SIGNATURE_ALGORITHM: "ECDSA",
            OUTPUT_CERTS: "./out",
          },
          proxyConfig: { caCertificatesPem: [extra.pem] },
        }),
      );
      const read = (file: string) => Deno.readTextFile(`${folder}/out/${file}`);
      const connected = async () =>
        (await daemon.debug<{ totalClients: number }>("connections")).totalClients === 1;
      await eventually("the agent to connect", connected, 120_000).catch((cause) => {
        throw new Error(agent.program.output(), { cause });
      });
      const followed = followRoots(`${folder}/${SOCKET}`);
      stack.defer(() => followed.stop());
      const chain = await read("cert-chain.pem");
      const first = (await daemon.debug<Change>("root_change")).active;
      const trusts = (...expected: string[]) =>
        eventually(`roots ${expected}`, async () => {
          const wanted = [...expected, extra.serial].sort().join();
          return followed.last().join() === wanted &&
            serials(await read("root-cert.pem")).join() === wanted;
        }, 120_000);
      await trusts(first);

      await decide("begin");
      const switched = await eventually("the new root to sign", async () => {
        const state = await daemon.debug<Change>("root_change");
        return state.phase === "switched" && state;
      }, 120_000);
      assert.equal(switched.previous, first);
      await trusts(first, switched.active);
      // The daemon has a certificate of the new root, which the agent verifies when it connects again.
      assert.equal(await read("cert-chain.pem"), chain, "no certificate was issued for this");
    },
  ),
);
