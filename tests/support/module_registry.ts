/**
 * A registry with the API of the OCI distribution specification, and modules in its images, for
 * tests.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { createTar } from "nanotar";

/** The bytes of a module without content. */
export const MODULE: Uint8Array<ArrayBuffer> = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

/** A running registry, or file server. */
export interface TestServer extends AsyncDisposable {
  /** `host:port`. */
  readonly host: string;
  /** Paths asked so far, with the authorization of each. */
  readonly asked: { readonly path: string; readonly authorization: string | null }[];
}

/** Answers by path: a body, or a response. */
export type Answers = Readonly<Record<string, Uint8Array<ArrayBuffer> | string | (() => Response)>>;

/** Serves answers on loopback; other paths are not found. */
export function serve(answers: (host: string) => Answers): TestServer {
  const asked: TestServer["asked"] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const url = new URL(request.url);
    const path = url.pathname;
    asked.push({ path: path + url.search, authorization: request.headers.get("authorization") });
    const found = answers(host)[path];
    if (found === undefined) return new Response("not found", { status: 404 });
    return typeof found === "function" ? found() : new Response(found);
  });
  const host: string = `127.0.0.1:${server.addr.port}`;
  return { host, asked, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** Forms in which registries hold modules. */
export type ImageForm = "artifact" | "docker" | "oci";

const LAYERS: Readonly<Record<ImageForm, string>> = {
  artifact: "application/vnd.module.wasm.content.layer.v1+wasm",
  docker: "application/vnd.docker.image.rootfs.diff.tar.gzip",
  oci: "application/vnd.oci.image.layer.v1.tar+gzip",
};

/** Answers for an image `plugins/auth` under a tag. */
export function imageAnswers(module: Uint8Array, form: ImageForm, tag = "1"): Answers {
  const layer = form === "artifact" ? new Uint8Array(module) : archive(module);
  const manifest = new TextEncoder().encode(JSON.stringify({
    schemaVersion: 2,
    mediaType: form === "docker"
      ? "application/vnd.docker.distribution.manifest.v2+json"
      : "application/vnd.oci.image.manifest.v1+json",
    layers: [{ mediaType: LAYERS[form], digest: digestOf(layer), size: layer.length }],
  }));
  return {
    [`/v2/plugins/auth/manifests/${tag}`]: manifest,
    [`/v2/plugins/auth/manifests/${digestOf(manifest)}`]: manifest,
    [`/v2/plugins/auth/blobs/${digestOf(layer)}`]: layer,
  };
}

/** A compressed archive with a module among other files and hostile entries. */
export function archive(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const tar = createTar([
    { name: "../../etc/passwd", data: "root" },
    { name: "rootfs/plugin.wasm", data: module },
    { name: "rootfs/readme", data: "text" },
  ]);
  return new Uint8Array(gzipSync(tar));
}

/** `sha256:` and the sum. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
