/**
 * Running programs of another platform: QEMU's emulation of user programs, from a Debian package.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { exists, join } from "../paths.ts";
import { type Missing, packages } from "./debian.ts";
import { isOwn, type Platform, platformOf } from "./platforms.ts";

/** The package that has the emulators. */
export const EMULATOR = "qemu-user-static";

/**
 * The words in front of a command that runs programs of a platform; none on a machine of the platform.
 *
 * @param root folder with the libraries of the programs
 * @throws MeshError `images-…` with a remedy
 */
export async function emulator(
  platform: Platform,
  root: string,
  missing: Missing,
): Promise<readonly string[]> {
  if (isOwn(platform)) return [];
  const [found] = await packages([EMULATOR], missing, platformOf());
  const program = join(found?.folder ?? "", `usr/bin/qemu-${platform.arch}-static`);
  if (!await exists(program)) {
    throw new MeshError("images-emulator", `${EMULATOR} has no emulator of ${platform.arch}.`, {
      remedy: "Leave the platform out.",
    });
  }
  return [program, "-L", root];
}
