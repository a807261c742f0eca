import assert from "node:assert/strict";
import { PACKAGES } from "./base.ts";
import { canFetch, packages, pinnedPackages } from "./debian.ts";
import { EMULATOR } from "./emulator.ts";
import { PLATFORMS } from "./platforms.ts";

Deno.test("packages: each has a pin with a version and a checksum for each platform", async () => {
  for (const platform of PLATFORMS) {
    const pinned = await pinnedPackages(platform);
    assert.deepEqual(Object.keys(pinned).sort(), [...PACKAGES, EMULATOR].sort());
    for (const [name, { version, sha256 }] of Object.entries(pinned)) {
      assert.match(version, /\d/, name);
      assert.match(sha256, /^[0-9a-f]{64}$/, name);
    }
  }
});

Deno.test("packages: one without a pin is refused, with the task that pins it", async () => {
  await assert.rejects(packages(["no-such-package"], "refuse"), {
    code: "images-not-pinned",
    remedy: /--update/,
  });
});

const APT = await canFetch(["dash"]) ? "" : " [needs apt-get with the packages of Debian 12]";

Deno.test({
  name: `packages: one that the mirror does not have is an error with its words${APT}`,
  ignore: APT !== "",
  fn: async () => {
    assert.equal(await canFetch(["dash", "no-such-package"]), false);
    await assert.rejects(packages(["no-such-package"], "newer"), {
      code: "images-package",
      message: /no-such-package of \w+ cannot be had[^]*Unable to locate/,
    });
  },
});
