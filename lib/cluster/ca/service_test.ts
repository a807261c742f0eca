import assert from "node:assert/strict";
import { withCertificates } from "../../../tests/support/certificates.ts";
import type { Caller } from "../authn/mod.ts";
import { MeshError } from "../../kit/base/mod.ts";
import {
  createCsr,
  generateKey,
  parseSpiffe,
  readCertificates,
  USAGE,
  verifyChain,
  workloadSubject,
} from "../../kit/pki/mod.ts";
import { openssl } from "../../../tests/support/openssl.ts";
import { expose } from "../../kit/metrics/mod.ts";
import { encode, fromBinary } from "../../kit/proto/mod.ts";
import { openStream, RpcError, startRpc } from "../../kit/rpc/mod.ts";
import {
  MeshCertificateRequestSchema,
  MeshCertificateResponseSchema,
} from "#mesh/v1/auth/ca_pb.ts";
import {
  certificateService,
  type CertificateServiceOptions,
  createIssuance,
  memoryStore,
  rateLimiter,
  type SelfSigned,
  startSelfSigned,
} from "./mod.ts";
import { observeAuthority } from "./metrics.ts";

const PATH = "/mesh.v1.auth.MeshCertificateService/CreateCertificate";
const ID = "spiffe://cluster.local/ns/shop/sa/cart";
const OTHER = "spiffe://cluster.local/ns/shop/sa/other";
const HOUR = 3_600_000;

/** A service over a self-signed root. The metadata `who` of a call is its caller's identity. */
async function serve(
  more: Partial<CertificateServiceOptions>,
  run: (address: string, authority: SelfSigned) => Promise<void>,
): Promise<void> {
  await using authority = await startSelfSigned({
    store: memoryStore(),
    trustDomain: "cluster.local",
    rsaBits: 2048,
    ttlMs: 100 * HOUR,
    checkMs: 0,
    jitter: false,
    gracePercent: 20,
    timeoutMs: 1000,
    longestTtlMs: HOUR,
    pending: () => [],
    clock: () => Date.now(),
  });
  const issuance = createIssuance({
    authority,
    defaultTtlMs: HOUR,
    maxTtlMs: 2 * HOUR,
    clock: () => Date.now(),
  });
  const service = certificateService({
    issuance,
    authenticate: (call) => {
      const id = parseSpiffe(call.metadata.get("who") ?? "");
      if (!id) return Promise.reject(new Error("the secret reason"));
      return Promise.resolve({ kind: "jwt", identities: [id] } satisfies Caller);
    },
    mayImpersonate: () => Promise.resolve(false),
    limit: () => true,
    ...more,
  });
  const server = await startRpc({
    address: "127.0.0.1:0",
    services: [service],
    limits: { maxReceive: 1024 * 1024, maxStreams: 2000 },
    keepalive: { interval: 60_000, timeout: 10_000 },
  });
  try {
    await run(server.address, authority);
  } finally {
    await server.stop(100);
  }
}

interface Asked {
  readonly csr: string;
  readonly who?: string;
  readonly seconds?: number;
  readonly metadata?: Record<string, string>;
}

async function ask(
  target: string,
  { csr, who = ID, seconds = 0, metadata }: Asked,
): Promise<string[]> {
  const stream = openStream({ target, path: PATH, metadata: { who } });
  stream.send(encode(MeshCertificateRequestSchema, {
    csr,
    validityDuration: BigInt(seconds),
    metadata,
  }));
  stream.end();
  try {
    for await (const message of stream.messages) {
      return fromBinary(MeshCertificateResponseSchema, message).certChain;
    }
    throw new Error("no answer");
  } finally {
    stream.close();
    await stream.ended;
  }
}

Deno.test(
  withCertificates(
    "a certificate has the workload of the CSR, and a critical name of the caller",
    () =>
      serve({}, async (target) => {
        const key = await generateKey({ type: "ecdsa", curve: "P256" });
        const shown = async (csr: string) => {
          const [leaf, root] = await ask(target, { csr });
          const files = { leaf: leaf!, root: root! };
          const valid = await openssl(
            ["verify", "-x509_strict", "-CAfile", "@root", "@leaf"],
            files,
          );
          assert.ok(valid.ok, valid.text);
          return (await openssl(["x509", "-in", "@leaf", "-noout", "-text"], files)).stdout;
        };
        const workload = workloadSubject(["cart", "cart", "v1", "c1", "cart", "v1"]);
        const named = await shown(await createCsr(key, [], workload));
        assert.match(named, /Subject: ?description ?= ?cart\/cart\/v1\/c1\/cart\/v1\n/);
        assert.match(named, /Subject Alternative Name: critical\s+URI:spiffe:[^,\n]*sa\/cart\n/);
        const malformed = await shown(await createCsr(key, [], "bank.example.com"));
        assert.match(malformed, /Subject: ?\n/);
      }),
  ),
);

async function csrOf(...uris: string[]): Promise<string> {
  return await createCsr(await generateKey({ type: "ecdsa", curve: "P256" }), uris);
}

Deno.test(
  withCertificates(
    "a certificate has the caller's identity and nothing of the CSR's names",
    () =>
      serve({}, async (target, authority) => {
        const chain = await ask(target, { csr: await csrOf(OTHER) });
        assert.equal(chain.length, 2);
        assert.ok(chain.every((pem) => pem.endsWith("-----END CERTIFICATE-----\n")));
        const [leaf, root] = chain.flatMap((pem) => readCertificates(pem, "chain"));
        assert.deepEqual(leaf!.names, [{ type: "uri", value: ID }]);
        assert.deepEqual(root!.der, authority.current().root.der);
        await verifyChain(leaf!, { roots: [root!], now: Date.now(), usage: USAGE.server });
        const { ok, text } = await openssl(
          ["verify", "-x509_strict", "-CAfile", "@root", "@leaf"],
          {
            leaf: leaf!.pem,
            root: root!.pem,
          },
        );
        assert.ok(ok, text);
      }),
  ),
);

Deno.test("lifetimes: default, as asked, and refused beyond the maximum", () =>
  serve({}, async (target) => {
    const csr = await csrOf();
    const lifetime = async (seconds: number) => {
      const [pem] = await ask(target, { csr, seconds });
      const [leaf] = readCertificates(pem!, "leaf");
      return Math.round((leaf!.notAfter - Date.now()) / 60_000);
    };
    assert.equal(await lifetime(0), 60);
    assert.equal(await lifetime(-5), 60);
    assert.equal(await lifetime(600), 10);
    assert.equal(await lifetime(7200), 120);
    for (const seconds of [7201, 1e15]) {
      await assert.rejects(ask(target, { csr, seconds }), (error) => {
        assert.ok(error instanceof RpcError);
        assert.equal(error.status, "INVALID_ARGUMENT");
        return true;
      });
    }
  }));

/** A CSR whose key is no point of its curve. */
async function csrOfNoPoint(): Promise<string> {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const bytes = Uint8Array.fromBase64(
    (await createCsr(key, [])).replace(/-----[^-]+-----|\s/g, ""),
  );
  const at = bytes.findIndex((_, i) => key.spki.every((byte, j) => bytes[i + j] === byte));
  bytes[at + key.spki.length - 1]! ^= 1;
  const label = "CERTIFICATE REQUEST";
  return `-----BEGIN ${label}-----\n${bytes.toBase64()}\n-----END ${label}-----\n`;
}

Deno.test("refusals reveal no details to the caller", () =>
  serve({}, async (target) => {
    const csr = await csrOf();
    const cases: [Asked, string, string][] = [
      [{ csr, who: "" }, "UNAUTHENTICATED", "request authenticate failure"],
      [
        { csr, metadata: { ImpersonatedIdentity: OTHER } },
        "UNAUTHENTICATED",
        "request impersonation authentication failure",
      ],
      [
        { csr, metadata: { ImpersonatedIdentity: "x\ny" } },
        "UNAUTHENTICATED",
        "request impersonation authentication failure",
      ],
      [{ csr: "" }, "INVALID_ARGUMENT", "CSR signing error (CSR)"],
      [{ csr: csr + csr }, "INVALID_ARGUMENT", "CSR signing error (CSR)"],
      [{ csr: csr + "x" }, "INVALID_ARGUMENT", "CSR signing error (CSR)"],
      [{ csr: await csrOfNoPoint() }, "INVALID_ARGUMENT", "CSR signing error (CSR)"],
    ];
    for (const [asked, status, details] of cases) {
      const error = await ask(target, asked).then(() => assert.fail(), (e) => e);
      assert.deepEqual([error.status, error.details], [status, details]);
    }
  }));

/** The value of a metric without labels. */
async function valueOf(name: string): Promise<number> {
  const { body } = await expose();
  const line = body.split("\n").find((text) => text.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? NaN);
}

/** An outcome of a request → the counter that it raises. */
const COUNTED: readonly (readonly [string, Partial<CertificateServiceOptions>, string])[] = [
  ["meshca_server_success_cert_issuance_count", {}, ""],
  ["meshca_server_csr_parsing_err_count", {}, "x"],
  [
    "meshca_server_authentication_failure_count",
    { authenticate: () => Promise.reject(new Error("unknown")) },
    "",
  ],
  [
    "meshca_server_id_extraction_err_count",
    { authenticate: () => Promise.resolve({ kind: "jwt", identities: [] }) },
    "",
  ],
  [
    "meshca_server_csr_sign_err_count",
    { issuance: { issue: () => Promise.reject(new Error("no key")) } },
    "",
  ],
];

for (const [name, options, garbage] of COUNTED) {
  Deno.test(`${name} counts its outcome, and meshca_server_csr_count every request`, () =>
    serve(options, async (target) => {
      const csr = await csrOf() + garbage;
      const all = "meshca_server_csr_count";
      const before = [await valueOf(name), await valueOf(all)];
      await ask(target, { csr }).catch((error) => assert.ok(error instanceof RpcError));
      const after = [await valueOf(name), await valueOf(all)];
      assert.deepEqual(after, before.map((value) => value + 1));
    }));
}

Deno.test("a caller learns why a signer gave no certificate, without the signer's text", async () => {
  const cases = [
    ["ca-signer", "CSR signing error (the signer, or its certificate, cannot be used)"],
    ["orch-signing-denied", "CSR signing error (the request was denied)"],
    ["orch-signing-failed", "CSR signing error (the signer failed)"],
    ["orch-signing-timeout", "CSR signing error (the signer did not answer in time)"],
    ["other", "CSR signing error"],
  ] as const;
  const csr = await csrOf();
  for (const [code, details] of cases) {
    const issue = () => Promise.reject(new MeshError(code, "the secret reason"));
    await serve({ issuance: { issue } }, async (target) => {
      await assert.rejects(ask(target, { csr }), { status: "INTERNAL", details });
    });
  }
});

Deno.test("the gauges of expiry follow the root and its chain", () =>
  serve({}, async (_, authority) => {
    const now = Date.now();
    observeAuthority(authority, () => now);
    const end = authority.current().root.notAfter;
    for (const name of ["root_cert", "cert_chain"]) {
      assert.equal(await valueOf(`meshca_server_${name}_expiry_timestamp`), end / 1000);
      assert.equal(await valueOf(`meshca_server_${name}_expiry_seconds`), (end - now) / 1000);
    }
  }));

Deno.test("a caller that may impersonate gets the certificate of the other identity", () =>
  serve({ mayImpersonate: () => Promise.resolve(true) }, async (target) => {
    const csr = await csrOf();
    const [pem] = await ask(target, { csr, metadata: { ImpersonatedIdentity: OTHER } });
    assert.deepEqual(readCertificates(pem!, "leaf")[0]!.uris, [OTHER]);
    const foreign = "spiffe://other.domain/ns/shop/sa/other";
    await assert.rejects(ask(target, { csr, metadata: { ImpersonatedIdentity: foreign } }));
  }));

Deno.test("a flood of one identity is limited, others go on", () => {
  let now = 0;
  const limit = rateLimiter({ perSecond: 1, burst: 3, now: () => now });
  return serve({ limit }, async (target) => {
    const csr = await csrOf();
    for (let i = 0; i < 3; i++) await ask(target, { csr });
    await assert.rejects(ask(target, { csr }), { status: "RESOURCE_EXHAUSTED" });
    await ask(target, { csr, who: OTHER });
    now += 1000;
    await ask(target, { csr });
    await assert.rejects(ask(target, { csr }), { status: "RESOURCE_EXHAUSTED" });
  });
});

Deno.test("a caller that impersonates an identity does not use up its requests", () => {
  const limit = rateLimiter({ perSecond: 1, burst: 2, now: () => 0 });
  return serve({ limit, mayImpersonate: () => Promise.resolve(true) }, async (target) => {
    const impersonating = { csr: await csrOf(), metadata: { ImpersonatedIdentity: OTHER } };
    for (let i = 0; i < 2; i++) await ask(target, impersonating);
    await assert.rejects(ask(target, impersonating), { status: "RESOURCE_EXHAUSTED" });
    for (const who of [OTHER, ID]) await ask(target, { csr: impersonating.csr, who });
  });
});

Deno.test("a limiter forgets the identities of long ago", () => {
  const limit = rateLimiter({ perSecond: 1, burst: 1, now: () => 0, capacity: 2 });
  assert.deepEqual(["a", "a", "b", "c", "a"].map(limit), [true, false, true, true, true]);
});

Deno.test("1,000 CSRs at once leave the event loop responsive", () =>
  serve({}, async (target) => {
    const csr = await csrOf();
    await ask(target, { csr });
    const stalls: number[] = [];
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      stalls.push(now - last - 5);
      last = now;
    }, 5);
    const begin = performance.now();
    // The clients share the event loop with the server, so they connect a few at a time.
    let left = 1000;
    await Promise.all(Array.from({ length: 20 }, async () => {
      while (left-- > 0) await ask(target, { csr });
    }));
    clearInterval(timer);
    const took = performance.now() - begin;
    const perSecond = 1000 / (took / 1000);
    stalls.sort((a, b) => a - b);
    // Other processes of the machine cause single long stalls, which the maximum would show.
    const high = stalls[Math.floor(stalls.length * 0.99)]!;
    const report = `${perSecond.toFixed(0)} certificates/s; stalls: 99 % below ` +
      `${high.toFixed(0)} ms, longest ${stalls.at(-1)!.toFixed(0)} ms`;
    console.log(report);
    // A loop that signs all of them at once stands still most of the time.
    assert.ok(high < took / 20, report);
  }));

Deno.test("a flood of six identities delays the request of another by a turn", async () => {
  const floods = 6;
  const each = 60;
  const arrived = Promise.withResolvers<void>();
  let count = 0;
  const authenticate: CertificateServiceOptions["authenticate"] = (call) => {
    if (++count === floods * each) arrived.resolve();
    return Promise.resolve({ kind: "jwt", identities: [parseSpiffe(call.metadata.get("who")!)!] });
  };
  await serve({ authenticate }, async (target) => {
    const csr = await csrOf();
    let answered = 0;
    const flood = Array.from({ length: floods * each }, async (_, i) => {
      await ask(target, { csr, who: `spiffe://cluster.local/ns/flood/sa/f${i % floods}` });
      answered++;
    });
    await arrived.promise;
    await ask(target, { csr });
    const before = answered;
    await Promise.all(flood);
    assert.ok(before < floods * each / 2, `${before} of ${floods * each} came first`);
  });
});
