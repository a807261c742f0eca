/**
 * Certificates that the Gateway API refers to, among the credentials of the mesh.
 *
 * @module
 */
import type { Input, Read } from "../../graph/mod.ts";
import { configMapKey, type Credential, objectKey } from "../../model/mod.ts";
import type { MaterialState } from "../../gateway_api/mod.ts";
import type { GatewayApiOptions } from "./tables.ts";

/** The states of Secrets and ConfigMaps of the daemon's own cluster. */
export function materialOf(
  credentials: Input<Credential>,
): Pick<GatewayApiOptions, "certificate" | "authorities" | "parameters"> {
  const stateAt = (
    read: Read,
    key: string,
    part: "certificate" | "authorities",
    lacks: string,
  ): MaterialState => {
    const found = read.get(credentials, key);
    if (found === undefined) return "missing";
    if (found.fault !== undefined) {
      return { invalid: found.fault, lastGoodServes: found[part] !== undefined };
    }
    return found[part] === undefined ? { invalid: lacks } : "valid";
  };
  return {
    certificate: (read, secret) =>
      stateAt(read, objectKey(secret), "certificate", "there is no certificate with its key"),
    authorities: (read, kind, object) =>
      stateAt(
        read,
        kind === "ConfigMap" ? configMapKey(object) : objectKey(object),
        "authorities",
        "there is no ca.crt",
      ),
    parameters: (read, object) => {
      const found = read.get(credentials, configMapKey(object));
      if (found === undefined) return "missing";
      const { parametersFault } = found;
      return parametersFault === undefined ? "valid" : { invalid: parametersFault };
    },
  };
}
