import assert from "node:assert/strict";
import { generateKey, issueAuthority, issueLeaf, privateKeyPem } from "../../kit/pki/mod.ts";
import { encode, fromBinary } from "../../kit/proto/mod.ts";
import { openStream } from "../../kit/rpc/mod.ts";
import {
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { renewalIn, startSds, untilRenewal, type WorkloadCertificate } from "./mod.ts";

const HOUR = 3_600_000;
const METHOD = "/envoy.service.secret.v3.SecretDiscoveryService/StreamSecrets";

Deno.test("a certificate is renewed when its ratio remains, varied by the jitter", () => {
  const input = { notBefore: 0, notAfter: 1000, now: 100, ratio: 0.5, jitter: 0.1, random: 0.5 };
  assert.equal(renewalIn(input), 400);
  assert.equal(renewalIn({ ...input, random: 0 }), 500);
  assert.equal(renewalIn({ ...input, random: 1 }), 300);
  assert.equal(renewalIn({ ...input, ratio: 0 }), 900 - 0);
  assert.equal(renewalIn({ ...input, ratio: 1, jitter: 1, random: 1 }), 0);
  assert.equal(renewalIn({ ...input, now: 5000 }), 0);
});

/** A jump of the clock after an hour, ms → the time of the renewal by the clock, ms. */
const JUMPS: readonly (readonly [string, number, number])[] = [
  ["no jump", 0, 12 * HOUR],
  ["a machine that slept until after the end of the certificate", 30 * HOUR, 31 * HOUR],
  ["a clock that is set forward", 5 * HOUR, 12 * HOUR],
  ["a clock that is set back", -HOUR / 2, 12 * HOUR],
];

for (const [name, jump, expected] of JUMPS) {
  Deno.test(`the renewal follows the clock: ${name}`, async () => {
    let now = 0;
    let hasJumped = false;
    await untilRenewal({
      notBefore: 0,
      notAfter: 24 * HOUR,
      ratio: 0.5,
      jitter: 0,
      random: 0.5,
      clock: () => now,
      sleep(ms) {
        now += ms;
        if (now >= HOUR && !hasJumped) {
          hasJumped = true;
          now += jump;
        }
        return Promise.resolve();
      },
      hasEnded: () => false,
    });
    assert.equal(now, expected);
  });
}

async function certificate(version: string): Promise<WorkloadCertificate> {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const validity = { notBefore: Date.now() - 1000, notAfter: Date.now() + 60_000 };
  const root = await issueAuthority({ organization: "a", key, ...validity });
  const uris = ["spiffe://a/ns/b/sa/c"];
  const leaf = await issueLeaf({ spki: key.spki, uris, ...validity }, { certificate: root, key });
  return {
    chain: leaf.pem,
    key: await privateKeyPem(key, "pkcs8"),
    roots: root.pem,
    version,
    rootsVersion: version,
  };
}

Deno.test("secrets are served by name, again when they change, and no others", async () => {
  const dir = await Deno.makeTempDir();
  const socket = `${dir}/socket`;
  let current = await certificate("1");
  let changed = () => {};
  const sds = await startSds({
    socket,
    debounceMs: 10,
    certificates: {
      current: () => current,
      onChange: (run) => {
        changed = run;
        return () => {};
      },
      stop() {},
    },
  });
  assert.equal((await Deno.stat(socket)).mode! & 0o777, 0o600);
  const stream = openStream({ target: `unix:${socket}`, path: METHOD });
  const answers = stream.messages[Symbol.asyncIterator]();
  const next = async () => {
    const { value } = await answers.next();
    const { resources, versionInfo } = fromBinary(DiscoveryResponseSchema, value!);
    return { versionInfo, secret: fromBinary(SecretSchema, resources[0]!.value) };
  };
  stream.send(encode(DiscoveryRequestSchema, { resourceNames: ["default"] }));
  const first = await next();
  assert.equal(first.versionInfo, "1");
  assert.equal(first.secret.name, "default");
  assert.equal(first.secret.type.case, "tlsCertificate");
  // An acknowledgement is not answered; a renewal is sent.
  stream.send(encode(DiscoveryRequestSchema, { resourceNames: ["default"], versionInfo: "1" }));
  current = await certificate("2");
  changed();
  assert.equal((await next()).versionInfo, "2");
  stream.close();
  const roots = openStream({ target: `unix:${socket}`, path: METHOD });
  roots.send(encode(DiscoveryRequestSchema, { resourceNames: ["ROOTCA"] }));
  for await (const message of roots.messages) {
    const { resources } = fromBinary(DiscoveryResponseSchema, message);
    assert.equal(fromBinary(SecretSchema, resources[0]!.value).type.case, "validationContext");
    roots.close();
  }
  const other = openStream({ target: `unix:${socket}`, path: METHOD });
  other.send(encode(DiscoveryRequestSchema, { resourceNames: ["file-cert:/etc/passwd"] }));
  await assert.rejects(async () => {
    for await (const _ of other.messages);
  }, { status: "INVALID_ARGUMENT" });
  await Promise.all([stream, roots, other].map(({ ended }) => ended));
  await sds.stop();
  await Deno.remove(dir, { recursive: true });
});
