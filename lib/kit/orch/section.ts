/**
 * Typed reading of maps of a configuration file.
 *
 * @module
 */
import { resolve } from "node:path";
import { MeshError } from "../base/mod.ts";

/** A map of the file, with the path to it for messages. Values never appear in messages. */
export class Section {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #file: string;
  readonly #path: string;

  constructor(value: unknown, file: string, path: string) {
    this.#file = file;
    this.#path = path;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw this.#wrong("", "a map");
    }
    this.#value = value as Readonly<Record<string, unknown>>;
  }

  text(name: string): string | undefined {
    const value = this.#value[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value === "string") return value;
    throw this.#wrong(name, "a text");
  }

  /** The value as it is. */
  value(name: string): unknown {
    return this.#value[name];
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.text(name);
    const found = values.find((value) => value === text);
    if (text !== undefined && found === undefined) throw this.#wrong(name, values.join(", or "));
    return found;
  }

  flag(name: string): boolean {
    const value = this.#value[name] ?? false;
    if (typeof value === "boolean") return value;
    throw this.#wrong(name, "true or false");
  }

  file(name: string, dir: string): string | undefined {
    const path = this.text(name);
    return path === undefined ? undefined : resolve(dir, path);
  }

  base64(name: string): string | undefined {
    const data = this.text(name);
    if (data === undefined) return undefined;
    try {
      return atob(data.replaceAll(/\s/g, ""));
    } catch {
      throw this.#wrong(name, "base64");
    }
  }

  texts(name: string): string[] {
    const list = this.#list(name);
    if (list.every((item) => typeof item === "string")) return list;
    throw this.#wrong(name, "a list of texts");
  }

  /** All values, which must be texts; those that are empty are left out. */
  allTexts(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const name of Object.keys(this.#value)) {
      const text = this.text(name);
      if (text !== undefined) found[name] = text;
    }
    return found;
  }

  section(name: string): Section | undefined {
    const value = this.#value[name];
    if (value === undefined || value === null) return undefined;
    return new Section(value, this.#file, this.#at(name));
  }

  sections(name: string): Section[] {
    return this.#list(name)
      .map((item, index) => new Section(item, this.#file, `${this.#at(name)}[${index}]`));
  }

  /** A list of `{name, <field>}` as a map; the first of several equal names counts. */
  named<T>(list: string, field: string, read: (section: Section) => T): Map<string, T> {
    const found = new Map<string, T>();
    for (const item of this.sections(list)) {
      const name = item.text("name");
      if (name === undefined) throw item.#wrong("name", "a text");
      const section = item.section(field);
      if (section !== undefined && !found.has(name)) found.set(name, read(section));
    }
    return found;
  }

  #list(name: string): unknown[] {
    const value = this.#value[name] ?? [];
    if (Array.isArray(value)) return value;
    throw this.#wrong(name, "a list");
  }

  #at(name: string): string {
    return this.#path === "" || name === "" ? this.#path + name : `${this.#path}.${name}`;
  }

  #wrong(name: string, expected: string): MeshError {
    const at = this.#at(name) || "the document";
    return new MeshError("orch-config", `${this.#file}: ${at} is not ${expected}`, {
      remedy: "Correct the file, or write it again with the orchestrator's tools.",
    });
  }
}
