import assert from "node:assert/strict";
import { makeAuthority, withCertificates } from "../../../../tests/support/certificates.ts";
import { addressFilter, fetchBundle, readBundle, startBundleSource } from "./mod.ts";

/** Base64 of the certificate in a PEM text, as bundles have it. */
const inside = (pem: string): string => pem.replaceAll(/-----[A-Z ]+-----|\s/g, "");

const bundleOf = (...pems: readonly string[]): Record<string, unknown> => ({
  keys: [
    ...pems.map((pem) => ({ use: "x509-svid", kty: "EC", x5c: [inside(pem)] })),
    { use: "jwt-svid", kty: "EC", kid: "x" },
  ],
});

/** Serves over TLS what `answer` says, with an authority that vouches for it. */
async function serve(dir: string, answer: () => Response) {
  const authority = await makeAuthority(dir);
  const { cert, key } = await authority.issue("server", ["localhost"]);
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: () => {},
    cert: await Deno.readTextFile(cert),
    key: await Deno.readTextFile(key),
  }, answer);
  return {
    server,
    url: `https://localhost:${server.addr.port}/bundle`,
    authorities: await Deno.readTextFile(authority.cert),
  };
}

const options = (authorities?: string, allowed: readonly string[] = ["127.0.0.0/8", "::1"]) => ({
  admits: addressFilter(allowed),
  timeoutMs: 2_000,
  authorities,
  signal: new AbortController().signal,
});

Deno.test(
  withCertificates(
    "a bundle is fetched only over TLS from a verified server at a public address",
    async () => {
      const dir = await Deno.makeTempDir({ prefix: "mesh-bundles-" });
      const own = await Deno.readTextFile((await makeAuthority(dir, "other")).cert);
      const { server, url, authorities } = await serve(dir, () => Response.json(bundleOf(own)));
      try {
        assert.deepEqual(await fetchBundle(url, options(authorities)), {
          value: own,
          refreshMs: undefined,
        });
        const refused: readonly [string, Parameters<typeof fetchBundle>[1], RegExp][] = [
          [url, options(), /certificate|issuer/i],
          [url, options(authorities, []), /not allowed/],
          [url.replace("localhost", "127.0.0.1"), options(authorities, []), /not allowed/],
          [url.replace("https:", "http:"), options(authorities), /begin with https/],
        ];
        for (const [from, how, why] of refused) {
          await assert.rejects(fetchBundle(from, how), { code: "bundle-fetch", message: why });
        }
      } finally {
        await server.shutdown();
        await Deno.remove(dir, { recursive: true });
      }
    },
  ),
);

Deno.test(
  withCertificates(
    "content that is not a bundle is refused, and refresh hints are bounded",
    async () => {
      const dir = await Deno.makeTempDir({ prefix: "mesh-bundles-" });
      const own = await Deno.readTextFile((await makeAuthority(dir)).cert);
      await Deno.remove(dir, { recursive: true });
      const refused: readonly unknown[] = [
        [],
        {},
        { keys: {} },
        { keys: [] },
        { keys: [{ use: "jwt-svid" }] },
        { keys: [{ use: "x509-svid" }] },
        { keys: [{ use: "x509-svid", x5c: [inside(own), inside(own)] }] },
        { keys: [{ use: "x509-svid", x5c: ["MAA="] }] },
      ];
      for (const one of refused) assert.throws(() => readBundle(JSON.stringify(one)));
      const hinted = (spiffe_refresh_hint: unknown) =>
        readBundle(JSON.stringify({ ...bundleOf(own, own), spiffe_refresh_hint }));
      assert.equal(hinted(60).value, own + own);
      const cases: readonly [unknown, number | undefined][] = [
        [60, 60_000],
        [1, 10_000],
        [1e9, 86_400_000],
        [0, undefined],
        ["60", undefined],
      ];
      for (const [hint, expected] of cases) {
        assert.equal(
          hinted(hint).refreshMs,
          expected,
          `${hint}`,
        );
      }
    },
  ),
);

Deno.test(
  withCertificates("a bundle is fetched again, and its last good content stays", async () => {
    const dir = await Deno.makeTempDir({ prefix: "mesh-bundles-" });
    const [first, second] = await Promise.all(
      ["one", "two"].map(async (name) => Deno.readTextFile((await makeAuthority(dir, name)).cert)),
    );
    let asked = 0;
    const answers = [
      () => new Response(null, { status: 503 }),
      () => Response.json(bundleOf(first!)),
      () => Response.json(bundleOf(first!)),
      () => new Response("broken"),
      () => Response.json(bundleOf(second!)),
    ];
    const { server, url, authorities } = await serve(
      dir,
      () => answers[Math.min(asked++, answers.length - 1)]!(),
    );
    const came: string[] = [];
    const done = Promise.withResolvers<void>();
    const source = startBundleSource({
      allowed: ["127.0.0.0/8"],
      authorities,
      refreshMs: 10,
      onBundle: (from, pem) => {
        assert.equal(from, url);
        came.push(pem);
        if (came.length === 2) done.resolve();
      },
    });
    source.request([url]);
    await done.promise;
    assert.deepEqual(came, [first, second], "equal bundles are told once, and failures not at all");
    source[Symbol.dispose]();
    await server.shutdown();
    await Deno.remove(dir, { recursive: true });
  }),
);
