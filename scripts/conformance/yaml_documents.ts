/**
 * Documents of the corpora's files of YAML.
 *
 * @module
 */
import { readYaml } from "../../lib/kit/text/mod.ts";

/** The documents of a text that are not empty. Their shape is what the corpus says. */
export function documentsOf<T>(text: string): T[] {
  return [...readYaml(text)].flatMap(({ document }) =>
    document?.value ? [document.value as T] : []
  );
}
