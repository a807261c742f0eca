/**
 * Addresses of ServiceEntries.
 *
 * @module
 */
import { protocolOf } from "../../../mesh/derive/mod.ts";
import type { Analyzer } from "../analyzer.ts";

/** A TCP port without address: all connections to the port are taken for the host. */
export const ENTRY_ADDRESSES: Analyzer<"ServiceEntry"> = {
  name: "serviceentry.Analyzer",
  kinds: ["ServiceEntry"],
  codes: ["MSH0134"],
  *analyze({ read, mesh }, { spec }) {
    const { proxyMetadata = {} } = mesh.field(read, "defaultConfig") ?? {};
    if (spec.addresses.length > 0 || allocatesAddresses(proxyMetadata)) return;
    for (const [at, { protocol }] of spec.ports.entries()) {
      if (protocol !== "" && protocolOf(protocol) !== "TCP") continue;
      yield { code: "MSH0134", args: [], path: `spec.ports[${at}].protocol` };
    }
  },
};

/** True if proxies of the mesh give addresses to hosts without any. */
function allocatesAddresses(settings: Readonly<Record<string, string>>): boolean {
  const isOn = (name: string) => settings[name] === "true";
  return isOn("PILOT_ENABLE_IP_AUTOALLOCATE") ||
    isOn("MESH_META_DNS_CAPTURE") && isOn("MESH_META_DNS_AUTO_ALLOCATE");
}
