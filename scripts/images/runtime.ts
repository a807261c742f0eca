/**
 * The runtime of the images. That of another platform than the machine's comes from npm and is compared
 * with a checksum.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { sha256Of } from "../checksum.ts";
import { join, npmPackageDir } from "../paths.ts";
import { isOwn, type Platform } from "./platforms.ts";

/** Version of {@linkcode PROGRAMS}. */
const VERSION = "2.9.6";

/** By architecture: a package of npm with the program `deno`, and the SHA-256 of that program. */
const PROGRAMS: Readonly<Record<string, { readonly name: string; readonly sha256: string }>> = {
  x86_64: {
    name: "@deno/linux-x64-glibc",
    sha256: "bceb5b6a6239b0b010418406d8c77a508f67cf4337d94288f1c19fe71304aab0",
  },
  aarch64: {
    name: "@deno/linux-arm64-glibc",
    sha256: "d08d392418df53f4e6e88a08909c0e1bccbf9adcead7232df72b6ad6075ec416",
  },
};

/**
 * The path of the runtime for a platform: on a machine of that platform the one that runs this.
 *
 * @throws MeshError `images-runtime` with a remedy
 */
export async function runtimePath(platform: Platform): Promise<string> {
  if (isOwn(platform)) return Deno.execPath();
  const { name, sha256 } = pinOf(platform);
  const folder = await npmPackageDir(`npm:${name}@${VERSION}`).catch((cause: Error) => {
    throw new MeshError("images-runtime", cause.message, {
      remedy: "Let this machine reach its npm registry, or leave the platform out.",
      cause,
    });
  });
  const path = join(folder, "deno");
  const found = await sha256Of(path);
  if (found === sha256) return path;
  const what = `${path} of ${name} ${VERSION} is not what is pinned: its SHA-256 is ${found}.`;
  throw new MeshError("images-runtime", what, {
    remedy: "Do not use it. Find out who changed it: the registry, a mirror or this machine.",
  });
}

/** SHA-256 of the runtime for a platform, hexadecimal. */
export async function runtimeChecksum(platform: Platform): Promise<string> {
  return isOwn(platform) ? await sha256Of(Deno.execPath()) : pinOf(platform).sha256;
}

function pinOf({ arch }: Platform): { readonly name: string; readonly sha256: string } {
  const program = PROGRAMS[arch];
  if (program !== undefined && Deno.version.deno === VERSION) return program;
  throw new MeshError(
    "images-runtime",
    `Deno ${Deno.version.deno} is not pinned for images of ${arch}.`,
    { remedy: `Run the task with Deno ${VERSION}, or pin this one in scripts/images/runtime.ts.` },
  );
}
