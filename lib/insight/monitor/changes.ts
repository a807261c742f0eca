/**
 * Log lines about applied changes.
 *
 * @module
 */
import { objectOfRow } from "../../mesh/model/mod.ts";
import { printable } from "../../kit/base/mod.ts";
import { type Collection, type Edit, type Graph, showRow } from "../../mesh/graph/mod.ts";
import { type Logger, scope } from "../../kit/log/mod.ts";
import type { PublishedEvent, XdsObserver } from "../../mesh/xds/mod.ts";

const log = scope("default");

/** Objects that are named in one line. */
const NAMED = 5;
/** Resources that are counted for one line; more are shown as `10000+`. */
const COUNTED = 10_000;

/**
 * Returns an observer that writes one line at `info` for each publication of changed objects: the
 * objects, the number of proxies concerned and of changed resources, and the milliseconds since the
 * first change was seen. A publication whose edits are no longer known has no names.
 */
export function logChanges(
  graph: Pick<Graph, "edits">,
  elapsedMs: () => number,
  logger: Pick<Logger, "info"> = log,
): XdsObserver {
  return {
    published: (event) => {
      const edits = graph.edits(event.from);
      if (edits?.length === 0) return;
      const streams = event.concerns.flatMap(({ subscribers }) => subscribers)
        .map(({ stream }) => stream);
      logger.info("applied a change", {
        objects: edits === undefined ? "unknown" : printable(namesOf(edits)),
        proxies: new Set(streams.map(({ node }) => node.id)).size,
        resources: changedResources(event),
        ms: Math.round(elapsedMs()),
        revision: event.revision,
      });
    },
  };
}

function namesOf(edits: readonly Pick<Edit, "table" | "key">[]): string {
  const names = [...new Set(edits.map((edit) => showRow(objectOfRow(edit))))];
  const more = names.length - NAMED;
  return [...names.slice(0, NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

/** Counts the names of each changed layer once. */
function changedResources({ concerns, from }: Pick<PublishedEvent, "concerns" | "from">) {
  const seen = new Set<Collection>();
  let count = 0;
  for (const { view, before } of concerns) {
    for (const layer of [...view?.layers ?? [], ...before?.layers ?? []]) {
      if (seen.has(layer)) continue;
      seen.add(layer);
      count += new Set((layer.since(from) ?? []).map(({ name }) => name)).size;
      if (count >= COUNTED) return `${COUNTED}+`;
    }
  }
  return count;
}
