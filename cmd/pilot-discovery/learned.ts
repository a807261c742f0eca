/**
 * The names that proxies ask for on demand, written to the tables between the publications of ingest.
 *
 * @module
 */
import { type LearnedName, LearnedScopes, ON_DEMAND_RETENTION } from "../../lib/mesh/xds/mod.ts";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";
import type { Engine } from "./engine.ts";

/** Time between two looks for names to forget. */
const SWEEP_MS = 60_000;

/** Creates the learned scopes of a daemon. */
export function learnScopes(
  { pipeline: { writer, translation }, ingest }: Engine,
  stack: AsyncDisposableStack,
): LearnedScopes {
  const learned = new LearnedScopes({
    clock: () => Date.now(),
    keepMs: ON_DEMAND_RETENTION.get(),
    most: translation.onDemandNames,
    write: (more, forgotten) => {
      const [asked, gone] = [hosts(more), hosts(forgotten)];
      if (asked.length + gone.length === 0) return;
      ingest.between(() => {
        writer.writeAsked(asked, gone);
        translation.publish();
      });
    },
  });
  stack.defer(ingest.every(SWEEP_MS, () => learned.sweep()));
  return learned;
}

/** Clusters exist without being asked for; virtual hosts are made. */
function hosts(names: readonly LearnedName[]): readonly LearnedName[] {
  return names.filter(({ typeUrl }) => typeUrl === TYPE_URLS.virtualHost);
}
