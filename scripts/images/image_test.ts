import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "../paths.ts";
import {
  type ImageSource,
  withFolders,
  writeArchive,
  writeLayout,
  writeLayoutOf,
} from "./image.ts";
import { PLATFORMS } from "./platforms.ts";
import { tarBytes, type TarEntry } from "./tar.ts";

const ENTRIES: readonly TarEntry[] = [
  { path: "usr/bin/tool", mode: 0o755, data: new Uint8Array(700).fill(65) },
  { path: "usr/bin/link", mode: 0o777, link: "tool" },
  { path: "etc/empty", mode: 0o644, owner: 65532, data: new Uint8Array() },
  { path: "tmp", mode: 0o1777 },
];

const SOURCE: ImageSource = {
  name: "docker.io/mesh/x:1",
  layers: [ENTRIES, [{ path: "second", mode: 0o644, data: new Uint8Array([1]) }]],
  config: { Entrypoint: ["/usr/bin/tool"], User: "1:1" },
};

async function inFolder(fn: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "mesh-image-" });
  try {
    await fn(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function digest(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest("hex");
}

Deno.test("archive: other programs read its files, links, folders, modes and owners", () =>
  inFolder(async (folder) => {
    const file = join(folder, "a.tar");
    await Deno.writeFile(file, ReadableStream.from(tarBytes(withFolders(ENTRIES))));
    const command = new Deno.Command("tar", { args: ["--numeric-owner", "-tvf", file] });
    const { success, stdout } = await command.output();
    assert.ok(success);
    const lines = new TextDecoder().decode(stdout).trim().split("\n");
    const short = lines.map((line) => line.replace(/\s+\d{4}-\S+ \S+/, "").replaceAll(/\s+/g, " "));
    assert.deepEqual(short, [
      "drwxr-xr-x 0/0 0 etc/",
      "-rw-r--r-- 65532/65532 0 etc/empty",
      "drwxrwxrwt 0/0 0 tmp/",
      "drwxr-xr-x 0/0 0 usr/",
      "drwxr-xr-x 0/0 0 usr/bin/",
      "lrwxrwxrwx 0/0 0 usr/bin/link -> tool",
      "-rwxr-xr-x 0/0 700 usr/bin/tool",
    ]);
  }));

Deno.test("archive: a path that does not fit is refused", async () => {
  const entry = { path: "x".repeat(101), mode: 0o644, data: new Uint8Array() };
  await assert.rejects(digest(tarBytes([entry])), /too long for an archive/);
});

Deno.test("layout: the same input has the same digest; other input has another", () =>
  inFolder(async (folder) => {
    const of = async (name: string, source: ImageSource) =>
      (await writeLayout(source, join(folder, name))).digest;
    const first = await of("a", SOURCE);
    assert.equal(await of("b", SOURCE), first);
    assert.notEqual(await of("c", { ...SOURCE, config: { ...SOURCE.config, User: "2:2" } }), first);
    assert.notEqual(await of("d", { ...SOURCE, layers: [ENTRIES] }), first);
  }));

for (const isCompressed of [false, true]) {
  Deno.test(`layout: descriptors fit the blobs, ${isCompressed ? "compressed" : "plain"}`, () =>
    inFolder(async (folder) => {
      const image = await writeLayout({ ...SOURCE, isCompressed }, folder);
      const blob = (name: string) => join(folder, "blobs", name.replace(":", "/"));
      const read = async (name: string) => JSON.parse(await Deno.readTextFile(blob(name)));
      const index = JSON.parse(await Deno.readTextFile(join(folder, "index.json")));
      assert.equal(index.manifests[0].digest, image.digest);
      assert.equal(index.manifests[0].annotations["io.containerd.image.name"], SOURCE.name);
      const manifest = await read(image.digest);
      const config = await read(manifest.config.digest);
      for (const [i, layer] of manifest.layers.entries()) {
        assert.equal((await Deno.stat(blob(layer.digest))).size, layer.size);
        const bytes = (await Deno.open(blob(layer.digest))).readable;
        assert.equal(layer.mediaType.endsWith("+gzip"), isCompressed);
        const plain = isCompressed ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes;
        assert.equal(`sha256:${await digest(plain)}`, config.rootfs.diff_ids[i]);
      }
      assert.deepEqual(config.config, SOURCE.config);
      const archive = `${folder}.tar`;
      await writeArchive(folder, archive);
      const { stdout } = await new Deno.Command("tar", { args: ["-tf", archive] }).output();
      await Deno.remove(archive);
      assert.match(
        new TextDecoder().decode(stdout),
        /^blobs\/sha256\/[^]*index.json\noci-layout\n$/,
      );
    }));
}

Deno.test("layout: several platforms have one name, and an index that names them", () =>
  inFolder(async (folder) => {
    const variants = PLATFORMS.map((platform, i) => ({
      ...{ ...SOURCE, platform },
      layers: [ENTRIES, [{ path: "own", mode: 0o644, data: new Uint8Array([i]) }]],
    }));
    const image = await writeLayoutOf(variants, join(folder, "a"));
    assert.equal((await writeLayoutOf(variants, join(folder, "b"))).digest, image.digest);
    const read = async (path: string) =>
      JSON.parse(await Deno.readTextFile(join(folder, "a", path)));
    const blob = async (digest: string) => await read(join("blobs", digest.replace(":", "/")));
    const { manifests: [named, ...others] } = await read("index.json");
    assert.deepEqual(others, []);
    assert.equal(named.digest, image.digest);
    assert.equal(named.annotations["io.containerd.image.name"], SOURCE.name);
    const { mediaType, manifests } = await blob(named.digest);
    assert.deepEqual(
      [mediaType, named.mediaType],
      Array(2).fill("application/vnd.oci.image.index.v1+json"),
    );
    const seen = [];
    for (const { digest, platform } of manifests) {
      const { config, layers } = await blob(digest);
      assert.equal((await blob(config.digest)).architecture, platform.architecture);
      seen.push([platform, layers[0].digest, layers[1].digest]);
    }
    assert.deepEqual(seen.map(([platform]) => platform), [
      { architecture: "amd64", os: "linux" },
      { architecture: "arm64", os: "linux" },
    ]);
    assert.equal(seen[0]![1], seen[1]![1], "a layer that is the same is written once");
    assert.notEqual(seen[0]![2], seen[1]![2]);
  }));
