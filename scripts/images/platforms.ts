/**
 * Platforms that images are made for.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";

/** A platform; all are Linux. */
export interface Platform {
  /** Architecture by `Deno.build.arch`. */
  readonly arch: string;
  /** Architecture as images, Debian and Go name it. */
  readonly name: string;
}

/** All platforms of a release, in the order of its files. */
export const PLATFORMS: readonly Platform[] = [
  { arch: "x86_64", name: "amd64" },
  { arch: "aarch64", name: "arm64" },
];

/**
 * The platform with an architecture by `Deno.build.arch`; default: that of this machine.
 *
 * @throws MeshError `images-platform` for one without images
 */
export function platformOf(arch: string = Deno.build.arch): Platform {
  const found = PLATFORMS.find((one) => one.arch === arch);
  if (found === undefined) throw unknownPlatform(arch);
  return found;
}

/** True if programs of the platform run on this machine as they are. */
export function isOwn({ arch }: Platform): boolean {
  return arch === Deno.build.arch;
}

/**
 * Platforms by their names in image tools, such as `linux/arm64,linux/amd64`.
 *
 * @throws MeshError `images-platform` for an unknown one
 */
export function parsePlatforms(text: string): Platform[] {
  const names = text.split(",").map((one) => one.trim());
  const stray = names.find((one) => !PLATFORMS.some(({ name }) => one === `linux/${name}`));
  if (stray !== undefined) throw unknownPlatform(stray);
  return PLATFORMS.filter(({ name }) => names.includes(`linux/${name}`));
}

function unknownPlatform(name: string): MeshError {
  return new MeshError("images-platform", `There are no images for the platform ${name}.`, {
    remedy: `Platforms: ${PLATFORMS.map((one) => `linux/${one.name}`).join(", ")}.`,
  });
}
