/**
 * Elements of a picture as plain data.
 *
 * @module
 */

/** An SVG element. Texts are not escaped: who renders it does that. */
export interface SvgElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (SvgElement | string)[];
}

/** Makes an element. */
export function element(
  name: string,
  attributes: SvgElement["attributes"],
  ...children: readonly (SvgElement | string)[]
): SvgElement {
  return { name, attributes, children };
}

/** A coordinate with one decimal, so that a picture stays small. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The title and the description that screen readers say, and the attributes that refer to them. */
export function described(
  id: string,
  { title, description }: { readonly title: string; readonly description: string },
): { readonly attributes: SvgElement["attributes"]; readonly children: SvgElement[] } {
  return {
    attributes: { "aria-labelledby": `${id}-title`, "aria-describedby": `${id}-desc` },
    children: [
      element("title", { id: `${id}-title` }, title),
      element("desc", { id: `${id}-desc` }, description),
    ],
  };
}
