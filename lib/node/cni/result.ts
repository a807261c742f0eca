/**
 * Results of plugins in the versions of the standard. Pure.
 *
 * @module
 */
import { type CniVersion, isObject, type JsonObject, VERSIONS } from "./config.ts";
import { CNI_CODE, CniFault } from "./fault.ts";

/** Fields of addresses before version 1.0.0 that newer versions do not have, and the other way round. */
const SINCE_1_1: Readonly<Record<string, readonly string[]>> = {
  interfaces: ["mtu", "socketPath", "pciID"],
  routes: ["mtu", "advmss", "priority", "table", "scope"],
};

/**
 * The result of the plugins before this one, in the version that was asked for. Fields that are not
 * known stay as they are.
 *
 * @throws {CniFault} 6 for a result of a version that is not known
 */
export function passOn(previous: JsonObject | undefined, asked: CniVersion): JsonObject {
  if (previous === undefined) return { cniVersion: asked };
  const has = VERSIONS.find((version) => version === (previous.cniVersion ?? asked));
  if (has === undefined) {
    throw new CniFault(
      CNI_CODE.decode,
      `prevResult.cniVersion: ${JSON.stringify(previous.cniVersion)} is not supported`,
      { remedy: `The plugin before this one must answer in ${VERSIONS.join(", ")}.` },
    );
  }
  const result = { ...previous, cniVersion: asked };
  if (has === asked) return result;
  return {
    ...result,
    ...listOf(previous, "ips", (ip) => isOld(asked) ? oldAddress(ip) : newAddress(ip)),
    ...asked === "1.1.0" ? {} : {
      ...listOf(previous, "interfaces", (one) => without(one, SINCE_1_1.interfaces)),
      ...listOf(previous, "routes", (one) => without(one, SINCE_1_1.routes)),
    },
  };
}

function isOld(version: CniVersion): boolean {
  return version.startsWith("0.");
}

function listOf(
  result: JsonObject,
  field: string,
  change: (one: JsonObject) => JsonObject,
): JsonObject {
  const list = result[field];
  if (!Array.isArray(list)) return {};
  return { [field]: list.map((one) => isObject(one) ? change(one) : one) };
}

function oldAddress(ip: JsonObject): JsonObject {
  return { version: String(ip.address).includes(":") ? "6" : "4", ...ip };
}

function newAddress(ip: JsonObject): JsonObject {
  return without(ip, ["version"]);
}

function without(object: JsonObject, fields: readonly string[] = []): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !fields.includes(name)));
}
