/**
 * Computed values in words.
 *
 * @module
 */
import { type RowRef, shorten, showRow } from "../../mesh/graph/mod.ts";
import type { ProxyClass } from "../../mesh/model/mod.ts";

/** A computed value in words. Keys of proxy classes are whole documents: the parts that tell one. */
export function cellText({ table, key }: RowRef): string {
  const cls = proxyClassOf(key);
  if (cls === undefined) return showRow({ table, key }, 80);
  const labels = Object.entries(cls.labels ?? {}).map(([name, value]) => `${name}=${value}`);
  const who = [cls.role, cls.namespace && `of namespace ${cls.namespace}`];
  const named = [...who, labels.length > 0 && `with ${labels.join(", ")}`]
    .filter((part) => typeof part === "string" && part !== "").join(" ");
  return shorten(`${table} for proxies (${named})`, 120);
}

/** The proxy class that the text of a key is, or that is one of its parts; `undefined`: there is none. */
function proxyClassOf(text: unknown): Partial<ProxyClass> | undefined {
  const value = typeof text === "string" ? parsed(text) : text;
  if (Array.isArray(value)) {
    return value.map(proxyClassOf).find((found) => found !== undefined);
  }
  if (typeof value !== "object" || value === null) return undefined;
  return typeof (value as Partial<ProxyClass>).role === "string" ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
