/**
 * Labels and annotations in the orchestrator's syntax.
 *
 * @module
 */
import { isDnsSubdomain } from "./host.ts";

const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** The mistake in a label key (`name` or `prefix/name`); `undefined` for a valid one. */
export function labelKeyFault(key: string): string | undefined {
  if (key === "") return "the key is empty";
  const slash = key.indexOf("/");
  const name = key.slice(slash + 1);
  if (slash >= 0 && !isDnsSubdomain(key.slice(0, slash))) {
    return `prefix "${key.slice(0, slash)}" is not a DNS name`;
  }
  return NAME.test(name)
    ? undefined
    : `"${name}" must be 1 to 63 letters, digits, '-', '_' or '.', and begin and end with a letter or digit`;
}

/** The mistake in a label value; `undefined` for a valid one. An empty value is valid. */
export function labelValueFault(value: string): string | undefined {
  return value === "" || NAME.test(value)
    ? undefined
    : `"${value}" must be at most 63 letters, digits, '-', '_' or '.', and begin and end with a letter or digit`;
}
