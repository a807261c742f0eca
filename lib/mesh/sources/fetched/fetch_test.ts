import assert from "node:assert/strict";
import { makeAuthority, withCertificates } from "../../../../tests/support/certificates.ts";
import { addressFilter } from "./addresses.ts";
import { fetchJson } from "./fetch.ts";

/** A server of openssl that has one cipher suite, and answers each request with a page. */
async function serve(dir: string, suite: string): Promise<{ url: URL } & AsyncDisposable> {
  const { cert, key } = await (await makeAuthority(dir)).issue("server", ["localhost"]);
  const process = new Deno.Command("openssl", {
    args: [
      ...["s_server", "-accept", "127.0.0.1:0", "-cert", cert, "-key", key],
      ...["-tls1_3", "-ciphersuites", suite, "-www"],
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let output = "";
  let port: string | undefined;
  while (port === undefined) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`openssl ended: ${output}`);
    output += value;
    port = /ACCEPT \S*:(\d+)\n/.exec(output)?.[1];
  }
  return {
    url: new URL(`https://localhost:${port}/keys`),
    async [Symbol.asyncDispose]() {
      process.kill("SIGKILL");
      await reader.cancel();
      await process.status;
    },
  };
}

Deno.test(withCertificates("under COMPLIANCE_POLICY keys of other suites are refused", async () => {
  const dir = await Deno.makeTempDir({ prefix: "mesh-fetch-" });
  try {
    await using server = await serve(dir, "TLS_CHACHA20_POLY1305_SHA256");
    const get = async () =>
      await fetchJson(server.url, {
        admits: addressFilter(["127.0.0.0/8", "::1"]),
        timeoutMs: 60_000,
        authorities: await Deno.readTextFile(`${dir}/ca.pem`),
        signal: new AbortController().signal,
      });
    assert.match(await get(), /TLS_CHACHA20_POLY1305_SHA256/);
    Deno.env.set("COMPLIANCE_POLICY", "fips-140-2");
    await assert.rejects(
      get(),
      /cipher suite TLS_CHACHA20_POLY1305_SHA256, which the policy forbids/,
    );
  } finally {
    Deno.env.delete("COMPLIANCE_POLICY");
    await Deno.remove(dir, { recursive: true });
  }
}));
