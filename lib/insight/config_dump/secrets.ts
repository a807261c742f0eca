import type { Dump } from "./dump.ts";
import { asMap, asMaps, asText, at, type Json, type JsonMap } from "./json.ts";
import type { Table } from "./table.ts";

/** Facts of a certificate; the caller reads them from PEM. */
export interface CertificateFacts {
  /** Hexadecimal, lower case. */
  readonly serial: string;
  /** Begin and end, milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Trust domain of its SPIFFE id; empty without one. */
  readonly trustDomain: string;
}

/** A secret of a dump. */
export interface ShownSecret {
  readonly name: string;
  readonly state: "ACTIVE" | "WARMING";
  readonly secret: JsonMap;
}

/** The secrets of a dump: active ones, then those that the proxy waits for. */
export function secretsOf({ sections }: Dump): readonly ShownSecret[] {
  const section = sections.get(SECTION) ?? {};
  const shown = (list: Json | undefined, state: ShownSecret["state"]): ShownSecret[] =>
    asMaps(list).map((entry) => ({
      name: asText(entry.name) || asText(at(entry, "secret", "name")),
      state,
      secret: asMap(entry.secret),
    }));
  return [
    ...shown(section.dynamicActiveSecrets, "ACTIVE"),
    ...shown(section.staticSecrets, "ACTIVE"),
    ...shown(section.dynamicWarmingSecrets, "WARMING"),
  ];
}

const SECTION = "SecretsConfigDump";

/**
 * The secrets as other tools print them: the section of the dump, with all contents as base64
 * (`inlineBytes`), whichever form the proxy received.
 */
export function secretsDocument({ sections }: Dump): JsonMap {
  const { "@type": _, ...section } = asMap(sections.get(SECTION));
  return asMap(inBytes(section));
}

/** The value with contents as bytes: a data source with a text becomes one with its base64. */
function inBytes(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map(inBytes);
  if (typeof value !== "object" || value === null) return value ?? null;
  const entries = Object.entries(value).map(([name, inner]): [string, Json] => {
    if (name !== "inlineString" || typeof inner !== "string") return [name, inBytes(inner)];
    return ["inlineBytes", new TextEncoder().encode(inner).toBase64()];
  });
  return Object.fromEntries(entries);
}

/** Reads the certificates of a PEM text; throws for other texts. */
export type ReadCertificates = (pem: string) => readonly CertificateFacts[];

/** PEM texts of a secret, with their type and trust domain. */
interface Bundle {
  readonly type: "Cert Chain" | "CA";
  readonly data: JsonMap;
  /** Trust domain that the bundle is for; empty: not said. */
  readonly trustDomain: string;
}

function bundlesOf(secret: JsonMap): readonly Bundle[] {
  const chain = at(secret, "tlsCertificate", "certificateChain");
  const found: Bundle[] = [];
  if (chain !== undefined) found.push({ type: "Cert Chain", data: asMap(chain), trustDomain: "" });
  const context = asMap(secret.validationContext);
  const validator = at(context, "customValidatorConfig", "typedConfig");
  const isEmpty = pemOf(asMap(context.trustedCa)) === "" && validator !== undefined;
  if (context.trustedCa !== undefined && !isEmpty) {
    found.push({ type: "CA", data: asMap(context.trustedCa), trustDomain: "" });
  }
  for (const { name, trustBundle } of asMaps(at(validator, "trustDomains"))) {
    found.push({ type: "CA", data: asMap(trustBundle), trustDomain: asText(name) });
  }
  return found;
}

/** PEM of a data source; certificates in files are named. */
export function pemOf(data: JsonMap): string {
  const inline = asText(data.inlineString);
  if (inline !== "") return inline;
  try {
    return atob(asText(data.inlineBytes));
  } catch {
    return "";
  }
}

/** Tools of the table of secrets. */
export interface SecretReading {
  readonly read: ReadCertificates;
  /** Milliseconds since 1970, which validity is compared with. */
  readonly now: number;
  readonly timeText: (milliseconds: number) => string;
}

export function secretTable(secrets: readonly ShownSecret[], reading: SecretReading): Table {
  const hasDomains = secrets.some(({ secret }) =>
    bundlesOf(secret).some(({ trustDomain }) => trustDomain !== "")
  );
  const head = [
    ...["RESOURCE NAME", "TYPE", "STATUS", "VALID CERT", "SERIAL NUMBER", "NOT AFTER"],
    ...["NOT BEFORE", ...hasDomains ? ["TRUST DOMAIN"] : []],
  ];
  const rows = secrets.flatMap((shown) => {
    const bundles = bundlesOf(shown.secret);
    if (bundles.length === 0) return [[shown.name, "", shown.state, "false", "", "", ""]];
    return bundles.flatMap((bundle) => bundleRows(shown, bundle, { ...reading, hasDomains }));
  });
  return { head, rows };
}

interface RowContext extends SecretReading {
  readonly hasDomains: boolean;
}

function bundleRows(
  { name, state }: ShownSecret,
  { type, data, trustDomain }: Bundle,
  { read, now, timeText, hasDomains }: RowContext,
): string[][] {
  const start = [name, type, state];
  const file = asText(data.filename);
  if (file !== "") return [[...start, "unknown", `(file ${file})`, "", ""]];
  const certificates = readOrNone(read, pemOf(data));
  if (certificates.length === 0) return [[...start, "false", "(not readable)", "", ""]];
  // The first certificate of a chain is the proxy's own.
  const shown = type === "CA" ? certificates : certificates.slice(0, 1);
  return shown.map((each) => [
    ...start,
    String(each.notBefore <= now && now < each.notAfter),
    each.serial,
    timeText(each.notAfter),
    timeText(each.notBefore),
    ...hasDomains ? [trustDomain || each.trustDomain] : [],
  ]);
}

function readOrNone(read: ReadCertificates, pem: string): readonly CertificateFacts[] {
  try {
    return read(pem);
  } catch {
    return [];
  }
}
