import assert from "node:assert/strict";
import { withCertificates } from "../../../tests/support/certificates.ts";
import {
  generateKey,
  issueAuthority,
  issueLeaf,
  type Issuer,
  type LeafRequest,
  parseSpiffe,
  privateKeyPem,
} from "../../kit/pki/mod.ts";
import { startRpc } from "../../kit/rpc/mod.ts";
import {
  AuthnError,
  type AuthnRequest,
  certificateAuthenticator,
  createAuthn,
  forwardedAuthenticator,
  proxyAuthorizer,
  tokenAuthenticator,
} from "./mod.ts";

const HOUR = 3_600_000;
const ID = "spiffe://cluster.local/ns/shop/sa/cart";
const now = Date.now();
const validity = { notBefore: now - HOUR, notAfter: now + HOUR };

async function authority(issuer?: Issuer): Promise<Issuer> {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  return {
    key,
    certificate: await issueAuthority({ organization: "root", key, issuer, ...validity }),
  };
}

async function leaf(issuer: Issuer, more: Partial<LeafRequest> = {}): Promise<Uint8Array> {
  const { spki } = await generateKey({ type: "ecdsa", curve: "P256" });
  return (await issueLeaf({ spki, uris: [ID], ...validity, ...more }, issuer)).der;
}

const REVIEWED = {
  authenticated: true as const,
  user: { username: "system:serviceaccount:shop:cart", uid: "u", groups: [], extra: {} },
  audiences: ["mesh-ca"],
};

function request(more: Partial<AuthnRequest> = {}): AuthnRequest {
  return { peer: "10.1.2.3:4567", metadata: new Map(), ...more };
}

Deno.test("client certificates: trusted ones are accepted, others are refused", async () => {
  const [own, foreign] = [await authority(), await authority()];
  const middle = await authority(own);
  const check = certificateAuthenticator({
    roots: (domain) => domain === "cluster.local" ? [own.certificate] : undefined,
    clock: () => now,
  });
  const identities = [parseSpiffe(ID)!];
  const certificates = [await leaf(own)];
  assert.deepEqual(await check(request({ certificates })), { kind: "certificate", identities });
  const chain = [await leaf(middle), middle.certificate.der];
  assert.deepEqual((await check(request({ certificates: chain })))?.identities, identities);
  assert.equal(await check(request()), undefined);
  const cases: Record<string, Uint8Array[]> = {
    "an unknown root with a good name": [await leaf(foreign)],
    "a known name of the root only": [await leaf(foreign), own.certificate.der],
    "another trust domain": [await leaf(own, { uris: ["spiffe://other.domain/ns/shop/sa/cart"] })],
    expired: [await leaf(own, { notAfter: now - 1000 })],
    "not yet valid": [await leaf(own, { notBefore: now + 60_000 })],
    "two identities": [await leaf(own, { uris: [ID, "spiffe://cluster.local/ns/a/sa/b"] })],
    "no identity": [await leaf(own, { uris: [], dnsNames: ["cart.shop"] })],
    "another URI": [await leaf(own, { uris: ["https://cluster.local/ns/shop/sa/cart"] })],
    "without its intermediate": [await leaf(middle)],
    "not a certificate": [new Uint8Array(100)],
  };
  for (const [name, certificates] of Object.entries(cases)) {
    await assert.rejects(check(request({ certificates })), AuthnError, name);
  }
});

Deno.test(
  withCertificates(
    "a client that shows a certificate without having its key gets nowhere",
    async () => {
      const own = await authority();
      const serverKey = await generateKey({ type: "ecdsa", curve: "P256" });
      const server = await issueLeaf(
        { spki: serverKey.spki, dnsNames: ["localhost"], ...validity },
        own,
      );
      const victim = await generateKey({ type: "ecdsa", curve: "P256" });
      const attacker = await generateKey({ type: "ecdsa", curve: "P256" });
      const certificate = await issueLeaf({ spki: victim.spki, uris: [ID], ...validity }, own);
      let served = 0;
      const rpc = await startRpc({
        address: "localhost:0",
        limits: { maxReceive: 1024, maxStreams: 10 },
        keepalive: { interval: 60_000, timeout: 10_000 },
        tls: {
          cert: server.pem,
          key: await privateKeyPem(serverKey, "pkcs8"),
          clientCa: own.certificate.pem,
        },
        services: [{
          path: "/a.B/C",
          handle: () => Promise.resolve(void served++),
        }],
      });
      // The attacker's secret number beside the victim's public point, which clients do not compare.
      const mixed = await mixedKey(await privateKeyPem(attacker, "traditional"), victim.spki);
      const dir = await Deno.makeTempDir();
      await Deno.writeTextFile(`${dir}/cert.pem`, certificate.pem);
      await Deno.writeTextFile(`${dir}/mixed.pem`, mixed);
      await Deno.writeTextFile(`${dir}/own.pem`, await privateKeyPem(victim, "traditional"));
      // Whether the server ends the connection within a time; a client that is let in stays.
      const isCut = async (key: string, version: string, ms: number) => {
        const args = ["s_client", "-connect", `localhost:${rpc.port}`, "-cert", `${dir}/cert.pem`];
        const { signal } = await new Deno.Command("openssl", {
          args: [...args, "-key", `${dir}/${key}`, "-alpn", "h2", version, "-ign_eof"],
          stdin: "null",
          stdout: "null",
          stderr: "null",
          signal: AbortSignal.timeout(ms),
        }).output();
        return signal === null;
      };
      for (const version of ["-tls1_2", "-tls1_3"]) {
        assert.equal(await isCut("own.pem", version, 1500), false, version);
        assert.equal(await isCut("mixed.pem", version, 20_000), true, version);
      }
      assert.equal(served, 0);
      await rpc.stop(0);
      await Deno.remove(dir, { recursive: true });
    },
  ),
);

/** A SEC 1 key of one key's number and another one's point. */
function mixedKey(pem: string, spki: Uint8Array): Promise<string> {
  const der = Uint8Array.fromBase64(pem.replaceAll(/-----[^-]+-----|\s/g, ""));
  // Uncompressed points of P-256 are the last 65 bytes of both structures.
  der.set(spki.subarray(spki.length - 65), der.length - 65);
  const body = der.toBase64().match(/.{1,64}/g)!.join("\n");
  return Promise.resolve(`-----BEGIN EC PRIVATE KEY-----\n${body}\n-----END EC PRIVATE KEY-----\n`);
}

Deno.test("forwarded certificates count from trusted addresses only", async () => {
  const check = forwardedAuthenticator(["10.0.0.0/8", "fd00::/8"]);
  const header = (text: string, peer = "10.1.2.3:1") =>
    check({ peer, metadata: new Map([["x-forwarded-client-cert", text]]) });
  const identities = [parseSpiffe(ID)!];
  const good = `By=spiffe://cluster.local/ns/x/sa/y;Hash=ab;Subject="CN=a;URI=b,c";URI=${ID}`;
  assert.deepEqual(await header(good), { kind: "forwarded", identities });
  assert.deepEqual((await header(good, "fd00::1:55"))?.identities, identities);
  assert.equal(await header(good, "11.1.2.3:1"), undefined);
  assert.equal(await header(good, "unix"), undefined);
  assert.equal(await check(request()), undefined);
  // What the client before the gateway wrote does not count.
  assert.deepEqual(
    (await header(`URI=spiffe://cluster.local/ns/a/sa/root,${good}`))?.identities,
    identities,
  );
  for (
    const bad of [
      "",
      "URI=",
      `URI=${ID};URI=${ID}`,
      "URI=https://a",
      `Subject="URI=${ID}"`,
      "x".repeat(20_000),
    ]
  ) {
    await assert.rejects(header(bad), AuthnError, bad.slice(0, 40));
  }
});

Deno.test("forwarded certificates: a forged element before that of the gateway gives no identity", async () => {
  const check = forwardedAuthenticator(["10.0.0.0/8"]);
  const own = `By=spiffe://cluster.local/ns/x/sa/y;Hash=ab;Subject="CN=cart";URI=${ID}`;
  const empty = `By=spiffe://cluster.local/ns/x/sa/y;Hash=ab;Subject="";URI=${ID}`;
  const victim = "URI=spiffe://cluster.local/ns/a/sa/root";
  const forged = [
    `${victim};Subject="`,
    `${victim};Subject="\\`,
    `${victim};Subject="\\"`,
    `${victim};Cert="a"b;Subject="`,
    `${victim};By=a"`,
    `"${victim}`,
    `${victim};"`,
    `${victim};Subject="x" y`,
    `${victim};Subject="x",Subject="`,
    `${victim};Hash=a;Hash=b`,
    `${victim};Subject="a";subject="b"`,
    `${victim};URI`,
    `${victim};=x`,
    `${victim};DNS=a=b`,
    `${victim};Subject=a b`,
    `${victim};Subject="a\0b"`,
    `${victim};`,
    `,${victim}`,
    ",",
    " ",
  ];
  for (const gateway of [own, empty]) {
    for (const sent of forged) {
      const metadata = new Map([["x-forwarded-client-cert", `${sent},${gateway}`]]);
      await assert.rejects(check({ peer: "10.1.2.3:1", metadata }), AuthnError, sent);
    }
    const wellFormed = [
      victim,
      `${victim};Subject="a,b;c=\\"d\\""`,
      `${victim};DNS=a;DNS=b;By=c;By=d;dns=e`,
      `${victim};Subject="";Cert=""`,
      `${victim}, ${victim}`,
    ];
    for (const sent of wellFormed) {
      const metadata = new Map([["x-forwarded-client-cert", `${sent}, ${gateway}`]]);
      const caller = await check({ peer: "10.1.2.3:1", metadata });
      assert.deepEqual(caller?.identities, [parseSpiffe(ID)], sent);
    }
  }
  const unfinished = new Map([["x-forwarded-client-cert", `${own},`]]);
  await assert.rejects(check({ peer: "10.1.2.3:1", metadata: unfinished }), AuthnError);
});

Deno.test("bearer tokens are tried in order, and their text is not in errors", async () => {
  const seen: (string | undefined)[] = [];
  const check = tokenAuthenticator([
    ["jwt", () => Promise.reject(new AuthnError("no"))],
    ["token-review", (token, cluster) => {
      seen.push(token, cluster);
      return token === "good"
        ? Promise.resolve(parseSpiffe(ID)!)
        : Promise.reject(new Error("bad"));
    }],
  ]);
  const metadata = (text: string) => new Map([["authorization", text], ["clusterid", "c1"]]);
  assert.equal((await check(request({ metadata: metadata("Bearer good") })))?.kind, "token-review");
  assert.deepEqual(seen, ["good", "c1"]);
  assert.equal(await check(request({ metadata: metadata("Basic good") })), undefined);
  await assert.rejects(check(request({ metadata: metadata("bearer s3cr3t") })), (error: Error) => {
    assert.ok(error instanceof AuthnError);
    assert.ok(!error.message.includes("s3cr3t"));
    return true;
  });
});

Deno.test("invalid credentials are not passed over for others, and none are refused", async () => {
  const [own, foreign] = [await authority(), await authority()];
  const authn = createAuthn({
    trustDomain: "cluster.local",
    roots: () => [own.certificate],
    clock: () => now,
    reviewOf: () => () => Promise.resolve(REVIEWED),
  });
  const metadata = new Map([["authorization", "Bearer good"]]);
  assert.equal((await authn.authenticate(request({ metadata }))).kind, "token-review");
  await assert.rejects(authn.authenticate(request()), AuthnError);
  const certificates = [await leaf(foreign)];
  await assert.rejects(authn.authenticate(request({ metadata, certificates })), AuthnError);
});

Deno.test("credentials are for the accounts of the list, in the namespace that they proved", async () => {
  const authn = {
    authenticate: () => Promise.resolve({ kind: "jwt" as const, identities: [parseSpiffe(ID)!] }),
  };
  const { namespace, serviceAccount } = parseSpiffe(ID)!;
  const decide = (credentialAccounts: string, claimed: string, secure = true) =>
    proxyAuthorizer(authn, {
      secured: true,
      plain: false,
      checkIdentity: false,
      credentialAccounts,
    })(
      { ...request(), secure },
      { namespace: claimed, metadata: {} },
    );
  const identity = ID;
  const own = `${namespace}/${serviceAccount}`;
  const lists = ["", own, `${namespace}/*`, `*/${serviceAccount}`, ` x/y , ${own} `];
  for (const list of lists) {
    const readsReferred = true;
    const all = { identity, readsCredentials: true, readsReferred };
    assert.deepEqual(await decide(list, namespace), all, list);
    // Another namespace than the proved one, which the settings accept for the rest.
    const none = { identity, readsCredentials: false, readsReferred: false };
    assert.deepEqual(await decide(list, "elsewhere"), none, list);
  }
  for (const list of ["x/y", `${namespace}/other`, `other/${serviceAccount}`]) {
    // What Gateways of the proved namespace refer to is not of the list.
    const referred = { identity, readsCredentials: false, readsReferred: true };
    assert.deepEqual(await decide(list, namespace), referred, list);
  }
  assert.deepEqual(await decide("", namespace, false), {});
  assert.deepEqual(await decide(own, namespace, false), { readsCredentials: false });
  for (const bad of ["shop", "a/b/c", "A/b", "/b", "a/"]) {
    assert.throws(() => void decide(bad, namespace), { code: "credential-accounts" }, bad);
  }
});
