/**
 * npm packages of the lock file.
 *
 * @module
 */
import { ROOMS } from "../lint/rooms.ts";
import { join, npmPackageDir } from "../paths.ts";
import { ROOT } from "./context.ts";

/** A package of npm in one version. */
export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** SHA-512 of its archive, hexadecimal. */
  readonly sha512: string;
  /** The licence that its `package.json` names; `NOASSERTION` without one of SPDX. */
  readonly license: string;
}

interface Lock {
  readonly specifiers: Readonly<Record<string, string>>;
  readonly npm: Readonly<
    Record<string, {
      readonly integrity: string;
      readonly dependencies?: readonly string[];
      readonly optionalDependencies?: readonly string[];
    }>
  >;
}

/** Packages that the programs contain, with all that those need, in the order of their names. */
export async function npmPackages(): Promise<NpmPackage[]> {
  const lock: Lock = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.lock")));
  const { imports } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const direct = new Set(ROOMS.flatMap(({ packages = [] }) => packages));
  const keys = new Set<string>();
  const visit = (key: string): void => {
    if (keys.has(key)) return;
    keys.add(key);
    for (const one of lock.npm[key]?.dependencies ?? []) visit(keyOf(one, lock));
  };
  for (const name of direct) {
    const specifier: string = imports[name];
    visit(`${name}@${lock.specifiers[specifier]}`);
  }
  const packages = new Map<string, NpmPackage>();
  const cache = await cacheFolder([...keys][0]!);
  for (const key of [...keys].sort()) {
    const { name, version } = parts(key);
    const { integrity } = lock.npm[key]!;
    const id = `${name}@${version}`;
    if (packages.has(id)) continue;
    const sha512 = sha512Of(integrity);
    packages.set(id, { name, version, sha512, license: await licenseOf({ name, version }, cache) });
  }
  return [...packages.values()];
}

/** The key in the lock file of a dependency, which names its version only where several are there. */
function keyOf(dependency: string, { npm }: Lock): string {
  if (npm[dependency] !== undefined) return dependency;
  const found = Object.keys(npm).filter((key) => key.startsWith(`${dependency}@`));
  if (found.length === 0) throw new Error(`deno.lock has no package ${dependency}`);
  return found[0]!;
}

type PackageId = Pick<NpmPackage, "name" | "version">;

/** The folder of the runtime's cache with the packages of the registry. */
async function cacheFolder(key: string): Promise<string> {
  const { name, version } = parts(key);
  const folder = await npmPackageDir(`npm:${name}@${version}`);
  return folder.slice(0, -`/${name}/${version}`.length);
}

/** Name and version of a key, whose peers follow after an underscore. */
function parts(key: string): PackageId {
  const at = key.indexOf("@", 1);
  const [version = ""] = key.slice(at + 1).split("_");
  return { name: key.slice(0, at), version };
}

function sha512Of(integrity: string): string {
  const base64 = /^sha512-(.+)$/.exec(integrity)?.[1];
  if (base64 === undefined) throw new Error(`no SHA-512: ${integrity}`);
  return Uint8Array.fromBase64(base64).toHex();
}

/** Reads the licence of a package in the runtime's cache, into which it is fetched if need be. */
async function licenseOf({ name, version }: PackageId, cache: string): Promise<string> {
  const file = join(cache, name, version, "package.json");
  let text: string;
  try {
    text = await Deno.readTextFile(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const folder = await npmPackageDir(`npm:${name}@${version}`);
    text = await Deno.readTextFile(join(folder, "package.json"));
  }
  const { license } = JSON.parse(text);
  return typeof license === "string" && isLicense(license) ? license : "NOASSERTION";
}

/** True for an expression of licences of SPDX, as packages of npm write them. */
export function isLicense(text: string): boolean {
  const license = String.raw`[A-Za-z0-9][A-Za-z0-9.-]*\+?`;
  return new RegExp(`^\\(?${license}(?: (?:AND|OR|WITH) ${license})*\\)?$`).test(text);
}
