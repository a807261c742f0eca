/**
 * Which fields act now. Everything else that a document sets is read and
 * checked, and warned about by name.
 *
 * A path stands for itself and all below it. `[]` means the items of a list.
 *
 * @module
 */

import { EXTENSIONS } from "./acting/extensions.ts";
import { GATEWAYS } from "./acting/gateways.ts";
import { MESH } from "./acting/mesh.ts";
import { SECURITY } from "./acting/security.ts";
import { TRAFFIC } from "./acting/traffic.ts";
import type { Acting } from "./acting/types.ts";

export type { Acting };

/** By kind. */
export const ACTING: Readonly<Record<string, Acting>> = {
  ...TRAFFIC,
  ...GATEWAYS,
  ...SECURITY,
  ...MESH,
  ...EXTENSIONS,
};
