import assert from "node:assert/strict";
import { migrateText } from "./mod.ts";

const FOLDER = new URL("./testdata/", import.meta.url);
const INPUTS = [...Deno.readDirSync(FOLDER)].map(({ name }) => name)
  .filter((name) => name.endsWith(".yaml") && !name.endsWith(".mesh.yaml")).sort();

const read = (name: string): string => Deno.readTextFileSync(new URL(name, FOLDER));

/** The remarks as lines of text. */
function shown(name: string, text: string): string {
  return migrateText(text, name).remarks
    .map(({ line, field, level, message, remedy }) =>
      `${line} ${level} ${field}: ${message}. ${remedy}\n`
    ).join("");
}

for (const name of INPUTS) {
  const base = name.replace(/\.yaml$/, "");
  Deno.test(`migrate: ${name} has its new names and remarks`, () => {
    const text = read(name);
    assert.equal(migrateText(text, name).text, read(`${base}.mesh.yaml`));
    assert.equal(shown(name, text), read(`${base}.remarks.txt`));
  });

  Deno.test(`migrate: ${name} stays as it is the second time`, () => {
    const once = migrateText(read(name), name).text;
    assert.equal(migrateText(once, name).text, once);
  });
}
