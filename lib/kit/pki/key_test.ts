import assert from "node:assert/strict";
import { withCertificates } from "../../../tests/support/certificates.ts";
import {
  generateKey,
  type KeyForm,
  type KeyKind,
  kindOfSpki,
  privateKeyPem,
  readPrivateKey,
} from "./mod.ts";
import { openssl, opensslText } from "../../../tests/support/openssl.ts";

const KINDS: readonly KeyKind[] = [
  { type: "rsa", bits: 2048 },
  { type: "rsa", bits: 4096 },
  { type: "ecdsa", curve: "P256" },
  { type: "ecdsa", curve: "P384" },
];

for (const kind of KINDS) {
  const name = kind.type === "rsa" ? `RSA ${kind.bits}` : `ECDSA ${kind.curve}`;
  Deno.test(withCertificates(`a key ${name} is written in both forms and read again`, async () => {
    const key = await generateKey(kind);
    for (const form of ["pkcs8", "traditional"] satisfies KeyForm[]) {
      const pem = await privateKeyPem(key, form);
      assert.equal(pem.startsWith("-----BEGIN PRIVATE KEY-----"), form === "pkcs8");
      const again = await readPrivateKey(pem, "a key");
      assert.deepEqual([again.kind, again.spki], [kind, key.spki]);
      assert.match(
        await opensslText(["pkey", "-in", "@key", "-check", "-noout"], { key: pem }),
        /valid/,
      );
    }
  }));
}

Deno.test(withCertificates("keys of openssl are read in every layout", async () => {
  const layouts: [string[], KeyKind][] = [
    [["genrsa", "-traditional", "2048"], { type: "rsa", bits: 2048 }],
    [["genrsa", "3072"], { type: "rsa", bits: 3072 }],
    [["ecparam", "-genkey", "-name", "prime256v1"], { type: "ecdsa", curve: "P256" }],
    [["ecparam", "-genkey", "-noout", "-name", "secp384r1"], { type: "ecdsa", curve: "P384" }],
  ];
  for (const [args, kind] of layouts) {
    const { kind: found, spki } = await readPrivateKey(await opensslText(args), "a key");
    assert.deepEqual([found, kindOfSpki(spki, "a key")], [kind, kind]);
  }
}));

Deno.test(withCertificates("weak, giant, unsupported and encrypted keys are refused", async () => {
  // A key of 16384 bits takes openssl minutes, so its public part is made by hand.
  assert.throws(() => kindOfSpki(rsaSpki(16_384), "a key"), { code: "pki-weak-key" });
  assert.throws(() => kindOfSpki(rsaSpki(1024), "a key"), { code: "pki-weak-key" });
  await assert.rejects(generateKey({ type: "rsa", bits: 1024 }), { code: "pki-weak-key" });
  const cases: [string[], string][] = [
    [["genrsa", "1024"], "pki-weak-key"],
    [["genpkey", "-algorithm", "ed25519"], "pki-key-unsupported"],
    [["ecparam", "-genkey", "-noout", "-name", "secp521r1"], "pki-key-unsupported"],
    [["genrsa", "-aes128", "-passout", "pass:secret", "2048"], "pki-key-unsupported"],
    [
      ["genrsa", "-traditional", "-aes128", "-passout", "pass:secret", "2048"],
      "pki-key-unsupported",
    ],
  ];
  for (const [args, code] of cases) {
    const { ok, text } = await openssl(args);
    assert.ok(ok, text);
    await assert.rejects(readPrivateKey(text, "a key"), { code }, args.join(" "));
  }
}));

Deno.test("a malformed key is refused without its bytes in the error", async () => {
  const body = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=";
  for (const label of ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"]) {
    const pem = `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
    const error: Error = await readPrivateKey(pem, "key.pem").then(() => assert.fail(), (e) => e);
    assert.match(error.message, /^key\.pem: /);
    assert.ok(!error.message.includes(body.slice(0, 8)) && !error.message.includes("ABCD"));
  }
});

Deno.test("a key pair prints as [redacted]", async () => {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  assert.equal(JSON.stringify({ key }), '{"key":"[redacted]"}');
});

/** SubjectPublicKeyInfo of an RSA key whose modulus has the given number of bits. */
function rsaSpki(bits: number): Uint8Array {
  const modulus = new Uint8Array(bits / 8 + 1).fill(0xab, 1);
  const wrap = (tag: number, ...parts: Uint8Array[]) => {
    const content = Uint8Array.from(parts.flatMap((part) => [...part]));
    const n = content.length;
    const length = n < 0x80 ? [n] : n < 256 ? [0x81, n] : [0x82, n >> 8, n & 0xff];
    return Uint8Array.from([tag, ...length, ...content]);
  };
  const oid = Uint8Array.fromHex("06092a864886f70d010101");
  const key = wrap(0x30, wrap(0x02, modulus), Uint8Array.fromHex("0203010001"));
  return wrap(0x30, wrap(0x30, oid, Uint8Array.fromHex("0500")), wrap(0x03, Uint8Array.of(0), key));
}
