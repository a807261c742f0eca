import assert from "node:assert/strict";
import { makeAuthority, withCertificates } from "../../../../tests/support/certificates.ts";
import type { KeySet } from "../../derive/mod.ts";
import { useEnvironment } from "../../../kit/env/mod.ts";
import type { Intake } from "../../ingest/mod.ts";
import { expose } from "../../../kit/metrics/mod.ts";
import { eventually } from "../../../../scripts/harness/mod.ts";
import { startKeySets } from "./key_sets.ts";

const KEYS = '{"keys":[]}';
const WAIT_MS = 60_000;

/** Key sets that are fetched for one address, until `enough` of them were reported. */
async function reported(uri: string, enough: number): Promise<(KeySet | undefined)[]> {
  const all: (KeySet | undefined)[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const intake = {
    settings: ({ keySets }: Parameters<Intake["settings"]>[0]) => {
      all.push(keySets?.get(uri));
      if (all.length >= enough) resolve();
    },
    synced: () => {},
  };
  using _ = startKeySets(() => ({ value: [uri], close: () => {} }), intake);
  const deadline = setTimeout(() => reject(new Error("no keys in time")), WAIT_MS);
  try {
    await promise;
  } finally {
    clearTimeout(deadline);
  }
  return all;
}

/** Failed attempts to fetch keys, as the metrics have them. */
async function failures(): Promise<number> {
  const { body } = await expose("");
  const [, count = "0"] = /^pilot_jwks_resolver_network_fetch_fail_total (\d+)/m.exec(body) ?? [];
  return Number(count);
}

Deno.test(withCertificates(
  "JWKS_RESOLVER_INSECURE_SKIP_VERIFY fetches keys from a server of an unknown authority",
  async () => {
    const dir = await Deno.makeTempDir({ prefix: "mesh-keys-" });
    try {
      const { cert, key } = await (await makeAuthority(dir)).issue("keys", ["localhost"]);
      await using server = Deno.serve({
        hostname: "127.0.0.1",
        port: 0,
        onListen: () => {},
        cert: await Deno.readTextFile(cert),
        key: await Deno.readTextFile(key),
      }, () => new Response(KEYS));
      const uri = `https://localhost:${server.addr.port}/keys`;
      const allowed = { JWKS_ALLOWED_CIDRS: "127.0.0.0/8,::1" };
      {
        using _ = useEnvironment({ ...allowed, JWKS_RESOLVER_INSECURE_SKIP_VERIFY: "true" });
        assert.equal((await reported(uri, 1))[0]?.jwks, KEYS);
      }
      using _ = useEnvironment(allowed);
      const before = await failures();
      const keySets: unknown[] = [];
      const intake = { settings: (all: unknown) => void keySets.push(all), synced: () => {} };
      using _source = startKeySets(
        () => ({ value: [uri], close: () => {} }),
        intake,
      );
      await eventually("a failed attempt", async () => await failures() !== before);
      assert.deepEqual(keySets, []);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
));

Deno.test("PILOT_JWT_PUB_KEY_REFRESH_INTERVAL fetches changed keys again", async () => {
  let count = 0;
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(`{"keys":[],"n":${++count}}`),
  );
  using _ = useEnvironment({
    JWKS_ALLOWED_CIDRS: "127.0.0.0/8",
    PILOT_JWT_PUB_KEY_REFRESH_INTERVAL: "1s",
  });
  const all = await reported(`http://127.0.0.1:${server.addr.port}/`, 2);
  assert.notEqual(all[0]?.jwks, all[1]?.jwks);
});
