/**
 * Names of clusters in proxy statistics.
 *
 * @module
 */
import type { Service, ServicePort } from "../../model/mod.ts";
import { statName } from "../core/mod.ts";

/** Values of the placeholders of a format. */
export interface Counted {
  readonly service: Pick<Service, "host">;
  readonly port: Pick<ServicePort, "number" | "name">;
  readonly subset: string;
}

/** Form of the orchestrator's hosts, made of a service's name and namespace. */
const SERVICE_HOST = /^([^.]+\.[^.]+)\.svc\./;

/**
 * Returns the name of a cluster in statistics, by the mesh's format.
 *
 * @param form with `%SERVICE%` (name and namespace for hosts of the orchestrator, otherwise the
 * host), `%SERVICE_FQDN%`, `%SERVICE_PORT%`, `%SERVICE_PORT_NAME%` and `%SUBSET_NAME%`; empty: the
 * cluster's name is used
 */
export function statisticsName(
  form: string,
  cluster: string,
  counted: Counted | undefined,
): string {
  if (form === "" || counted === undefined) return statName(cluster);
  const { service: { host }, port, subset } = counted;
  const values: Readonly<Record<string, string>> = {
    SERVICE: SERVICE_HOST.exec(host)?.[1] ?? host,
    SERVICE_FQDN: host,
    SERVICE_PORT: String(port.number),
    SERVICE_PORT_NAME: port.name,
    SUBSET_NAME: subset,
  };
  return statName(form.replace(/%([A-Z_]+)%/g, (whole, name) => values[name] ?? whole));
}
