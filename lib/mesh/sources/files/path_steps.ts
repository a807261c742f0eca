/**
 * Paths of fields as messages write them.
 *
 * @module
 */

/** The steps of a path such as `spec.http[0].match`, as `formatPath` writes it. */
export function pathSteps(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g)].map(
    ([, index, quoted, name]) =>
      index !== undefined ? Number(index) : name ?? (JSON.parse(`"${quoted}"`) as string),
  );
}
