import assert from "node:assert/strict";
import { withCertificates } from "../../../tests/support/certificates.ts";
import {
  type Certificate,
  generateKey,
  issueAuthority,
  issueLeaf,
  type Issuer,
  type KeyKind,
  readCertificates,
  readPrivateKey,
  readTrustBundle,
  sameBundle,
  trustBundle,
  USAGE,
  verifyChain,
} from "./mod.ts";
import { openssl, opensslText } from "../../../tests/support/openssl.ts";

const HOUR = 3_600_000;
const ID = "spiffe://cluster.local/ns/shop/sa/cart";
const ECDSA: KeyKind = { type: "ecdsa", curve: "P256" };
/** Later than the begin of what openssl issues in these tests. */
const now = Math.floor(Date.now() / 1000) * 1000 + 60_000;
const validity = { notBefore: now - HOUR, notAfter: now + HOUR };

async function authority(kind: KeyKind, issuer?: Issuer, pathLength?: number): Promise<Issuer> {
  const key = await generateKey(kind);
  const commonName = issuer ? "intermediate" : "root";
  const certificate = await issueAuthority({
    organization: "cluster.local",
    commonName,
    key,
    issuer,
    pathLength,
    ...validity,
  });
  return { certificate, key };
}

async function leaf(kind: KeyKind, issuer: Issuer, times = validity): Promise<Certificate> {
  const { spki } = await generateKey(kind);
  return await issueLeaf({ spki, uris: [ID], ...times }, issuer);
}

/** Returns the result of `openssl verify` for a chain. */
async function opensslVerifies(
  certificate: Certificate,
  root: Certificate,
  intermediates: readonly Certificate[],
): Promise<boolean> {
  const files = {
    leaf: certificate.pem,
    root: root.pem,
    chain: intermediates.map(({ pem }) => pem).join(""),
  };
  const untrusted = intermediates.length > 0 ? ["-untrusted", "@chain"] : [];
  const args = ["verify", "-x509_strict", "-CAfile", "@root", ...untrusted, "@leaf"];
  const { ok, text } = await openssl(args, files);
  assert.ok(ok, text);
  return ok;
}

const KINDS: readonly [string, KeyKind][] = [
  ["RSA 2048", { type: "rsa", bits: 2048 }],
  ["ECDSA P-256", ECDSA],
  ["ECDSA P-384", { type: "ecdsa", curve: "P384" }],
];
for (const [caName, caKind] of KINDS) {
  for (const [name, kind] of KINDS) {
    const title = `a chain of ${name} below ${caName} verifies, with and without an intermediate`;
    Deno.test(withCertificates(title, async () => {
      const root = await authority(caKind);
      const middle = await authority(caKind, root, 0);
      for (const [issuer, intermediates] of [[root, []], [middle, [middle.certificate]]] as const) {
        const certificate = await leaf(kind, issuer);
        const roots = [root.certificate];
        const chain = await verifyChain(certificate, {
          intermediates,
          roots,
          now,
          usage: USAGE.client,
        });
        assert.deepEqual(chain, [certificate, ...intermediates, root.certificate]);
        await opensslVerifies(certificate, root.certificate, intermediates);
      }
    }));
  }
}

Deno.test(
  withCertificates("a leaf of a server has names of each kind, also beyond 2050", async () => {
    const root = await authority(ECDSA);
    const { spki } = await generateKey(ECDSA);
    const notAfter = Date.UTC(2051, 0, 2, 3, 4, 5);
    const certificate = await issueLeaf({
      spki,
      dnsNames: ["meshd.mesh-system.svc"],
      ips: ["127.0.0.1", "2001:db8::1"],
      notBefore: validity.notBefore,
      notAfter,
    }, root);
    assert.equal(certificate.notAfter, notAfter);
    const text = await opensslText(["x509", "-in", "@leaf", "-noout", "-text"], {
      leaf: certificate.pem,
    });
    assert.match(text, /Not After : Jan {2}2 03:04:05 2051 GMT/);
    assert.match(
      text,
      /DNS:meshd\.mesh-system\.svc, IP Address:127\.0\.0\.1, IP Address:2001:DB8:0:0:0:0:0:1/,
    );
    const wrong = { spki, ips: ["nowhere"], ...validity };
    await assert.rejects(issueLeaf(wrong, root), { code: "pki-name-invalid" });
  }),
);

Deno.test(
  withCertificates("a leaf has the names, usages and validity that were asked for", async () => {
    const root = await authority(ECDSA);
    const certificate = await leaf(ECDSA, root);
    const text = await opensslText(["x509", "-in", "@leaf", "-noout", "-text"], {
      leaf: certificate.pem,
    });
    assert.match(text, /Subject: \n/);
    assert.match(
      text,
      /Subject Alternative Name: critical\s+URI:spiffe:\/\/cluster\.local\/ns\/shop\/sa\/cart/,
    );
    assert.match(text, /Basic Constraints: critical\s+CA:FALSE/);
    assert.match(text, /Extended Key Usage: \s+TLS Web Server Authentication, TLS Web Client/);
    assert.deepEqual(
      [certificate.uris, certificate.notBefore, certificate.notAfter, certificate.isCa],
      [[ID], validity.notBefore, validity.notAfter, false],
    );
  }),
);

Deno.test(withCertificates("an authority of openssl issues through its key", async () => {
  const key = await opensslText(["genrsa", "-traditional", "2048"]);
  const pem = await opensslText(
    [
      ...["req", "-x509", "-key", "@key", "-days", "1", "-utf8"],
      ...["-subj", "/C=CH/O=Größe AG/CN=own root"],
      ...["-addext", "keyUsage=critical,keyCertSign"],
    ],
    { key },
  );
  const [certificate] = readCertificates(pem, "root");
  const root = { certificate: certificate!, key: await readPrivateKey(key, "key") };
  const issued = await leaf(ECDSA, root);
  await opensslVerifies(issued, root.certificate, []);
  assert.equal((await verifyChain(issued, { roots: [root.certificate], now })).length, 2);
}));

Deno.test("chains that must not verify do not", async () => {
  const root = await authority(ECDSA);
  const other = await authority(ECDSA);
  const middle = await authority(ECDSA, root, 0);
  const below = await authority(ECDSA, middle);
  const good = await leaf(ECDSA, root);
  const fails = async (
    certificate: Certificate,
    code: string,
    options: Partial<Parameters<typeof verifyChain>[1]> = {},
  ) => {
    const all = { roots: [root.certificate], now, ...options };
    await assert.rejects(verifyChain(certificate, all), { code });
  };
  // An unknown root with the same name, and a good name in the leaf.
  await fails(await leaf(ECDSA, other), "pki-chain");
  await fails(good, "pki-chain", { roots: [] });
  await fails(await leaf(ECDSA, middle), "pki-chain");
  await fails(await leaf(ECDSA, below), "pki-chain", {
    intermediates: [middle.certificate, below.certificate],
  });
  // A workload's certificate does not sign others.
  const workloadKey = await generateKey(ECDSA);
  const workload = await issueLeaf({ spki: workloadKey.spki, uris: [ID], ...validity }, root);
  const forged = await leaf(ECDSA, { certificate: workload, key: workloadKey });
  await fails(forged, "pki-chain", { intermediates: [workload] });
  await fails(good, "pki-expired", { now: validity.notAfter + 1000 });
  await fails(good, "pki-not-yet-valid", { now: validity.notBefore - 1000 });
  await fails(good, "pki-chain", { usage: "1.3.6.1.5.5.7.3.3" });
});

Deno.test("a changed byte is found", async () => {
  const root = await authority(ECDSA);
  const certificate = await leaf(ECDSA, root);
  const at = certificate.der.length - certificate.spki.length;
  for (let i = 30; i < at; i += 7) {
    const der = certificate.der.slice();
    der[i]! ^= 1;
    const pem = `-----BEGIN CERTIFICATE-----\n${der.toBase64()}\n-----END CERTIFICATE-----\n`;
    await assert.rejects(
      async () => {
        const [changed] = readCertificates(pem, "changed");
        await verifyChain(changed!, { roots: [root.certificate], now });
      },
      { name: "MeshError" },
      `byte ${i}`,
    );
  }
});

Deno.test("bundles count each root once and refuse what is not an authority", async () => {
  const [a, b] = [await authority(ECDSA), await authority(ECDSA)];
  const bundle = trustBundle([a.certificate, b.certificate, a.certificate]);
  assert.equal(bundle.roots.length, 2);
  const again = readTrustBundle(bundle.pem, "bundle");
  assert.ok(sameBundle(bundle, again));
  assert.ok(!sameBundle(bundle, trustBundle([a.certificate])));
  const workload = await leaf(ECDSA, a);
  assert.throws(() => readTrustBundle(workload.pem, "bundle"), { code: "pki-chain" });
  assert.throws(() => readTrustBundle("", "bundle"), { code: "pki-malformed" });
});
