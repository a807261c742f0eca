/**
 * Images of the pods of the Gateway API's conformance suite, from programs that are built here. The
 * suite names them by tags of a registry that nodes of tests do not have.
 *
 * @module
 */
import { gatewayApiPrograms } from "../../../scripts/cluster/gateway_api.ts";
import { writeImageArchive } from "../../../scripts/images/image.ts";
import { join } from "../../../scripts/paths.ts";

/** The server of the suite's tests, by the tags that its manifests have. */
const ECHO = ["v1.5.1", "v1.6.0-dev.2", "v1.6.0-dev.3"].map((tag) =>
  `registry.k8s.io/gateway-api/echo-basic:${tag}`
);
/** The server of DNS that tests of routes of UDP ask. */
const COREDNS = "registry.k8s.io/coredns/coredns:v1.12.2";

/**
 * The application of tests of meshes. The suite's own cannot be built from its module; this one is of the
 * tests, `scripts/cluster/mesh_echo`.
 */
const ECHO_ADVANCED = "registry.k8s.io/gateway-api/echo-advanced:v1.5.1";

/** An image of one static program. */
interface ProgramImage {
  readonly name: string;
  readonly source: string;
  /** Names of the program; the first one is the entry point. */
  readonly programs: readonly string[];
}

/** Writes archives with the images into a folder. */
export async function suiteImages(folder: string): Promise<string[]> {
  const { echoBasic, meshEcho, coredns } = await gatewayApiPrograms();
  const images: ProgramImage[] = [
    ...ECHO.map((name) => ({ name, programs: ["echo-basic"], source: echoBasic })),
    { name: ECHO_ADVANCED, programs: ["server", "client"], source: meshEcho },
    { name: COREDNS, programs: ["coredns"], source: coredns },
  ];
  return await Promise.all(images.map(async ({ name, source, programs }, index) => {
    const archive = join(folder, `suite-${index}.tar`);
    const [program, ...others] = programs;
    await writeImageArchive({
      name,
      layers: [[
        { path: `bin/${program}`, mode: 0o755, source },
        ...others.map((other) => ({ path: `bin/${other}`, mode: 0o777, link: `/bin/${program}` })),
        { path: "tmp", mode: 0o1777 },
      ]],
      config: { Entrypoint: [`/bin/${program}`], User: userOf(name), Env: ["PATH=/bin"] },
    }, archive);
    return archive;
  }));
}

/** The server of DNS listens at a port that only root may have. */
function userOf(image: string): string {
  return image === COREDNS ? "0:0" : "65532:65532";
}
