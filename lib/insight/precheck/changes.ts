/**
 * Changes of releases that an upgrade must know: defaults with another value, removed fields.
 *
 * @module
 */

/** A default that a release changed. */
export interface ChangedDefault {
  /** The variable, flag or field. */
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** A field that a release removed. */
export interface RemovedField {
  readonly kind: string;
  /** Names from the object, where a list stands for its items: `spec.http.mirrorPercent`. */
  readonly path: string;
  /** The replacement, as a sentence. */
  readonly remedy: string;
}

export interface ReleaseChanges {
  readonly version: string;
  readonly defaults: readonly ChangedDefault[];
  readonly removed: readonly RemovedField[];
}

/** The changes of each release, oldest first. No release has changed a default or removed a field. */
export const CHANGES: readonly ReleaseChanges[] = [];

/** The numbers of a version compare as less. */
export function isOlder(version: string, than: string): boolean {
  const numbers = (text: string) => (text.match(/\d+/g) ?? []).slice(0, 3).map(Number);
  const [a, b] = [numbers(version), numbers(than)];
  const at = [0, 1, 2].find((index) => (a[index] ?? 0) !== (b[index] ?? 0));
  return at !== undefined && (a[at] ?? 0) < (b[at] ?? 0);
}

/** The changes of the releases after a version, up to another one. */
export function changesBetween(
  from: string,
  to: string,
  changes: readonly ReleaseChanges[] = CHANGES,
): readonly ReleaseChanges[] {
  return changes.filter(({ version }) => isOlder(from, version) && !isOlder(to, version));
}

/** The objects that have a removed field, as `KIND NAMESPACE/NAME`. */
export function usesOf({ kind, path }: RemovedField, objects: readonly unknown[]): string[] {
  return objects.flatMap((object) => {
    const { kind: own, metadata } = object as {
      kind?: string;
      metadata?: { namespace?: string; name?: string };
    };
    if (own !== kind || !hasField(object, path.split("."))) return [];
    return [`${kind} ${[metadata?.namespace, metadata?.name].filter(Boolean).join("/")}`];
  });
}

function hasField(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  if (Array.isArray(value)) return value.some((item) => hasField(item, [name, ...rest]));
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return false;
  return hasField((value as Record<string, unknown>)[name], rest);
}
