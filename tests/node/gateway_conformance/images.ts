/**
 * Images of the pods of the Gateway API's conformance suite, from programs that are built here. The
 * suite names them by tags of a registry that nodes of tests do not have.
 *
 * @module
 */
import { gatewayApiPrograms } from "../../../scripts/cluster/gateway_api.ts";
import { nodePrograms } from "../../../scripts/cluster/node_programs.ts";
import { writeImageArchive } from "../../../scripts/images/image.ts";
import { join } from "../../../scripts/paths.ts";

/** The server of the suite's tests, by the tags that its manifests have. */
const ECHO = ["v1.5.1", "v1.6.0-dev.2", "v1.6.0-dev.3"].map((tag) =>
  `registry.k8s.io/gateway-api/echo-basic:${tag}`
);
/**
 * A server of DNS, which tests of routes of UDP ask. Mesh has no such routes: here it is a program that
 * only waits, so that its pod runs, and a test of these routes fails.
 */
const COREDNS = "registry.k8s.io/coredns/coredns:v1.12.2";

/** Writes archives with the images into a folder. */
export async function suiteImages(folder: string): Promise<string[]> {
  const { echoBasic } = await gatewayApiPrograms();
  const { pause } = await nodePrograms();
  const programs = [
    ...ECHO.map((name) => ({ name, program: "echo-basic", source: echoBasic })),
    { name: COREDNS, program: "pause", source: pause },
  ];
  return await Promise.all(programs.map(async ({ name, program, source }, index) => {
    const archive = join(folder, `suite-${index}.tar`);
    await writeImageArchive({
      name,
      layers: [[
        { path: program, mode: 0o755, source },
        { path: "tmp", mode: 0o1777 },
      ]],
      config: { Entrypoint: [`/${program}`], User: "65532:65532", Env: ["PATH=/bin"] },
    }, archive);
    return archive;
  }));
}
