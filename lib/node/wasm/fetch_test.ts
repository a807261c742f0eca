import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { createTar } from "nanotar";
import { type FetchLimits, fetchModule } from "./fetch.ts";
import { parseReference } from "./reference.ts";
import {
  archive,
  digestOf,
  imageAnswers,
  type ImageForm,
  MODULE,
  serve,
} from "../../../tests/support/module_registry.ts";

const LIMITS: FetchLimits = {
  maxRetries: 2,
  timeoutMs: 60_000,
  insecure: ["*"],
  maxBytes: 100_000,
  pauseMs: 1,
};

function fetchFrom(
  url: string,
  more: { sha256?: string; secret?: string } & Partial<FetchLimits> = {},
): Promise<Uint8Array> {
  const { sha256 = "", secret, ...limits } = more;
  const request = { reference: parseReference(url), sha256, secret };
  return fetchModule(request, { ...LIMITS, ...limits }, new AbortController().signal);
}

const sum = (bytes: Uint8Array) => digestOf(bytes).slice("sha256:".length);

const FILE = "plugin.wasm";

/** An archive whose first file is `plugin.wasm`. */
function archiveOf(data: string): Uint8Array<ArrayBuffer> {
  return createTar([{ name: FILE, data }, { name: "b", data: "b" }]) as Uint8Array<ArrayBuffer>;
}

/** The archive with another header of its first file (POSIX ustar). */
function withHeader(
  tar: Uint8Array<ArrayBuffer>,
  fields: { readonly type?: string; readonly size?: string; readonly link?: string },
): Uint8Array<ArrayBuffer> {
  const put = (text: string | undefined, at: number) =>
    tar.set(Uint8Array.from(text ?? "", (character) => character.charCodeAt(0)), at);
  put(fields.size, 124);
  put(fields.type, 156);
  put(fields.link, 157);
  return tar;
}

const ANSWERS = {
  "/plain": MODULE,
  "/gzip": new Uint8Array(gzipSync(MODULE)),
  "/tar": createTar([{ name: "only", data: MODULE }]) as Uint8Array<ArrayBuffer>,
  "/archive": archive(MODULE),
  "/text": "<html>",
  "/two": createTar([{ name: "a", data: "1" }, { name: "b", data: "2" }]) as Uint8Array<
    ArrayBuffer
  >,
  "/damaged": gzipSync(MODULE).subarray(0, 15) as Uint8Array<ArrayBuffer>,
  "/bomb": new Uint8Array(gzipSync(new Uint8Array(50_000_000))),
  "/large": new Uint8Array(200_000),
  "/endless": () => {
    const part = new Uint8Array(10_000);
    return new Response(new ReadableStream({ pull: (out) => out.enqueue(part) }));
  },
  "/loop": () => new Response(null, { status: 302, headers: { location: "/loop" } }),
  "/file": () => new Response(null, { status: 302, headers: { location: "file:///etc/passwd" } }),
  "/link": withHeader(archiveOf(FILE), { type: "2", link: "/etc/passwd" }),
  "/negative": withHeader(archiveOf(FILE), { type: "5", size: "-0000001000" }),
  "/giant": withHeader(archiveOf(FILE), { size: "77777777777" }),
  "/binary": withHeader(archiveOf(FILE), { size: "\u0080\u0001" }),
  "/headers": withHeader(archiveOf("x".repeat(80_000)), { type: "g" }),
};

for (const path of ["/plain", "/gzip", "/tar", "/archive"]) {
  Deno.test(`a module is fetched from ${path}`, async () => {
    await using server = serve(() => ANSWERS);
    assert.deepEqual(await fetchFrom(`http://${server.host}${path}`), MODULE);
    await fetchFrom(`http://${server.host}${path}`, { sha256: sum(MODULE) });
    const sha256 = sum(ANSWERS[path as keyof typeof ANSWERS] as Uint8Array);
    await fetchFrom(`http://${server.host}${path}`, { sha256 });
    await assert.rejects(
      fetchFrom(`http://${server.host}${path}`, { sha256: "0".repeat(64) }),
      new RegExp(`has the SHA-256 sum ${sum(MODULE)}, not 0000`),
    );
  });
}

const FAILING: readonly (readonly [path: string, says: RegExp])[] = [
  ["/text", /is not a WebAssembly module/],
  ["/two", /has no file plugin.wasm/],
  ["/damaged", /compressed module is damaged/],
  ["/bomb", /more than 100000 bytes when inflated/],
  ["/large", /sends more than 100000 bytes/],
  ["/endless", /sends more than 100000 bytes/],
  ["/loop", /redirects more than 5 times/],
  ["/file", /redirects to file:/],
  ["/none", /answers 404/],
  ["/link", /has no file plugin.wasm|is not a WebAssembly module/],
  ["/negative", /the archive is damaged/],
  ["/giant", /the archive is damaged/],
  ["/binary", /the archive is damaged/],
  ["/headers", /the archive has more than 1000 entries/],
];

for (const [path, says] of FAILING) {
  Deno.test(`no module is taken from ${path}`, async () => {
    await using server = serve(() => ANSWERS);
    await assert.rejects(fetchFrom(`http://${server.host}${path}`), says);
    const expected = path === "/loop" ? 6 : 1;
    assert.equal(server.asked.length, expected, "it is no use to repeat the request");
  });
}

Deno.test("names of an archive with .. and / are never paths", async () => {
  const dir = await Deno.makeTempDir();
  const outside = `${dir}/evil`;
  const tar = createTar([
    { name: `../../../../../../../..${outside}`, data: "evil" },
    { name: outside, data: "evil" },
    { name: `../../${FILE}`, data: MODULE },
  ]) as Uint8Array<ArrayBuffer>;
  await using server = serve(() => ({ "/m": tar }));
  assert.deepEqual(await fetchFrom(`http://${server.host}/m`), MODULE);
  assert.deepEqual([...Deno.readDirSync(dir)], []);
  await Deno.remove(dir);
});

Deno.test("an archive of very many entries is refused", async () => {
  const entries = Array.from({ length: 1001 }, (_, i) => ({ name: `${i}` }));
  await using server = serve(() => ({ "/m": new Uint8Array(gzipSync(createTar(entries))) }));
  await assert.rejects(
    fetchFrom(`http://${server.host}/m`, { maxBytes: 1_000_000 }),
    /the archive has more than 1000 entries/,
  );
});

Deno.test("a registry that sends its answer slowly fails at the time limit", async () => {
  let timer: ReturnType<typeof setInterval> | undefined;
  const body = () =>
    new ReadableStream({
      start: (out) => void (timer = setInterval(() => out.enqueue(new Uint8Array(1)), 20)),
      cancel: () => clearInterval(timer),
    });
  await using server = serve(() => ({
    "/v2/plugins/auth/manifests/1": () => new Response(body()),
  }));
  await assert.rejects(
    fetchFrom(`oci://${server.host}/plugins/auth:1`, { timeoutMs: 500, maxRetries: 0 }),
    /no answer within 0.5 s/,
  );
  clearInterval(timer);
});

Deno.test("failures that may pass are retried, within the limit", async () => {
  let left = 2;
  await using server = serve(() => ({
    "/m": () => left-- > 0 ? new Response(null, { status: 503 }) : new Response(MODULE),
  }));
  assert.deepEqual(await fetchFrom(`http://${server.host}/m`), MODULE);
  left = 3;
  await assert.rejects(fetchFrom(`http://${server.host}/m`), /answers 503/);
});

Deno.test("a server that is silent fails at the time limit", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  await assert.rejects(
    fetchFrom(`http://127.0.0.1:${port}/m`, { timeoutMs: 200, maxRetries: 0 }),
    /no answer within 0.2 s/,
  );
  listener.close();
});

for (const form of ["artifact", "docker", "oci"] satisfies ImageForm[]) {
  Deno.test(`a module is fetched from an image of the form ${form}`, async () => {
    const answers = imageAnswers(MODULE, form);
    await using server = serve(() => answers);
    const image = `oci://${server.host}/plugins/auth`;
    assert.deepEqual(await fetchFrom(`${image}:1`), MODULE);
    const digest = Object.keys(answers)[1]!.split("/").at(-1)!;
    assert.deepEqual(await fetchFrom(`${image}@${digest}`), MODULE);
    await fetchFrom(`${image}:1`, { sha256: digest.slice("sha256:".length) });
    await assert.rejects(fetchFrom(`${image}:1`, { sha256: "0".repeat(64) }), /not 0000/);
    await assert.rejects(fetchFrom(`${image}:2`), /manifests\/2 answers 404/);
  });
}

Deno.test("content that is not of its digest is refused", async () => {
  const [, byDigest = "", blob = ""] = Object.keys(imageAnswers(MODULE, "artifact"));
  await using server = serve(() => ({
    ...imageAnswers(MODULE, "artifact"),
    [byDigest]: "{}",
    [blob]: new Uint8Array([...MODULE, 0]),
  }));
  const image = `oci://${server.host}/plugins/auth`;
  await assert.rejects(fetchFrom(`${image}:1`), /the layer has the digest sha256:/);
  const digest = byDigest.split("/").at(-1)!;
  await assert.rejects(fetchFrom(`${image}@${digest}`), /the manifest has the digest sha256:/);
});

Deno.test("a registry without TLS is asked only if the operator allows it", async () => {
  await using server = serve(() => imageAnswers(MODULE, "oci"));
  const image = `oci://${server.host}/plugins/auth:1`;
  const none = { insecure: [], maxRetries: 0 };
  await assert.rejects(fetchFrom(image, none), /cannot be asked/);
  assert.equal(server.asked.length, 0);
  await fetchFrom(image, { insecure: [server.host] });
});

/** A pull secret with the credentials `user` and `password`. */
function secretFor(host: string): string {
  return JSON.stringify({ auths: { [host]: { auth: btoa("user:password") } } });
}

Deno.test("a registry that asks for basic authentication gets the credentials of the secret", async () => {
  const isOpen = () => server.asked.at(-1)?.authorization === `Basic ${btoa("user:password")}`;
  const challenge = { "www-authenticate": 'Basic realm="r"' };
  await using server = serve(() =>
    Object.fromEntries(
      Object.entries(imageAnswers(MODULE, "oci")).map(([path, body]) => [
        path,
        () =>
          isOpen()
            ? new Response(body as Uint8Array<ArrayBuffer>)
            : new Response(null, { status: 401, headers: challenge }),
      ]),
    )
  );
  const image = `oci://${server.host}/plugins/auth:1`;
  assert.deepEqual(await fetchFrom(image, { secret: secretFor(server.host) }), MODULE);
  await assert.rejects(fetchFrom(image), /asks for credentials/);
  await assert.rejects(
    fetchFrom(image, { secret: secretFor("other.test") }),
    /asks for credentials/,
  );
  await assert.rejects(fetchFrom(image, { secret: "not JSON" }), /asks for credentials/);
});

Deno.test("a token is obtained for a registry, and stays with it when it redirects", async () => {
  await using store = serve(() => imageAnswers(MODULE, "oci"));
  const isOpen = () => server.asked.at(-1)?.authorization === "Bearer t0ken";
  await using server = serve((host) => ({
    "/token": () => Response.json({ token: "t0ken" }),
    ...Object.fromEntries(
      Object.entries(imageAnswers(MODULE, "oci")).map(([path, body]) => [path, () => {
        const realm = `Bearer realm="http://${host}/token",service="s",scope="pull"`;
        if (!isOpen()) {
          return new Response(null, { status: 401, headers: { "www-authenticate": realm } });
        }
        return path.includes("/blobs/")
          ? Response.redirect(`http://${store.host}${path}`, 307)
          : new Response(body as Uint8Array<ArrayBuffer>);
      }]),
    ),
  }));
  const secret = secretFor(server.host);
  assert.deepEqual(await fetchFrom(`oci://${server.host}/plugins/auth:1`, { secret }), MODULE);
  assert.deepEqual(
    server.asked.map(({ path, authorization }) => [path.split("/").at(-1), authorization]).slice(
      0,
      3,
    ),
    [
      ["1", null],
      ["token?service=s&scope=pull", `Basic ${btoa("user:password")}`],
      ["1", "Bearer t0ken"],
    ],
  );
  assert.deepEqual(store.asked.map(({ authorization }) => authorization), [null]);
});
