/**
 * Values of annotations.
 *
 * @module
 */
import { isIp } from "../../../kit/text/mod.ts";

/** True for an IP address with the length of a prefix. */
export function isRange(text: string): boolean {
  const [ip = "", bits, ...rest] = text.split("/");
  if (!isIp(ip) || rest.length > 0) return false;
  return bits !== undefined && /^\d+$/.test(bits) && Number(bits) <= (ip.includes(":") ? 128 : 32);
}
