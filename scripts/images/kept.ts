/**
 * Images for tests, kept in the cache of `deno task tools` as long as the sources stay.
 *
 * @module
 */
import { kept } from "../kept.ts";
import { join } from "../paths.ts";
import { makeImages } from "./task.ts";

/** Tag of the images. */
export const TEST_TAG = "test";

/**
 * Archives by program, made if the cache has none of these sources.
 *
 * @param progress is told each step of that
 */
export async function keptImages(
  progress: (line: string) => void = () => {},
): Promise<Readonly<Record<string, string>>> {
  const dir = await kept("images", async (into) => {
    const options = { isCompressed: false, missing: "newer", tag: TEST_TAG, progress } as const;
    for (const { layout } of await makeImages({ ...options, into })) {
      await Deno.remove(layout, { recursive: true });
    }
  });
  const archives = [...Deno.readDirSync(dir)].map(({ name }) => name);
  return Object.fromEntries(archives.map((name) => [name.replace(/\.tar$/, ""), join(dir, name)]));
}
