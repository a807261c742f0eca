/**
 * Links to objects that may be absent.
 *
 * @module
 */
import { objectOfRef } from "../../../mesh/model/mod.ts";
import type { ComponentChildren } from "../../../kit/web/mod.ts";
import type { DebugInputs } from "../inputs.ts";
import { objectPresence } from "../presence.ts";
import { refLink } from "./layout.ts";

/** Returns a function that links a text `table/key`; an object that is not in use has no link. */
export function presentLinks(
  inputs: Pick<DebugInputs, "objects">,
): (ref: string) => ComponentChildren {
  const isPresent = objectPresence(inputs);
  return (ref) => isPresent(ref) ? refLink(ref) : `${objectOfRef(ref)} (absent)`;
}
