/**
 * Names of services in the mesh configuration: `namespace/host`, or a host that only one namespace
 * defines.
 *
 * @module
 */
import { namespaceOf } from "./object.ts";

/** A name of a service, taken apart. */
export interface ServiceName {
  /** `undefined` if the name has none. */
  readonly namespace: string | undefined;
  /** As written. */
  readonly host: string;
}

/** Takes the name of a service apart. */
export function parseServiceName(service: string): ServiceName {
  const slash = service.indexOf("/");
  return {
    namespace: slash < 0 ? undefined : service.slice(0, slash),
    host: service.slice(slash + 1),
  };
}

/**
 * The host of a named service in lower case.
 *
 * @param entriesOf the keys of the ServiceEntries of a host
 * @returns `undefined` where there is no such service, or no single one
 */
export function namedHost(
  service: string,
  entriesOf: (host: string) => readonly string[],
): string | undefined {
  const { namespace, host: written } = parseServiceName(service);
  const host = written.toLowerCase();
  const owners = new Set(entriesOf(host).map(namespaceOf));
  const known = namespace === undefined ? owners.size === 1 : owners.has(namespace);
  return known ? host : undefined;
}
