/**
 * Pictures in pages.
 *
 * @module
 */
import { type ComponentChildren, h } from "../../../kit/web/mod.ts";
import type { SvgElement } from "../../picture/mod.ts";

/** Renders a picture; its texts are escaped. */
export function svg({ name, attributes, children }: SvgElement): ComponentChildren {
  return h(
    name,
    { ...attributes },
    children.map((one) => typeof one === "string" ? one : svg(one)),
  );
}
