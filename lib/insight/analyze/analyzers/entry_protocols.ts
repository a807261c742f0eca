/**
 * ServiceEntries that define a host together.
 *
 * @module
 */
import { byAge, objectKey } from "../../../mesh/model/mod.ts";
import { protocolOf } from "../../../mesh/derive/mod.ts";
import type { Analyzer } from "../analyzer.ts";
import { rowsOf } from "../indexes.ts";

/** A port for which an older ServiceEntry of the host and namespace declares another protocol. */
export const ENTRY_PROTOCOLS: Analyzer<"ServiceEntry"> = {
  name: "serviceentry.ConflictingServiceEntryProtocolAnalyzer",
  kinds: ["ServiceEntry"],
  codes: ["MSH0177"],
  *analyze({ read, mesh }, row) {
    for (const host of row.spec.hosts) {
      const keys = read.members(mesh.indexes.entriesByHost, host.toLowerCase());
      const older = rowsOf(read, mesh.tables.serviceEntries, keys).filter((other) =>
        other.meta.namespace === row.meta.namespace && byAge(other, row) < 0
      ).sort(byAge);
      for (const [at, { number, protocol }] of row.spec.ports.entries()) {
        const others = older.filter(({ spec }) =>
          spec.ports.some((port) =>
            port.number === number && protocolOf(port.protocol) !== protocolOf(protocol)
          )
        );
        if (others.length === 0) continue;
        const protocols = new Set([
          ...others.flatMap(({ spec }) => spec.ports).filter((port) => port.number === number)
            .map((port) => port.protocol),
          protocol,
        ]);
        const names = [...others, row].map(({ meta }) => objectKey(meta)).join(", ");
        const args = [names, host, `${number}`, [...protocols].join(", ")];
        yield { code: "MSH0177", args, path: `spec.ports[${at}].protocol` };
      }
    }
  },
};
