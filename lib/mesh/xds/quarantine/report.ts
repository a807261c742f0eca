/**
 * Log lines of rejections.
 *
 * @module
 */
import { printable } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { xdsType } from "../../model/mod.ts";
import { clientName } from "./client_name.ts";
import { replacement } from "./kept_versions.ts";
import type { Entry, Stream } from "./types.ts";

const log = scope("ads");

/** Logs that a stream rejected the last version of an entry; `isNew`: it is the first that did. */
export function report(
  { typeUrl, name, message, culprits, kept, versions }: Entry,
  stream: Stream,
  isNew: boolean,
): void {
  const fields = {
    proxy: stream.id,
    identity: clientName(stream),
    type: xdsType(typeUrl).short,
    name: printable(name),
    message: printable(message),
    from: culprits.slice(0, 10).map(({ object, generation }) =>
      generation === undefined ? object : `${object} (generation ${generation})`
    ),
    serving: replacement(kept, versions.slice(-1)) ? "the version before" : "none",
  };
  // A bad edit is rejected by every proxy: one of them is enough for the log.
  if (!isNew) return log.debug("another proxy rejected a quarantined resource", fields);
  log.warn(
    "a proxy rejected a resource; it is quarantined until its content changes or a retry succeeds",
    fields,
  );
}
