import assert from "node:assert/strict";
import { withCertificates } from "../../../tests/support/certificates.ts";
import {
  createCsr,
  createServerCsr,
  encodePem,
  generateKey,
  parseSpiffe,
  pemBlocks,
  readCsr,
  spiffeText,
  workloadSubject,
} from "./mod.ts";
import { openssl, opensslText } from "../../../tests/support/openssl.ts";

const ID = "spiffe://cluster.local/ns/shop/sa/cart";

Deno.test(withCertificates("a CSR of this room is one for openssl, and the reverse", async () => {
  const key = await generateKey({ type: "rsa", bits: 2048 });
  const pem = await createCsr(key, [ID]);
  const verified = await openssl(["req", "-in", "@csr", "-verify", "-noout"], { csr: pem });
  assert.match(verified.text, /OK/);
  const { spki, names, key: kind } = await readCsr(pem);
  assert.deepEqual([spki, kind], [key.spki, key.kind]);
  assert.deepEqual(names, [{ type: "uri", value: ID }]);
  const theirs = await opensslText([
    ...["req", "-new", "-nodes", "-keyout", "/dev/null", "-subj", "/O=x", "-newkey", "ec"],
    ...["-pkeyopt", "ec_paramgen_curve:secp384r1", "-addext", `subjectAltName=URI:${ID},DNS:a.b`],
  ]);
  const read = await readCsr(theirs);
  assert.deepEqual(read.key, { type: "ecdsa", curve: "P384" });
  assert.deepEqual(read.names.map(({ type }) => type), ["uri", "dns"]);
}));

Deno.test(withCertificates("openssl reads CSRs of all kinds of keys and names", async () => {
  for (
    const kind of [
      { type: "rsa", bits: 2048 },
      { type: "ecdsa", curve: "P256" },
      { type: "ecdsa", curve: "P384" },
    ] as const
  ) {
    const key = await generateKey(kind);
    const names = { dnsNames: ["a.example"], ips: ["10.1.2.3", "2001:db8::1"] };
    const csr = await createServerCsr(key, names);
    const { text } = await openssl(["req", "-in", "@csr", "-verify", "-noout", "-text"], { csr });
    assert.match(text, /OK/);
    assert.match(text, /Subject:\s*\n/);
    assert.match(text, /DNS:a\.example, IP Address:10\.1\.2\.3, IP Address:2001:DB8/);
    const none = await createCsr(key, []);
    const bare = await openssl(["req", "-in", "@csr", "-verify", "-noout", "-text"], { csr: none });
    assert.match(bare.text, /OK/);
    assert.doesNotMatch(bare.text, /Alternative Name/);
  }
}));

Deno.test(withCertificates("a CSR carries one workload, and none that is malformed", async () => {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const workload = workloadSubject(["web", "web_1", "v2", "c:1", "web", "a b"]);
  assert.equal(workload, "web/web_1/v2/c:1/web/a_b");
  const pem = await createCsr(key, [], workload);
  assert.equal((await readCsr(pem)).workload, workload);
  const shown = await openssl(["req", "-in", "@csr", "-noout", "-subject"], { csr: pem });
  assert.match(shown.text, /description ?= ?web\/web_1\/v2\/c:1\/web\/a_b/);
  const long = "x".repeat(254);
  assert.equal(workloadSubject(["web", "web"]), undefined);
  assert.equal(workloadSubject([long, "s", "r", "c", "a", "v"]), undefined);
  assert.equal(workloadSubject(["", "s", "r", "c", "a", "v"]), undefined);
  const theirs = async (subject: string) =>
    (await readCsr(
      await opensslText([
        ...["req", "-new", "-nodes", "-keyout", "/dev/null", "-newkey", "ec", "-subj", subject],
        ...["-pkeyopt", "ec_paramgen_curve:prime256v1", "-utf8"],
      ]),
    )).workload;
  const six = "a\\/b\\/c\\/d\\/e\\/f";
  assert.equal(await theirs(`/CN=x/description=${six}`), "a/b/c/d/e/f");
  const bad: Record<string, string> = {
    "only other attributes": "/O=x/CN=a.b",
    "too few parts": "/description=a\\/b\\/c\\/d\\/e",
    "too many parts": `/description=${six}\\/g`,
    "an empty part": "/description=a\\/\\/c\\/d\\/e\\/f",
    "two values": `/description=${six}/description=${six}`,
    "a comma": "/description=a,CN=b\\/b\\/c\\/d\\/e\\/f",
    "a space": "/description=a b\\/b\\/c\\/d\\/e\\/f",
    "a letter beyond ASCII": "/description=ä\\/b\\/c\\/d\\/e\\/f",
    "too long": `/description=${"a".repeat(253)}\\/${"b".repeat(253)}\\/c\\/d\\/e\\/f`,
  };
  for (const [name, subject] of Object.entries(bad)) {
    assert.equal(await theirs(subject), undefined, name);
  }
}));

Deno.test("malformed CSRs are refused", async () => {
  const pem = await createCsr(await generateKey({ type: "ecdsa", curve: "P256" }), [ID]);
  const { der } = pemBlocks(pem, "csr")[0]!;
  const label = "CERTIFICATE REQUEST";
  const changed = der.slice();
  changed[der.length - 3]! ^= 1;
  const inside = der.slice();
  inside[3]! += 1;
  const cases: Record<string, string> = {
    empty: "",
    text: "hello",
    "text around the block": `${pem}x`,
    "two blocks": pem + pem,
    "another label": encodePem("CERTIFICATE", der),
    "trailing bytes": encodePem(label, new Uint8Array([...der, 0])),
    "cut off": encodePem(label, der.subarray(0, der.length - 1)),
    "a wrong inner length": encodePem(label, inside),
    "a changed signature": encodePem(label, changed),
    "an indefinite length": encodePem(label, Uint8Array.of(0x30, 0x80, 0, 0)),
    "not base64": `-----BEGIN ${label}-----\n****\n-----END ${label}-----\n`,
    "too long": pem + " ".repeat(40_000),
  };
  for (const [name, text] of Object.entries(cases)) {
    await assert.rejects(readCsr(text), { name: "MeshError" }, name);
  }
});

Deno.test("a CSR whose key cannot exist is refused as malformed", async () => {
  for (const curve of ["P256", "P384"] as const) {
    const key = await generateKey({ type: "ecdsa", curve });
    const { der } = pemBlocks(await createCsr(key, [ID]), "csr")[0]!;
    const begin = key.spki.length - (curve === "P256" ? 64 : 96);
    const at = der.findIndex((_, i) => key.spki.every((byte, j) => der[i + j] === byte));
    assert.ok(at > 0);
    // Another number is a coordinate of no point of the curve, all but surely in 64 attempts.
    for (let i = 0; i < 64; i++) {
      const changed = der.slice();
      changed[at + begin + i]! ^= 0xff;
      await assert.rejects(
        readCsr(encodePem("CERTIFICATE REQUEST", changed)),
        ({ name, code }: { name: string; code: string }) => {
          assert.equal(name, "MeshError");
          return code === "pki-malformed";
        },
      );
    }
    const zero = der.slice().fill(0, at + begin, at + key.spki.length);
    await assert.rejects(readCsr(encodePem("CERTIFICATE REQUEST", zero)), {
      code: "pki-malformed",
    });
  }
});

Deno.test("NUL, newline and other control characters in names are refused", async () => {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  for (const bad of ["\0", "\n", "\r", " ", "\x7f"]) {
    const pem = await createCsr(key, [`spiffe://cluster.local/ns/shop/sa/cart${bad}x`]);
    await assert.rejects(readCsr(pem), { code: "pki-name-invalid" }, JSON.stringify(bad));
  }
});

Deno.test(withCertificates("CSRs with weak keys or SHA-1 are refused", async () => {
  const csr = (...args: string[]) =>
    opensslText([
      ...["req", "-new", "-nodes", "-keyout", "/dev/null", "-subj", "/O=x"],
      ...args,
    ]);
  await assert.rejects(readCsr(await csr("-newkey", "rsa:1024")), { code: "pki-weak-key" });
  await assert.rejects(readCsr(await csr("-newkey", "rsa:2048", "-sha1")), {
    code: "pki-signature",
  });
}));

Deno.test("SPIFFE ids are read and written strictly", () => {
  const id = { trustDomain: "cluster.local", namespace: "shop", serviceAccount: "cart" };
  assert.equal(spiffeText(id), ID);
  assert.deepEqual(parseSpiffe(ID), id);
  const bad = [
    "",
    "https://cluster.local/ns/shop/sa/cart",
    "spiffe://cluster.local/ns/shop/sa/",
    "spiffe://cluster.local/ns/shop/sa/cart/",
    "spiffe://cluster.local/ns/shop/sa/cart/x",
    "spiffe://cluster.local/ns/../sa/cart",
    "spiffe://Cluster.local/ns/shop/sa/cart",
    "spiffe://cluster.local:80/ns/shop/sa/cart",
    "spiffe://cluster.local/ns/shop/sa/c%61rt",
    "spiffe://cluster.local/ns/shop/sa/cart\n",
    "spiffe://cluster.local/ns/shop/sa/cart?x",
    "spiffe:///ns/shop/sa/cart",
  ];
  for (const text of bad) assert.equal(parseSpiffe(text), undefined, text);
  for (const serviceAccount of ["", "a/b", "..", "a\nb", "ä"]) {
    assert.throws(() => spiffeText({ ...id, serviceAccount }), { code: "pki-name-invalid" });
  }
});
