/**
 * ServiceEntries that define a host together.
 *
 * @module
 */
import type { ServiceEntry } from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { byAge, type ConfigObject, objectKey } from "../../../mesh/model/mod.ts";
import { protocolOf, visibilityOf } from "../../../mesh/derive/mod.ts";
import type { Analyzer, Context } from "../analyzer.ts";
import { rowsOf } from "../indexes.ts";

/** A port for which another ServiceEntry of the host, which some namespace sees too, declares another protocol. */
export const ENTRY_PROTOCOLS: Analyzer<"ServiceEntry"> = {
  name: "serviceentry.ConflictingServiceEntryProtocolAnalyzer",
  kinds: ["ServiceEntry"],
  codes: ["MSH0177"],
  *analyze(context, row) {
    for (const host of row.spec.hosts) {
      const others = rivalsOf(context, row, host);
      for (const [at, { number, protocol }] of row.spec.ports.entries()) {
        const apart = others.filter((other) =>
          protocolsAt(other, number).some((one) => protocolOf(one) !== protocolOf(protocol))
        );
        if (apart.length === 0) continue;
        const all = [...apart, row].sort(byAge);
        const protocols = new Set(
          all.flatMap((one) => protocolsAt(one, number)).map((one) => one.toUpperCase()),
        );
        const names = all.map(({ meta }) => objectKey(meta)).join(", ");
        const args = [names, host, `${number}`, [...protocols].join(", ")];
        return yield { code: "MSH0177", args, path: `spec.ports[${at}].protocol` };
      }
    }
  },
};

function protocolsAt({ spec }: ConfigObject<ServiceEntry>, number: number): string[] {
  return spec.ports.filter((port) => port.number === number).map(({ protocol }) => protocol);
}

/** The other ServiceEntries with a host, as it is written, that a namespace sees beside this one. */
function rivalsOf(
  { read, mesh }: Context,
  row: ConfigObject<ServiceEntry>,
  host: string,
): ConfigObject<ServiceEntry>[] {
  const keys = read.members(mesh.indexes.entriesByHost, host.toLowerCase());
  return rowsOf(read, mesh.tables.serviceEntries, keys).filter((other) =>
    other.meta !== row.meta && other.meta.kind === "ServiceEntry" && meet(row, other)
  );
}

/** True if a namespace may see both. */
function meet(a: ConfigObject<ServiceEntry>, b: ConfigObject<ServiceEntry>): boolean {
  const [one, two] = [a, b].map(({ spec, meta }) => visibilityOf(spec.exportTo, meta.namespace));
  if (one === "public" || two === "public") {
    return [one, two].every((seen) => seen === "public" || (seen?.length ?? 0) > 0);
  }
  return one!.some((namespace) => two!.includes(namespace));
}
