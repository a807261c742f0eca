import type { Dump } from "./dump.ts";
import { asMap, asMaps, at } from "./json.ts";
import { pemOf, secretsOf } from "./secrets.ts";

/** The trusted roots of a proxy, PEM texts without line ends at their end, in order. */
export function rootsOf(dump: Dump): readonly string[] {
  const texts = secretsOf(dump).flatMap(({ name, secret }) => {
    if (name !== "ROOTCA") return [];
    const context = asMap(secret.validationContext);
    const domains = asMaps(at(context, "customValidatorConfig", "typedConfig", "trustDomains"));
    return [context.trustedCa, ...domains.map(({ trustBundle }) => trustBundle)]
      .map((data) => pemOf(asMap(data)));
  });
  const blocks = texts.flatMap((text) =>
    text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  );
  return [...new Set(blocks)].sort();
}

/** The comparison of the roots of two proxies. */
export function rootsAnswer(
  first: { readonly name: string; readonly roots: readonly string[] },
  second: { readonly name: string; readonly roots: readonly string[] },
): { readonly same: boolean; readonly text: string } {
  const same = first.roots.length === second.roots.length &&
    first.roots.every((root, index) => root === second.roots[index]);
  const both = `Both [${first.name}] and [${second.name}] have the`;
  return {
    same,
    text: same
      ? `${both} identical ROOTCA, theoretically the connectivity between them is available`
      : `${both} non identical ROOTCA, theoretically the connectivity between them is unavailable`,
  };
}
