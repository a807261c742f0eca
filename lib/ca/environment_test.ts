/**
 * Each variable of the certificate authority, flipped in the environment.
 */
import assert from "node:assert/strict";
import { useEnvironment } from "../env/mod.ts";
import { createCsr, generateKey, readCertificates } from "../pki/mod.ts";
import { type CertificateAuthority, startAuthority } from "./start.ts";

const HOUR = 3_600_000;
const ID = { trustDomain: "cluster.local", namespace: "shop", serviceAccount: "cart" };

/** Starts an authority in an environment and closes it after `run`. */
async function withAuthority(
  environment: Readonly<Record<string, string>>,
  run: (authority: CertificateAuthority) => Promise<void> | void,
): Promise<void> {
  using _ = useEnvironment(environment);
  const authority = await startAuthority({
    trustDomain: "cluster.local",
    pending: () => [],
    clock: () => Date.now(),
  });
  await using _source = authority.source;
  await run(authority);
}

Deno.test("MESHCA_SELF_SIGNED_CA_CERT_TTL sets the lifetime of the root", async () => {
  for (const [value, hours] of [["2h", 2], ["5h", 5]] as const) {
    await withAuthority({ MESHCA_SELF_SIGNED_CA_CERT_TTL: value }, ({ source }) => {
      const [root] = source.current().bundle.roots;
      const left = root!.notAfter - Date.now();
      assert.ok(left > (hours - 1) * HOUR && left <= (hours + 1) * HOUR, `${left}`);
    });
  }
});

Deno.test("MESHCA_SELF_SIGNED_DIR keeps the root over restarts", async () => {
  const dir = await Deno.makeTempDir({ prefix: "mesh-ca-" });
  try {
    const serials: string[] = [];
    for (const value of [dir, dir, "", ""]) {
      await withAuthority({ MESHCA_SELF_SIGNED_DIR: value }, ({ source }) => {
        serials.push(source.current().bundle.roots[0]!.serial);
      });
    }
    assert.equal(serials[0], serials[1]);
    assert.equal(new Set(serials).size, 3);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("MESHCA_MAX_REQUESTS_PER_SECOND limits the requests of an identity", async () => {
  const taken = async (value: string): Promise<number> => {
    let count = 0;
    await withAuthority({ MESHCA_MAX_REQUESTS_PER_SECOND: value }, ({ limit }) => {
      while (count < 5_000 && limit("a")) count++;
    });
    return count;
  };
  assert.ok(await taken("1") < 100);
  assert.equal(await taken("0"), 5_000);
});

Deno.test("DEFAULT_WORKLOAD_CERT_TTL and MAX_WORKLOAD_CERT_TTL set lifetimes of workload certificates", async () => {
  const csr = await createCsr(await generateKey({ type: "ecdsa", curve: "P256" }), []);
  await withAuthority(
    { DEFAULT_WORKLOAD_CERT_TTL: "2h", MAX_WORKLOAD_CERT_TTL: "3h" },
    async ({ issuance }) => {
      const issued = async (ttlMs: number): Promise<number> => {
        const [pem = ""] = await issuance.issue({ csr, identity: ID, ttlMs });
        const [leaf] = readCertificates(pem, "leaf");
        return Math.round((leaf!.notAfter - Date.now()) / HOUR);
      };
      assert.deepEqual([await issued(0), await issued(HOUR)], [2, 1]);
      await assert.rejects(issued(4 * HOUR));
    },
  );
});
