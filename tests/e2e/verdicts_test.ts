/**
 * Verdicts about requests with mistakes equal what two real Envoys do: modes that do not fit, routes
 * that lead nowhere, missing services, tokens that are expired, early, cut, of another issuer or key.
 * Each verdict is right, or `UNKNOWN` with a reason, which few are.
 *
 * `VERDICT_SAMPLES=14` compares 1,008 requests.
 *
 * @module
 */
import assert from "node:assert/strict";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { freePorts } from "../../scripts/harness/mod.ts";
import { create } from "../../lib/kit/proto/mod.ts";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { makeAuthority, withCertificates } from "../support/certificates.ts";
import { startTranslation } from "../support/translation_fixture.ts";
import { startServers } from "./simulate/client.ts";
import { twoHopMesh } from "./simulate/two_hop_meshes.ts";
import { runTwoHops } from "./simulate/two_hops.ts";

const SAMPLES = Number(Deno.env.get("VERDICT_SAMPLES") ?? 5);
const SEED = Number(Deno.env.get("VERDICT_SEED") ?? 7);
/** Requests of each of the three first proxies of a mesh. */
const REQUESTS = 24;
/** Largest part of verdicts that may be `UNKNOWN`. */
const MAX_UNKNOWN = 0.02;

async function makeSigner() {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const key = { ...await exportJWK(publicKey), kid: "k", alg: "ES256", use: "sig" };
  return {
    jwks: JSON.stringify({ keys: [key] }),
    sign: (claims: Readonly<Record<string, unknown>>): Promise<string> =>
      new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "k" }).sign(privateKey),
  };
}

Deno.test(
  withCertificates(
    "verdicts: requests with mistakes end as they say, in real Envoys",
    async (t) => {
      const dir = await Deno.makeTempDir({ prefix: "mesh-verdicts-" });
      try {
        const authority = await makeAuthority(dir);
        const [own, foreign] = [await makeSigner(), await makeSigner()];
        const [application, gateway, outbound, inbound] = freePorts(4) as [
          ...[number, number],
          ...[number, number],
        ];
        await using _ = await startServers([application]);
        const counts: Record<string, number> = {};
        const unknown: string[] = [];
        let total = 0;
        for (let seed = SEED; seed < SEED + SAMPLES; seed++) {
          await t.step(`sample ${seed}`, async () => {
            const bench = startTranslation(create(MeshConfigSchema, {
              rootNamespace: "mesh-system",
              proxyListenPort: outbound,
              proxyInboundListenPort: inbound,
            }));
            const [http = 0, alt = 0, tcp = 0, ...target] = freePorts(6);
            const [targetHttp = 0, targetAlt = 0, targetTcp = 0] = target;
            const ports = {
              gateway,
              service: { http, alt, tcp },
              target: { http: targetHttp, alt: targetAlt, tcp: targetTcp },
            };
            bench.set(twoHopMesh(seed, ports, own.jwks, true));
            const found = await runTwoHops(bench, {
              ...{ seed, dir, authority, ports, outbound, inbound, application },
              ...{ sign: own.sign, mistakes: { foreign: foreign.sign }, count: REQUESTS },
            });
            for (const [key, n] of Object.entries(found.counts)) {
              counts[key] = (counts[key] ?? 0) + n;
              total += n;
            }
            unknown.push(...found.unknown);
            const { wrong } = found;
            assert.equal(wrong.length, 0, `${wrong.length}\n${wrong.slice(0, 4).join("\n\n")}`);
          });
        }
        await t.step("few verdicts are unknown, and requests ended in each way", () => {
          assert.equal(total, SAMPLES * 3 * REQUESTS);
          const part = unknown.length / total;
          assert.ok(part <= MAX_UNKNOWN, `${unknown.length} of ${total}: ${unknown.join("\n")}`);
          assert.ok(unknown.every((one) => /^UNKNOWN: .{10}/.test(one)));
          for (const key of ["allowed by 2", "denied by 2", "denied by 1"]) {
            assert.ok((counts[key] ?? 0) > 2 * SAMPLES, JSON.stringify(counts));
          }
        });
      } finally {
        await Deno.remove(dir, { recursive: true });
      }
    },
  ),
);
