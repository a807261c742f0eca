/**
 * Container images without an engine: an OCI image layout, and an archive of it for `ctr images
 * import`, `podman load` and other programs. The same files give the same digest.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { createGzip } from "node:zlib";
import { dirname, join, walkFiles } from "../paths.ts";
import { type Platform, platformOf } from "./platforms.ts";
import { tarBytes, type TarEntry } from "./tar.ts";

/** Settings of an image, by their names in the OCI specification. */
export interface ImageConfig {
  readonly Entrypoint: readonly string[];
  readonly Cmd?: readonly string[];
  readonly User: string;
  readonly Env?: readonly string[];
  readonly WorkingDir?: string;
  readonly ExposedPorts?: Readonly<Record<string, Record<string, never>>>;
  readonly Labels?: Readonly<Record<string, string>>;
}

/** A layer; its folders need not be named. */
export type Layer = readonly TarEntry[];

/** The input of an image for one platform. */
export interface ImageSource {
  /** Full name with a tag, such as `docker.io/mesh/pilot:dev`. */
  readonly name: string;
  /** Default: that of this machine. */
  readonly platform?: Platform;
  readonly layers: readonly Layer[];
  readonly config: ImageConfig;
  /** True: layers are compressed, for registries. Default: not, which is imported faster. */
  readonly isCompressed?: boolean;
}

/** A blob of a layout. */
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  /** Named for manifests. */
  readonly platform?: { readonly architecture: string; readonly os: "linux" };
}

/** A finished image. */
export interface Image {
  readonly name: string;
  /** Digest of its manifest; of its index, where it has several platforms. */
  readonly digest: string;
  /** Bytes of its files. */
  readonly unpacked: number;
  /** Bytes of its layers as they are transferred. */
  readonly transferred: number;
}

const OCI = "application/vnd.oci.image";

/** Writes an image as a layout into an empty or missing folder. */
export function writeLayout(source: ImageSource, folder: string): Promise<Image> {
  return writeLayoutOf([source], folder);
}

/**
 * Writes an image with variants for platforms as a layout into an empty or missing folder. Several
 * variants have one name and an index that names their platforms.
 */
export async function writeLayoutOf(
  variants: readonly ImageSource[],
  folder: string,
): Promise<Image> {
  const [first] = variants;
  if (first === undefined) throw new Error("an image without a platform");
  await Deno.mkdir(join(folder, "blobs/sha256"), { recursive: true });
  const written: Variant[] = [];
  for (const variant of variants) written.push(await writeVariant(variant, folder));
  const manifests = written.map(({ manifest }) => manifest);
  const named = manifests.length === 1
    ? manifests[0]!
    : await writeJson(folder, INDEX.mediaType, { ...INDEX, manifests });
  const annotations = {
    "io.containerd.image.name": first.name,
    "org.opencontainers.image.ref.name": first.name.slice(first.name.lastIndexOf(":") + 1),
  };
  const text = JSON.stringify({ ...INDEX, manifests: [{ ...named, annotations }] });
  await Deno.writeTextFile(join(folder, "index.json"), text);
  await Deno.writeTextFile(join(folder, "oci-layout"), `{"imageLayoutVersion":"1.0.0"}`);
  return {
    name: first.name,
    digest: named.digest,
    unpacked: written.reduce((sum, { unpacked }) => sum + unpacked, 0),
    transferred: written.reduce((sum, { transferred }) => sum + transferred, 0),
  };
}

/** The start of an index. */
const INDEX = { schemaVersion: 2, mediaType: `${OCI}.index.v1+json` } as const;

/** The written part of an image for one platform. */
interface Variant {
  readonly manifest: Descriptor;
  readonly unpacked: number;
  readonly transferred: number;
}

async function writeVariant(source: ImageSource, folder: string): Promise<Variant> {
  const { platform = platformOf() } = source;
  const layers = [];
  for (const layer of source.layers) {
    layers.push(await writeLayer(folder, layer, source.isCompressed === true));
  }
  const config = await writeJson(folder, `${OCI}.config.v1+json`, {
    architecture: platform.name,
    os: "linux",
    config: source.config,
    rootfs: { type: "layers", diff_ids: layers.map(({ content }) => content) },
  });
  const manifest = await writeJson(folder, `${OCI}.manifest.v1+json`, {
    schemaVersion: 2,
    mediaType: `${OCI}.manifest.v1+json`,
    config,
    layers: layers.map(({ descriptor }) => descriptor),
  });
  return {
    manifest: { ...manifest, platform: { architecture: platform.name, os: "linux" } },
    unpacked: layers.reduce((sum, { unpacked }) => sum + unpacked, 0),
    transferred: layers.reduce((sum, { descriptor }) => sum + descriptor.size, 0),
  };
}

/** Writes an archive of a layout. */
export async function writeArchive(folder: string, file: string): Promise<void> {
  const paths = (await walkFiles(folder, "")).sort();
  const entries = paths.map((source) => ({
    path: source.slice(folder.length + 1),
    mode: 0o644,
    source,
  }));
  await writeFile(`${file}.new`, tarBytes(entries));
  await Deno.rename(`${file}.new`, file);
}

/** Writes an archive of an image, without keeping its layout. */
export async function writeImageArchive(source: ImageSource, file: string): Promise<Image> {
  await Deno.mkdir(dirname(file), { recursive: true });
  const folder = await Deno.makeTempDir({ dir: dirname(file), prefix: ".layout-" });
  try {
    const image = await writeLayout(source, folder);
    await writeArchive(folder, file);
    return image;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** All entries of a layer with the folders they are in, each before what is in it. */
export function withFolders(layer: Layer): TarEntry[] {
  const named = new Map(layer.map((entry) => [entry.path, entry]));
  for (const { path } of layer) {
    for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
      const folder = path.slice(0, at);
      if (!named.has(folder)) named.set(folder, { path: folder, mode: 0o755 });
    }
  }
  return [...named.values()].sort((a, b) => a.path < b.path ? -1 : 1);
}

async function writeLayer(
  folder: string,
  layer: Layer,
  isCompressed: boolean,
): Promise<{ content: string; descriptor: Descriptor; unpacked: number }> {
  const content = createHash("sha256");
  let unpacked = 0;
  async function* plain(): AsyncGenerator<Uint8Array> {
    for await (const chunk of tarBytes(withFolders(layer))) {
      content.update(chunk);
      unpacked += chunk.length;
      yield chunk;
    }
  }
  const type = `${OCI}.layer.v1.tar${isCompressed ? "+gzip" : ""}`;
  const bytes = isCompressed ? compressed(plain()) : plain();
  const descriptor = await writeBlob(folder, type, bytes);
  return { content: `sha256:${content.digest("hex")}`, descriptor, unpacked };
}

/** Compresses bytes. The header that zlib writes has no time, so that the same bytes give the same bytes. */
export async function* compressed(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip();
  const fed = (async () => {
    for await (const chunk of bytes) {
      if (!gzip.write(chunk)) await new Promise((resolve) => gzip.once("drain", resolve));
    }
    gzip.end();
  })();
  yield* gzip;
  await fed;
}

function writeJson(folder: string, mediaType: string, value: unknown): Promise<Descriptor> {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return writeBlob(folder, mediaType, [bytes]);
}

async function writeBlob(
  folder: string,
  mediaType: string,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Descriptor> {
  const blobs = join(folder, "blobs/sha256");
  const hash = createHash("sha256");
  let size = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  }
  await writeFile(join(blobs, ".new"), counted());
  const digest = hash.digest("hex");
  await Deno.rename(join(blobs, ".new"), join(blobs, digest));
  return { mediaType, digest: `sha256:${digest}`, size };
}

/** Writes a file piece by piece. */
export async function writeFile(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length;) at += await file.write(chunk.subarray(at));
  }
}
