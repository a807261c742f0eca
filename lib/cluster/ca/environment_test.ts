/**
 * Each variable of the certificate authority, flipped in the environment.
 */
import assert from "node:assert/strict";
import { useEnvironment } from "../../kit/env/mod.ts";
import { createCsr, generateKey, readCertificates } from "../../kit/pki/mod.ts";
import { eventually } from "../../../scripts/harness/mod.ts";
import { type CaOptions, type CertificateAuthority, startAuthority } from "./start.ts";

const HOUR = 3_600_000;
const ID = { trustDomain: "cluster.local", namespace: "shop", serviceAccount: "cart" };

/** Starts an authority in an environment and closes it after `run`. */
async function withAuthority(
  environment: Readonly<Record<string, string>>,
  run: (authority: CertificateAuthority) => Promise<void> | void,
  more: Partial<CaOptions> = {},
): Promise<void> {
  using _ = useEnvironment(environment);
  const authority = await startAuthority({
    trustDomain: "cluster.local",
    pending: () => [],
    clock: () => Date.now(),
    ...more,
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

Deno.test("MESHCA_SELF_SIGNED_CA_RSA_KEY_SIZE sets the size of the root's key", async () => {
  const bits = async (environment: Readonly<Record<string, string>>): Promise<unknown> => {
    let key: unknown;
    await withAuthority(environment, ({ source }) => {
      key = source.current().bundle.roots[0]!.key;
    });
    return key;
  };
  assert.deepEqual(await bits({}), { type: "rsa", bits: 2048 });
  const larger = { MESHCA_SELF_SIGNED_CA_RSA_KEY_SIZE: "3072" };
  assert.deepEqual(await bits(larger), { type: "rsa", bits: 3072 });
});

/** A root that is new, and in the last 99 % of its lifetime. */
const DUE = {
  MESHCA_SELF_SIGNED_CA_CERT_TTL: "2h",
  MESHCA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE: "99",
};

Deno.test("MESHCA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE sets the part in which a root is renewed", async () => {
  const MESHCA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL = "0s";
  for (const [percent, phase] of [["99", "switched"], ["1", "stable"]] as const) {
    const environment = {
      ...DUE,
      MESHCA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL,
      MESHCA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE: percent,
    };
    await withAuthority(environment, async ({ selfSigned }) => {
      await selfSigned!.check();
      assert.equal(selfSigned!.state().phase, phase, percent);
    });
  }
});

Deno.test("MESHCA_ROOT_CHANGE_TIMEOUT sets the time that proxies have for a new root", async () => {
  for (const [value, phase] of [["1m", "overdue"], ["1h", "announced"]] as const) {
    let now = Date.now();
    await withAuthority(
      { MESHCA_ROOT_CHANGE_TIMEOUT: value },
      async ({ selfSigned }) => {
        await selfSigned!.decide("begin");
        now += 10 * 60_000;
        await selfSigned!.check();
        assert.equal(selfSigned!.state().phase, phase, value);
      },
      { clock: () => now, pending: () => ["web"] },
    );
  }
});

Deno.test("MESHCA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL sets the interval of checks, or disables them", async () => {
  const at = (value: string) => ({
    ...DUE,
    MESHCA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR: "false",
    MESHCA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL: value,
  });
  await withAuthority(at("0s"), async (never) => {
    await withAuthority(at("20ms"), async ({ selfSigned }) => {
      await eventually("a check", () => selfSigned!.state().phase !== "stable", 60_000);
    });
    assert.equal(never.selfSigned!.state().phase, "stable");
  });
});

Deno.test("MESHCA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR moves the first check forward", async () => {
  const at = (value: string) => ({
    ...DUE,
    MESHCA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL: "1h",
    MESHCA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR: value,
  });
  const random = Math.random;
  Math.random = () => 0;
  try {
    await withAuthority(at("false"), async (late) => {
      await withAuthority(at("true"), async ({ selfSigned }) => {
        await eventually("a check", () => selfSigned!.state().phase !== "stable", 60_000);
      });
      assert.equal(late.selfSigned!.state().phase, "stable");
    });
  } finally {
    Math.random = random;
  }
});
