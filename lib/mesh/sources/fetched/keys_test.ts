import assert from "node:assert/strict";
import { MeshError } from "../../../kit/base/mod.ts";
import { addressFilter, fetchKeys, startKeySource } from "./mod.ts";

const KEYS = '{"keys":[]}';

function serve(answer: (request: Request) => Response) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  return { server, uri: `http://127.0.0.1:${server.addr.port}/keys` };
}

const options = (allowed: readonly string[] = ["127.0.0.1"]) => ({
  admits: addressFilter(allowed),
  timeoutMs: 2_000,
  signal: new AbortController().signal,
});

Deno.test("addresses: internal addresses are refused in every notation", () => {
  const admits = addressFilter(["10.1.0.0/16", "fd00::1"]);
  const cases: Readonly<Record<string, boolean>> = {
    "8.8.8.8": true,
    "2001:4860::1": true,
    "127.0.0.1": false,
    "127.9.9.9": false,
    "169.254.169.254": false,
    "10.0.0.1": false,
    "10.1.2.3": true,
    "172.20.0.1": false,
    "192.168.1.1": false,
    "100.64.0.1": false,
    "0.0.0.0": false,
    "::1": false,
    "::": false,
    "fe80::1": false,
    "fd00::1": true,
    "fd00::2": false,
    "::ffff:127.0.0.1": false,
    "::ffff:7f00:1": false,
    "::ffff:10.1.2.3": true,
    "::FFFF:127.0.0.1": false,
    "0:0:0:0:0:ffff:7f00:1": false,
    "0000:0000:0000:0000:0000:ffff:127.0.0.1": false,
    "::ffff:8.8.8.8": true,
    "::127.0.0.1": false,
    "::7f00:1": false,
    "::a9fe:a9fe": false,
    "::ffff:0:127.0.0.1": false,
    "64:ff9b::7f00:1": false,
    "64:ff9b::127.0.0.1": false,
    "64:ff9b:1::7f00:1": false,
    "2002:7f00:1::1": false,
    "2002:a9fe:a9fe::": false,
    "2001:0:4136:e378:8000:63bf:80ff:fffe": false,
    "2001:4860::5efe:127.0.0.1": false,
    "2001:4860::200:5efe:7f00:1": false,
    "2001:4860::7f00:1": true,
    "fec0::1": false,
    "fe80::1%eth0": false,
    "::1%lo": false,
    "[::1]": false,
    "127.1": false,
    "0x7f.0.0.1": false,
    "2130706433": false,
    "localhost": false,
    "": false,
  };
  for (const [address, open] of Object.entries(cases)) {
    assert.equal(admits(address), open, address);
  }
});

Deno.test("keys come from open addresses, by name and by number", async () => {
  const { server, uri } = serve(() => new Response(KEYS));
  assert.equal(await fetchKeys(uri, options()), KEYS);
  const closed = [uri, uri.replace("127.0.0.1", "localhost"), uri.replace("127.0.0.1", "[::1]")];
  for (const one of closed) {
    await assert.rejects(fetchKeys(one, options([])), (error: unknown) => {
      assert.ok(error instanceof MeshError);
      return error.code === "jwks-fetch" && error.message.includes("not allowed");
    });
  }
  await server.shutdown();
});

Deno.test("keys: answers that are no key set are refused, and endless redirects", async () => {
  const answers: readonly (() => Response)[] = [
    () => new Response("not here", { status: 404 }),
    () => new Response(null, { status: 302, headers: { location: "/keys" } }),
    () => new Response("x"),
    () => new Response("{}"),
    () => new Response("[]"),
    () => new Response(`{"keys":[],"x":"${"y".repeat(2 << 20)}"}`),
  ];
  for (const answer of answers) {
    const { server, uri } = serve(answer);
    await assert.rejects(fetchKeys(uri, options()), { code: "jwks-fetch" });
    await server.shutdown();
  }
});

const DISCOVERY = "/.well-known/openid-configuration";

/** A server with answers by path; `HERE` in an answer or location is its own address. */
function serveSite(site: Readonly<Record<string, string | { readonly location: string }>>) {
  return serve((request) => {
    const { origin, pathname } = new URL(request.url);
    const found = site[pathname];
    if (found === undefined) return new Response(null, { status: 404 });
    if (typeof found === "string") return new Response(found.replaceAll("HERE", origin));
    const location = found.location.replaceAll("HERE", origin);
    return new Response(null, { status: 302, headers: { location } });
  });
}

/** Keys found by discovery (`undefined`), or the reason why none are. */
const DISCOVERIES: readonly [
  name: string,
  site: Parameters<typeof serveSite>[0],
  reason: RegExp | undefined,
][] = [
  ["at the address named", { [DISCOVERY]: '{"jwks_uri":"HERE/keys"}', "/keys": KEYS }, undefined],
  ["after redirects", {
    [DISCOVERY]: { location: "HERE/document" },
    "/document": '{"jwks_uri":"HERE/moved"}',
    "/moved": { location: "/keys" },
    "/keys": KEYS,
  }, undefined],
  ["no document", {}, /status 404/],
  ["no address", { [DISCOVERY]: "{}" }, /no jwks_uri/],
  ["another type", { [DISCOVERY]: '{"jwks_uri":7}' }, /no jwks_uri/],
  ["another scheme", { [DISCOVERY]: '{"jwks_uri":"file:///etc/passwd"}' }, /does not begin with/],
  ["a closed address", { [DISCOVERY]: '{"jwks_uri":"http://127.0.0.2:1/"}' }, /not allowed/],
  ["a closed redirect of the document", {
    [DISCOVERY]: { location: "http://127.0.0.2:1/" },
  }, /not allowed/],
  ["a closed redirect of the keys", {
    [DISCOVERY]: '{"jwks_uri":"HERE/moved"}',
    "/moved": { location: "http://169.254.169.254/" },
  }, /not allowed/],
  ["a redirect to another scheme", { [DISCOVERY]: { location: "file:///x" } }, /does not begin/],
  ["endless redirects", { [DISCOVERY]: { location: DISCOVERY } }, /too many times/],
  ["a huge document", { [DISCOVERY]: `{"x":"${"y".repeat(2 << 20)}"}` }, /bytes/],
];

for (const [name, site, reason] of DISCOVERIES) {
  Deno.test(`keys by discovery: ${name}`, async () => {
    const { server, uri } = serveSite(site);
    const issuer = `openid:${new URL(uri).origin}`;
    const fetching = fetchKeys(issuer, options());
    if (reason === undefined) assert.equal(await fetching, KEYS);
    else await assert.rejects(fetching, { code: "jwks-fetch", message: reason });
    await server.shutdown();
  });
}

Deno.test("a source fetches again, keeps what it has, and forgets what is not wanted", async () => {
  let status = 503;
  let count = 0;
  const { server, uri } = serve(() => {
    count++;
    return new Response(status === 200 ? KEYS : null, { status });
  });
  const got: string[] = [];
  const came = Promise.withResolvers<void>();
  const source = startKeySource({
    refreshMs: 20,
    allowed: ["127.0.0.0/8"],
    onKeys: (keys) => {
      got.push(...keys.keys());
      came.resolve();
    },
  });
  source.request([uri]);
  while (count < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(got, [], "there are no keys before the first success");
  const [fault] = source.faults();
  assert.deepEqual([fault?.name, fault?.stored], [uri, false]);
  assert.match(String(fault?.error), /status 503/);
  status = 200;
  await came.promise;
  const seen = count;
  while (count < seen + 2) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(got, [uri], "equal keys are reported once");
  assert.deepEqual(source.faults(), []);
  source.request([]);
  source[Symbol.dispose]();
  await server.shutdown();
});
