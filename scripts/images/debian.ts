/**
 * Files of Debian packages for images: fetched by `apt-get download`, compared with a checksum,
 * unpacked into the cache of `deno task tools`. Nothing is installed, and no script of a package
 * runs.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { sha256Of } from "../checksum.ts";
import { dirname, fromFileUrl, join } from "../paths.ts";
import { cacheDir, HOST } from "../tools.ts";
import { type Answer, aptGet } from "./apt.ts";
import { type Platform, platformOf } from "./platforms.ts";

/** A package of one version. */
export interface Pin {
  readonly version: string;
  /** SHA-256 of its archive, hexadecimal. */
  readonly sha256: string;
}

/** Pins by `Deno.build.arch` and name of the package. */
type Pins = Record<string, Record<string, Pin>>;

/** An unpacked package. */
export interface Package {
  readonly name: string;
  readonly version: string;
  /** Folder with its files. */
  readonly folder: string;
  /** Its entry for the list of installed packages. */
  readonly control: string;
}

/** Treatment of a package whose pinned version the mirror does not have any more. */
export type Missing = "refuse" | "newer" | "pin";

const PINS_FILE = fromFileUrl(new URL("./packages.json", import.meta.url));
/** Release whose packages are pinned. */
export const RELEASE = "Debian 12";

/** The pinned packages for a platform, by name. */
export async function pinnedPackages({ arch }: Platform): Promise<Readonly<Record<string, Pin>>> {
  const all: Pins = JSON.parse(await Deno.readTextFile(PINS_FILE));
  return all[arch] ?? {};
}

/** True if the machine's mirror has all packages: it has lists, and is of a fitting release. */
export async function canFetch(
  names: readonly string[],
  platform: Platform = platformOf(),
): Promise<boolean> {
  try {
    const args = ["download", "-qq", "--print-uris", ...names];
    const cache = await packageCache();
    const { success } = await aptGet({ platform, cache, run: attempt }, args);
    return success;
  } catch (error) {
    if (error instanceof MeshError) return false;
    throw error;
  }
}

/**
 * Packages in the order of their names. With `missing: "pin"` the pins are replaced by the versions
 * of the mirror.
 *
 * @throws MeshError `images-…` with a remedy
 */
export async function packages(
  names: readonly string[],
  missing: Missing,
  platform: Platform = platformOf(),
): Promise<Package[]> {
  const all: Pins = JSON.parse(await Deno.readTextFile(PINS_FILE));
  const pins = all[platform.arch] ?? {};
  const found: Package[] = [];
  const renewed: Record<string, Pin> = {};
  for (const name of [...names].sort()) {
    const { pin, ...unpacked } = await unpackedPackage(name, pins[name], missing, platform);
    renewed[name] = pin;
    found.push(unpacked);
  }
  if (missing === "pin") {
    const text = JSON.stringify({ ...all, [platform.arch]: { ...pins, ...renewed } }, null, 2);
    await Deno.writeTextFile(PINS_FILE, `${text}\n`);
  }
  return found;
}

async function unpackedPackage(
  name: string,
  pin: Pin | undefined,
  missing: Missing,
  platform: Platform,
): Promise<Package & { readonly pin: Pin }> {
  if (pin === undefined && missing === "refuse") {
    throw new MeshError("images-not-pinned", `${name} is not pinned for ${platform.arch}.`, {
      remedy: `Run \`deno task images --update\` on ${RELEASE}, which pins the mirror's version.`,
    });
  }
  const cache = await packageCache();
  if (pin !== undefined && missing !== "pin") {
    const kept = await keptPackage(join(cache, folderName(name, pin)), name, pin);
    if (kept !== undefined) return kept;
  }
  const work = await Deno.makeTempDir({ dir: cache, prefix: ".partial-" });
  try {
    const archive = await download({ name, pin, missing, platform, work });
    const sha256 = await sha256Of(archive);
    const version = (await run(["dpkg-deb", "-f", archive, "Version"])).trim();
    if (missing !== "pin" && version === pin?.version && sha256 !== pin.sha256) {
      throw new MeshError(
        "images-checksum",
        `The downloaded ${name} ${version} is not what is pinned: its SHA-256 is ${sha256}.`,
        { remedy: "Do not use it: the mirror may have changed it." },
      );
    }
    const ready = join(work, "ready");
    await Deno.mkdir(ready);
    await run(["dpkg-deb", "-x", archive, join(ready, "files")]);
    await Deno.writeTextFile(join(ready, "control"), await run(["dpkg-deb", "-f", archive]));
    const got = { version, sha256 };
    const dir = join(cache, folderName(name, got));
    await Deno.rename(ready, dir).catch(async (cause) => {
      if (await keptPackage(dir, name, got) === undefined) throw cause; // else another run was faster
    });
    return (await keptPackage(dir, name, got))!;
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

function folderName(name: string, { version, sha256 }: Pin): string {
  return `${name}-${version.replaceAll(/[^\w.+~-]/g, "_")}-${sha256.slice(0, 12)}`;
}

async function keptPackage(
  dir: string,
  name: string,
  pin: Pin,
): Promise<Package & { readonly pin: Pin } | undefined> {
  try {
    const control = await Deno.readTextFile(join(dir, "control"));
    return { name, version: pin.version, folder: join(dir, "files"), control, pin };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Folder of unpacked packages. */
async function packageCache(): Promise<string> {
  const cache = join(cacheDir(HOST), "debian");
  await Deno.mkdir(cache, { recursive: true });
  return cache;
}

/** An archive to download into a folder. */
interface Download {
  readonly name: string;
  readonly pin: Pin | undefined;
  readonly missing: Missing;
  readonly platform: Platform;
  readonly work: string;
}

/** Downloads one archive, of the pinned version if the mirror has it. */
async function download({ name, pin, missing, platform, work }: Download): Promise<string> {
  const wanted = pin === undefined || missing === "pin" ? [name] : [`${name}=${pin.version}`];
  if (pin !== undefined && missing === "newer") wanted.push(name);
  let said = "";
  for (const one of wanted) {
    const args = ["download", "-qq", one];
    const mirror = { platform, cache: dirname(work), run: attempt };
    const { success, text } = await aptGet(mirror, args, work);
    const archive = [...Deno.readDirSync(work)].find((entry) => entry.name.endsWith(".deb"));
    if (success && archive !== undefined) return join(work, archive.name);
    said = text;
  }
  const what = `${wanted[0]} of ${platform.name}`;
  throw new MeshError("images-package", `${what} cannot be had from the mirror:\n${said}`, {
    remedy: `Run \`apt-get update\` on ${RELEASE}. If the mirror has a newer version only, ` +
      "`deno task images --update` pins that.",
  });
}

async function run(command: readonly string[]): Promise<string> {
  const { success, text } = await attempt(command);
  if (!success) throw new MeshError("images-failed", `${command.join(" ")}: ${text}`);
  return text;
}

async function attempt(
  [program, ...args]: readonly string[],
  cwd?: string,
): Promise<Answer> {
  try {
    const command = new Deno.Command(program!, { args, cwd, env: { LC_ALL: "C" } });
    const { success, stdout, stderr } = await command.output();
    return { success, text: new TextDecoder().decode(success ? stdout : stderr) };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new MeshError("images-no-apt", `There is no ${program}; images hold files of Debian.`, {
      remedy: `Make images on ${RELEASE}, or with the Dockerfile.`,
    });
  }
}
