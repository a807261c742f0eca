/**
 * The image of the node proxy for tests. The program is not part of the repository.
 *
 * @module
 */
import { baseLayer } from "../../images/base.ts";
import { platformOf } from "../../images/platforms.ts";
import { writeImageArchive } from "../../images/image.ts";
import { TEST_TAG } from "../../images/kept.ts";

/** Writes an archive with the image into a folder; returns its path. */
export async function nodeProxyArchive(program: string, folder: string): Promise<string> {
  const archive = `${folder}/ztunnel.tar`;
  await writeImageArchive({
    name: `docker.io/mesh/ztunnel:${TEST_TAG}`,
    layers: [
      await baseLayer("newer", platformOf()),
      [{ path: "usr/local/bin/ztunnel", mode: 0o755, source: program }],
    ],
    config: { Entrypoint: ["/usr/local/bin/ztunnel"], Cmd: ["proxy", "ztunnel"], User: "0:0" },
  }, archive);
  return archive;
}
