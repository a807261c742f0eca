/**
 * The metric of the time that remains to certificates.
 *
 * @module
 */
import { gauge } from "../../kit/metrics/mod.ts";

/** Ends of validity by the name of the secret, ms since 1970, shown as `cert_expiry_seconds`. */
export interface ExpiryGauge {
  set(resource: string, notAfter: number): void;
  remove(resource: string): void;
}

const ends = new Map<string, number>();

/** Declares the metric. */
export function expiryGauge(): ExpiryGauge {
  gauge({
    name: "cert_expiry_seconds",
    help: "Seconds until the certificate expires; negative when it has expired.",
    labels: ["resource_name"],
    collect: (gauge) => {
      for (const [resource, end] of ends) {
        gauge.set({ resource_name: resource }, (end - Date.now()) / 1000);
      }
    },
  });
  return {
    set: (resource, notAfter) => void ends.set(resource, notAfter),
    remove: (resource) => void ends.delete(resource),
  };
}
