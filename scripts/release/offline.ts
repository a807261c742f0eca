/**
 * The bundle for places without a network: all files of a release, and a script that loads the images.
 *
 * @module
 */
import { join } from "../paths.ts";
import type { ReleaseContext } from "./context.ts";
import { SUMS, sumsText, textEntry, writeTar } from "./files.ts";

/** Ending of archives with an image. */
export const IMAGE_ENDING = ".oci.tar";

/** Makes the bundle of files and returns its name. */
export async function makeOffline(
  { facts, into, progress }: ReleaseContext,
  sums: ReadonlyMap<string, string>,
): Promise<string> {
  progress("packing the offline bundle");
  const folder = `mesh-${facts.version}-offline`;
  const entries = [
    ...[...sums.keys()].map((name) => ({
      path: `${folder}/${name}`,
      mode: 0o644,
      source: join(into, name),
    })),
    textEntry(`${folder}/${SUMS}`, sumsText(sums)),
    textEntry(`${folder}/load.sh`, LOAD, 0o755),
  ];
  const name = `${folder}.tar`;
  await writeTar(entries, join(into, name));
  return name;
}

/** Checks the files, then gives each image to what runs containers here. */
const LOAD = `#!/bin/sh
# Loads the images of this folder: load.sh [ctr|docker|podman|nerdctl]
#
# Without an argument it takes the first of these programs that is there. For ctr, the namespace is
# k8s.io and the socket that of CONTAINERD_ADDRESS. Charts are installed from the .tgz files here.
set -eu
cd -- "$(dirname -- "$0")"
sha256sum --check --quiet ${SUMS}
tool=\${1:-}
if [ -z "$tool" ]; then
  for one in ctr nerdctl podman docker; do
    if command -v "$one" >/dev/null 2>&1; then tool=$one; break; fi
  done
fi
found=0
for image in *${IMAGE_ENDING}; do
  [ -e "$image" ] || break
  found=1
  case $tool in
    ctr) ctr --namespace k8s.io images import "$image" ;;
    nerdctl) nerdctl --namespace k8s.io load --input "$image" ;;
    docker | podman) "$tool" load --input "$image" ;;
    "") echo "Error: there is no ctr, nerdctl, podman or docker; name one." >&2; exit 1 ;;
    *) echo "Error: $tool is none of ctr, nerdctl, podman, docker." >&2; exit 64 ;;
  esac
done
if [ "$found" = 0 ]; then
  echo "Error: this bundle has no images." >&2
  exit 1
fi
`;
