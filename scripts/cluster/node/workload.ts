/**
 * The image of the application of pods, of the program in `scripts/cluster/workload`.
 *
 * @module
 */
import { writeImageArchive } from "../../images/image.ts";
import { nodePrograms } from "../node_programs.ts";

/** Name of the image. */
export const WORKLOAD_IMAGE = "docker.io/mesh/workload:test";

/** Writes an archive with the image into a folder. */
export async function workloadArchive(folder: string): Promise<string> {
  const { workload } = await nodePrograms();
  const archive = `${folder}/workload.tar`;
  await writeImageArchive({
    name: WORKLOAD_IMAGE,
    layers: [[
      { path: "workload", mode: 0o755, source: workload },
      { path: "bin/tar", mode: 0o777, link: "/workload" }, // for `kubectl cp`
      { path: "tmp", mode: 0o1777 },
    ]],
    config: { Entrypoint: ["/workload"], User: "65532:65532", Env: ["PATH=/bin"] },
  }, archive);
  return archive;
}
