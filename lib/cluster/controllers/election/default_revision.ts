/**
 * The default revision of the mesh: that to which the revision tag `default` points.
 *
 * @module
 */
import { scope } from "../../../kit/log/mod.ts";
import type { FollowedTags } from "../../../mesh/sources/mod.ts";

const log = scope("controllers");

const DEFAULT_TAG = "default";

/** The followed default revision. */
export interface DefaultRevision extends Disposable {
  /** The default revision; empty: no tag names one. */
  current(): string;
}

export function followDefaultRevision(tags: FollowedTags): DefaultRevision {
  let current = "";
  const update = () => {
    const next = tags.current().get(DEFAULT_TAG) ?? "";
    if (next === current) return;
    log.info("the default revision changed", { from: current, to: next });
    current = next;
  };
  update();
  const end = tags.onChange(update);
  return { current: () => current, [Symbol.dispose]: end };
}
