import assert from "node:assert/strict";

const FOLDER = new URL("../docs/decisions/", import.meta.url);
const SECTIONS = ["Context", "Options considered", "Decision", "Consequences", "Security"];
const MAX_WORDS = 250;

/** The records by file name. */
function records(): Map<string, string> {
  const names = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).sort();
  return new Map(
    names.filter((name) => name !== "README.md")
      .map((name) => [name, Deno.readTextFileSync(new URL(name, FOLDER))]),
  );
}

Deno.test("each decision record has its sections, a status and a date, and is short", () => {
  const all = records();
  assert(all.size > 0);
  for (const [name, text] of all) {
    const number = /^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1];
    assert(number, `${name}: the name is not NNNN-title.md`);
    assert(text.startsWith(`# ${number}. `), `${name}: the heading has another number`);
    assert.match(text, /^- Status: (accepted|superseded by \[\d{4}\]\(.+\))$/m, name);
    assert.match(text, /^- Date: \d{4}-\d\d-\d\d$/m, name);
    const sections = [...text.matchAll(/^## (.+)$/gm)].map((match) => match[1]);
    assert.deepEqual(sections, SECTIONS, name);
    const words = text.split(/\s+/).filter((word) => word !== "").length;
    assert(words <= MAX_WORDS, `${name} has ${words} words, ${MAX_WORDS} are allowed`);
  }
});

Deno.test("numbers of decision records are used once, without gaps", () => {
  const numbers = [...records().keys()].map((name) => Number(name.slice(0, 4)));
  assert.deepEqual(numbers, numbers.map((_, at) => at + 1));
});

Deno.test("the index lists each decision record with its title and status", () => {
  const index = Deno.readTextFileSync(new URL("README.md", FOLDER));
  for (const [name, text] of records()) {
    const title = /^# \d{4}\. (.+)$/m.exec(text)![1]!;
    const status = /^- Status: (\w+)/m.exec(text)![1]!;
    const row = index.split("\n").find((line) => line.includes(`](${name})`));
    assert(row, `${name} is not in the index`);
    const cells = row.split("|").map((cell) => cell.trim());
    assert.equal(cells[2], title, `${name}: the index has another title`);
    assert(cells[3]!.startsWith(status), `${name}: the index has another status`);
  }
});
