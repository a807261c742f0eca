import assert from "node:assert/strict";
import { withCertificates } from "../../../tests/support/certificates.ts";
import { generateKey, issueAuthority, type Issuer, privateKeyPem } from "../../kit/pki/mod.ts";
import { fileStore, memoryStore, startPlugged, startSelfSigned } from "./mod.ts";
import type { SelfSignedOptions } from "./mod.ts";
import { firstCheck, isDue } from "./rotation.ts";

const DAY = 86_400_000;

/** Options whose clock stands at `time.now`. */
function options(time: { now: number }, more: Partial<SelfSignedOptions> = {}): SelfSignedOptions {
  return {
    store: memoryStore(),
    trustDomain: "cluster.local",
    rsaBits: 2048,
    ttlMs: 100 * DAY,
    checkMs: 0,
    jitter: false,
    gracePercent: 20,
    timeoutMs: 60_000,
    longestTtlMs: DAY,
    pending: () => [],
    clock: () => time.now,
    ...more,
  };
}

async function withDir(run: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-ca-" });
  try {
    await run(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function eventually(check: () => boolean): Promise<void> {
  const until = performance.now() + 60_000;
  while (!check()) {
    if (performance.now() > until) assert.fail("the condition did not come true in 60 s");
    await new Promise((done) => setTimeout(done, 20));
  }
}

Deno.test("a self-signed root is kept in a file that only its owner may read", () =>
  withDir(async (dir) => {
    const time = { now: Date.UTC(2026, 0, 1) };
    const kept = () => startSelfSigned(options(time, { store: fileStore(`${dir}/state`) }));
    await using first = await kept();
    const { root } = first.current();
    assert.deepEqual(root.key, { type: "rsa", bits: 2048 });
    assert.equal(root.notAfter, time.now + 100 * DAY);
    await using again = await kept();
    assert.deepEqual(again.current().root.der, root.der);
    const [entry] = [...Deno.readDirSync(`${dir}/state`)];
    const mode = (await Deno.stat(`${dir}/state/${entry!.name}`)).mode!;
    assert.equal(mode & 0o777, 0o600);
  }));

Deno.test("a damaged file ends the start, and its content is not in the error", () =>
  withDir(async (dir) => {
    const store = fileStore(dir);
    await using first = await startSelfSigned(options({ now: Date.now() }, { store }));
    assert.ok(first);
    const path = `${dir}/self-signed.json`;
    const text = await Deno.readTextFile(path);
    for (const bad of [text.slice(0, -200), "{}", text.replace("stable", "switched")]) {
      await Deno.writeTextFile(path, bad);
      const error: Error = await startSelfSigned(options({ now: Date.now() }, { store }))
        .then(() => assert.fail(), (e) => e);
      assert.equal((error as { code?: string }).code, "ca-store");
      assert.doesNotMatch(error.message, /BEGIN|MII/);
    }
  }));

Deno.test("a root is renewed in the last part of its lifetime, over a restart too", () =>
  withDir(async (dir) => {
    const time = { now: Date.UTC(2026, 0, 1) };
    const asked: (readonly string[])[] = [];
    let pending = ["a.shop"];
    const all = options(time, {
      store: fileStore(dir),
      pending: (serials) => {
        asked.push(serials);
        return pending;
      },
    });
    let changed = 0;
    const first = await startSelfSigned(all);
    first.onChange(() => changed++);
    const old = first.current().root;
    await first.check();
    assert.equal(first.state().phase, "stable");
    time.now += 80 * DAY;
    await first.check();
    assert.equal(first.state().phase, "announced");
    assert.equal(changed, 1);
    assert.equal(first.current().root, old);
    assert.equal(first.current().bundle.roots.length, 2);
    assert.equal(asked.at(-1)!.length, 2);
    await first[Symbol.asyncDispose]();

    await using second = await startSelfSigned(all);
    assert.equal(second.state().phase, "announced");
    time.now += 60_000;
    await second.check();
    assert.deepEqual((second.state() as { laggards?: unknown }).laggards, ["a.shop"]);
    pending = [];
    await second.check();
    assert.equal(second.state().phase, "switched");
    const fresh = second.current().root;
    assert.notDeepEqual(fresh.der, old.der);
    assert.equal(second.current().bundle.roots.length, 2);
    time.now += DAY;
    await second.check();
    assert.deepEqual(second.current().bundle.roots.map(({ serial }) => serial), [fresh.serial]);
  }));

Deno.test("the check comes at its interval, the first one after a random part of it", () => {
  const validity = { notBefore: 0, notAfter: 1000 };
  assert.deepEqual([799, 800, 1001].map((now) => isDue(validity, now, 20)), [false, true, true]);
  assert.equal(isDue(validity, 999, 0), false);
  assert.equal(isDue(validity, 0, 100), true);
  assert.deepEqual([firstCheck(1000, false, 0.5), firstCheck(1000, true, 0.5)], [1000, 500]);
});

Deno.test("the timer renews a root; with an interval of zero there is no check", async () => {
  const time = { now: Date.now() };
  await using checked = await startSelfSigned(options(time, { checkMs: 20, stepMs: 20 }));
  await using unchecked = await startSelfSigned(options(time, { checkMs: 0, stepMs: 20 }));
  const [before, other] = [checked.current().root, unchecked.current().root];
  time.now += 99 * DAY;
  await eventually(() => checked.current().root !== before);
  assert.equal(unchecked.current().root, other);
});

/** Files of an authority below a root. */
async function authority(now: number): Promise<{ files: Record<string, string>; middle: Issuer }> {
  const validity = { notBefore: now - DAY, notAfter: now + DAY };
  const rootKey = await generateKey({ type: "ecdsa", curve: "P256" });
  const certificate = await issueAuthority({ organization: "own root", key: rootKey, ...validity });
  const root = { certificate, key: rootKey };
  const key = await generateKey({ type: "rsa", bits: 2048 });
  const organization = "intermediate";
  const own = await issueAuthority({ organization, key, issuer: root, ...validity });
  return {
    middle: { certificate: own, key },
    files: {
      certificate: own.pem,
      key: await privateKeyPem(key, "traditional"),
      pkcs8: await privateKeyPem(key, "pkcs8"),
      root: certificate.pem,
    },
  };
}

async function write(dir: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${dir}/${name}`, text);
  }
}

Deno.test(
  withCertificates(
    "a plugged-in authority is read in both layouts and followed",
    () =>
      withDir(async (dir) => {
        // The clock is asked each time that changed files are read.
        let reads = 0;
        const clock = () => {
          reads++;
          return Date.now();
        };
        assert.equal(await startPlugged({ dir, clock }), undefined);
        assert.equal(await startPlugged({ dir: `${dir}/none`, clock }), undefined);
        const [a, b] = [await authority(Date.now()), await authority(Date.now())];
        await write(dir, {
          "tls.crt": a.files.certificate!,
          "tls.key": a.files.pkcs8!,
          "ca.crt": a.files.root!,
        });
        const plugged = await startPlugged({ dir, clock, intervalMs: 20 });
        assert.ok(plugged);
        await using source = plugged;
        const { issuer, intermediates, bundle } = source.current();
        assert.deepEqual(issuer.certificate.der, a.middle.certificate.der);
        assert.equal(intermediates.length, 1);
        assert.equal(bundle.roots.length, 1);
        // The other layout comes first once it is there; half of a change is not used.
        const half: [name: string, text: string][] = [
          ["ca-key.pem", b.files.key!],
          ["ca-cert.pem", b.files.certificate!],
          ["root-cert.pem", a.files.root!],
        ];
        for (const [name, text] of half) {
          const before = reads;
          await write(dir, { [name]: text });
          await eventually(() => reads > before);
        }
        assert.deepEqual(source.current().issuer.certificate.der, a.middle.certificate.der);
        await write(dir, {
          "cert-chain.pem": b.files.certificate! + b.files.root!,
          "root-cert.pem": a.files.root! + b.files.root!,
        });
        await eventually(() => source.current().bundle.roots.length === 2);
        assert.deepEqual(source.current().issuer.certificate.der, b.middle.certificate.der);
      }),
  ),
);

Deno.test("faulty plugged-in authorities are refused at the start", () =>
  withDir(async (dir) => {
    const clock = () => Date.now();
    const [a, b] = [await authority(Date.now()), await authority(Date.now())];
    const old = await authority(Date.now() - 10 * DAY);
    const good = {
      "ca-cert.pem": a.files.certificate!,
      "ca-key.pem": a.files.key!,
      "root-cert.pem": a.files.root!,
    };
    const cases: [string, Record<string, string>, RegExp][] = [
      ["another key", { ...good, "ca-key.pem": b.files.key! }, /not the key/],
      ["another root", { ...good, "root-cert.pem": b.files.root! }, /no trusted authority/],
      ["no PEM", { ...good, "ca-cert.pem": "hello" }, /no certificate/],
      ["expired", {
        "ca-cert.pem": old.files.certificate!,
        "ca-key.pem": old.files.key!,
        "root-cert.pem": old.files.root!,
      }, /expired/],
    ];
    for (const [name, files, message] of cases) {
      await write(dir, files);
      await assert.rejects(startPlugged({ dir, clock }), { code: "ca-plugged", message }, name);
    }
  }));
