/**
 * The files of Debian packages that images hold, as layers: C library and certificates for every
 * program, and what those run that write rules of interception.
 *
 * @module
 */
import { join } from "../paths.ts";
import { type Missing, type Package, packages } from "./debian.ts";
import type { Layer } from "./image.ts";
import type { Platform } from "./platforms.ts";
import type { TarEntry } from "./tar.ts";

/** Chosen files of a package: their paths match. */
type Choice = Readonly<Record<string, RegExp>>;

const LIBRARY = /^(usr\/)?lib(64)?\/.*\.so[.\d]*$/;

/** For every program: what the runtime and Envoy link, `env`, authorities. */
const BASE: Choice = {
  "libc6": /^lib(64)?\/[^/]+(\/[^/]+)?\.so(\.\d+)*$/,
  "libgcc-s1": LIBRARY,
  "coreutils": /^usr\/bin\/env$/,
  "ca-certificates": /^usr\/share\/ca-certificates\//,
};

/** For programs that write rules: a shell that chooses the permissions, and programs that write rules. */
const RULES: Choice = {
  "dash": /^bin\/(dash|sh)$/,
  "iptables": /^usr\/(sbin\/.*tables|lib\/.*\/xtables\/)/,
  "libxtables12": LIBRARY,
  "libnftnl11": LIBRARY,
  "libmnl0": LIBRARY,
  "libip4tc2": LIBRARY,
  "libip6tc2": LIBRARY,
  "iproute2": /^bin\/ip$/,
  "libbpf1": LIBRARY,
  "libelf1": LIBRARY,
  "libbsd0": LIBRARY,
  "libmd0": LIBRARY,
  "libcap2": LIBRARY,
  "zlib1g": LIBRARY,
  "util-linux": /^usr\/bin\/(nsenter|unshare)$/,
  "libselinux1": LIBRARY,
  "libpcre2-8-0": LIBRARY,
};

/** Names that Debian gives the programs when it installs the package; nft is its choice, too. */
const RULE_NAMES = ["iptables", "ip6tables"].flatMap((name) =>
  ["", "-save", "-restore"].map((suffix) => `${name}${suffix}`)
);

/** Users: of the daemon and of tools, and of proxies, whose traffic is not captured. */
const USERS = { root: 0, "mesh-proxy": 1337, nonroot: 65532 } as const;

/** Folders that any user may write, as a pod chooses the user. */
const WRITABLE = ["tmp", "etc/mesh/proxy", "var/log/mesh"];
/** Other folders that programs look into. */
const FOLDERS = ["etc/mesh/config", "etc/mesh/config.d", "run"];

/** All packages. */
export const PACKAGES: readonly string[] = [...Object.keys(BASE), ...Object.keys(RULES)];

/** Packages that all images hold, and those of programs that write rules. */
export const PACKAGES_OF: Readonly<Record<"all" | "rules", readonly string[]>> = {
  "all": Object.keys(BASE),
  "rules": Object.keys(RULES),
};

/** The layer of every image for a platform. */
export async function baseLayer(missing: Missing, platform: Platform): Promise<Layer> {
  const found = await packages(Object.keys(BASE), missing, platform);
  const files = (await Promise.all(found.map((one) => chosen(one, BASE)))).flat();
  const authorities = files.filter(({ path }) => path.startsWith("usr/share/ca-certificates/"));
  const text = (path: string, lines: readonly string[]): TarEntry => ({
    path,
    mode: 0o644,
    data: new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")),
  });
  const users = Object.entries(USERS);
  return [
    ...files.filter((file) => !authorities.includes(file)),
    await bundleOf(authorities),
    text("etc/passwd", users.map(([name, id]) => `${name}:x:${id}:${id}::/:/sbin/nologin`)),
    text("etc/group", users.map(([name, id]) => `${name}:x:${id}:`)),
    text("etc/nsswitch.conf", ["passwd: files", "group: files", "hosts: files dns"]),
    ...WRITABLE.map((path) => ({ path, mode: 0o1777 })),
    ...FOLDERS.map((path) => ({ path, mode: 0o755 })),
  ];
}

/** The layer with what writes rules. */
export async function rulesLayer(missing: Missing, platform: Platform): Promise<Layer> {
  const found = await packages(Object.keys(RULES), missing, platform);
  const files = (await Promise.all(found.map((one) => chosen(one, RULES)))).flat();
  const links = RULE_NAMES.map((name) => ({
    path: `usr/sbin/${name}`,
    mode: 0o777,
    link: "xtables-nft-multi",
  }));
  return [...files, ...links];
}

/** The chosen files of a package, with its licence and its entry in the list of packages. */
async function chosen({ name, folder, control }: Package, choice: Choice): Promise<TarEntry[]> {
  const licence = `usr/share/doc/${name}/copyright`;
  const entries: TarEntry[] = [{
    path: `var/lib/dpkg/status.d/${name}`,
    mode: 0o644,
    data: new TextEncoder().encode(control),
  }];
  let isFound = false;
  for (const path of await filesIn(folder)) {
    const isChosen = choice[name]!.test(path);
    isFound ||= isChosen;
    if (isChosen || path === licence) entries.push(await entryOf(folder, path));
  }
  if (!isFound) throw new Error(`${name} has no file ${choice[name]}`);
  return entries;
}

async function entryOf(folder: string, path: string): Promise<TarEntry> {
  const source = join(folder, path);
  const { isSymlink, mode } = await Deno.lstat(source);
  if (isSymlink) return { path, mode: 0o777, link: await Deno.readLink(source) };
  // No program of an image changes its user.
  return { path, mode: (mode ?? 0o644) & 0o755, source };
}

/** Paths of files and links, relative to the folder. */
async function filesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  const visit = async (at: string): Promise<void> => {
    for await (const { name, isDirectory } of Deno.readDir(join(folder, at))) {
      const path = at === "" ? name : `${at}/${name}`;
      if (isDirectory) await visit(path);
      else found.push(path);
    }
  };
  await visit("");
  return found.sort();
}

/** One file of all authorities, as Debian makes it when it installs them. */
async function bundleOf(authorities: readonly TarEntry[]): Promise<TarEntry> {
  const texts = await Promise.all(authorities.map(({ source }) => Deno.readTextFile(source!)));
  const data = new TextEncoder().encode(texts.map((text) => `${text.trimEnd()}\n`).join(""));
  return { path: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data };
}
