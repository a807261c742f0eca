import assert from "node:assert/strict";
import { generateKey, issueAuthority, type TrustBundle, trustBundle } from "../../kit/pki/mod.ts";
import { readRoots, rootsToTrust } from "./trusted_roots.ts";

async function root(organization: string) {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const validity = { notBefore: Date.now() - 1000, notAfter: Date.now() + 60_000 };
  return await issueAuthority({ organization, key, ...validity });
}

Deno.test("roots that the daemon sent replace older ones, but never the root of the workload's certificate", async () => {
  const [a, b, c] = await Promise.all(["a", "b", "c"].map(root));
  const names = new Map([[a!.pem, "a"], [b!.pem, "b"], [c!.pem, "c"]]);
  const bundle = (...roots: (typeof a)[]) => trustBundle(roots.map((one) => one!));
  const trusted = (
    issued: TrustBundle,
    sent: TrustBundle | undefined,
    supersedes: boolean,
    extra?: TrustBundle,
  ) =>
    rootsToTrust({ issued, sent, extra, supersedes }).roots.map(({ pem }) => names.get(pem)).sort()
      .join("");
  const cases: [string, string][] = [
    [trusted(bundle(a, b), undefined, false), "ab"],
    [trusted(bundle(a), bundle(a, b), true), "ab"],
    [trusted(bundle(a, b), bundle(b), true), "b"],
    [trusted(bundle(a, b), bundle(b), false), "ab"],
    [trusted(bundle(a, b), bundle(a), true), "ab"],
    [trusted(bundle(b), bundle(a), true), "ab"],
    [trusted(bundle(b), bundle(b), true, bundle(c)), "bc"],
  ];
  for (const [seen, expected] of cases) assert.equal(seen, expected);
});

Deno.test("roots of the daemon are read as a whole, or not at all", async () => {
  const { pem } = await root("a");
  assert.equal(readRoots([], "roots"), undefined);
  assert.equal(readRoots([pem, pem.trim()], "roots")?.roots.length, 1);
  assert.throws(() =>
    readRoots([pem, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"], "roots")
  );
  assert.throws(() => readRoots(["hello"], "roots"));
});
