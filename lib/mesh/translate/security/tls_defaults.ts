/**
 * Defaults of TLS of servers (`tlsDefaults`): at gateways, and at ports of Sidecars.
 *
 * @module
 */
import { MeshConfig_TLSConfig_TLSProtocol as Least } from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  type ServerTLSSettings,
  ServerTLSSettings_TLSProtocol as Version,
} from "#mesh/networking/v1alpha3/gateway_pb.ts";
import { FIPS_CIPHERS, FIPS_CURVES } from "../../../kit/base/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { BaseContext } from "./features.ts";

const VERSIONS: Readonly<Record<Least, Version>> = {
  [Least.TLS_AUTO]: Version.TLS_AUTO,
  [Least.TLSV1_2]: Version.TLSV1_2,
  [Least.TLSV1_3]: Version.TLSV1_3,
};

/**
 * The TLS settings of a server, with the mesh's defaults for those that it does not set. A policy
 * overrides all. A server
 * whose newest version is older than the mesh's minimum keeps its own versions.
 */
export function overTlsDefaults(
  read: Read,
  { mesh, features }: Pick<BaseContext, "mesh" | "features">,
  tls: ServerTLSSettings,
): ServerTLSSettings {
  if (features.fips) {
    return {
      ...tls,
      minProtocolVersion: Version.TLSV1_2,
      maxProtocolVersion: Version.TLSV1_2,
      cipherSuites: [...FIPS_CIPHERS],
      ecdhCurves: [...FIPS_CURVES],
    };
  }
  const defaults = mesh.field(read, "tlsDefaults");
  if (defaults === undefined) return tls;
  const { minProtocolVersion: min, maxProtocolVersion: max, cipherSuites, ecdhCurves } = tls;
  const least = VERSIONS[defaults.minProtocolVersion];
  const fits = min === Version.TLS_AUTO && (max === Version.TLS_AUTO || least <= max);
  return {
    ...tls,
    minProtocolVersion: fits ? least : min,
    cipherSuites: cipherSuites.length > 0 ? cipherSuites : defaults.cipherSuites,
    ecdhCurves: ecdhCurves.length > 0 ? ecdhCurves : defaults.ecdhCurves,
  };
}
