// The pictures of docs/gallery.md and docs/tutorial.md: node gallery.mjs PROGRAM MODULES CHROMIUM DOCS. Each command there writes a page; the
// comment before it says what the picture shows: t=MOMENT of the mechanism, or figure=TITLE.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowser, openPage } from "./test/browser.mjs";

const [program, modules, chromium, docs] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "cotangent-gallery-"));
const browser = await openBrowser(modules, chromium);
mkdirSync(join(docs, "gallery"), { recursive: true });

async function picture(file, hash, width, name, find) {
  const { page, close } = await openPage(browser, file, { width, hash: `#theme=light&play=0&${hash}` });
  await find(page).screenshot({ path: join(docs, name) });
  console.log(name);
  await close();
}

const entries = readFileSync(join(docs, "gallery.md"), "utf8").matchAll(/\]\((gallery\/[\w-]+\.png)\)\n<!-- (t|figure)=(.*) -->\n\n```sh\ncotangent (.*)\n```/g);
for (const [, name, kind, what, command] of entries) {
  const words = command.split(" "), file = join(folder, words.at(-1));
  execFileSync(program, words.map((word) => (word.endsWith(".html") ? file : word)), { stdio: "ignore" });
  const isFigure = kind === "figure";
  await picture(file, isFigure ? "t=0" : `t=${what}`, 900, name, (page) => (isFigure ? page.locator("figure.plot", { hasText: what }).first() : page.locator(".stage")));
}

const rope = join(folder, "rope.toml"), page = join(folder, "rope.html");
writeFileSync(rope, readFileSync(join(docs, "tutorial.md"), "utf8").match(/```toml\n(# rope\.toml[^]*?)```/)[1]);
execFileSync(program, ["run", rope, "--report", page], { stdio: "ignore" });
await picture(page, "t=2.2", 1080, "gallery/rope.png", (page) => page.locator(".hero"));

await browser.close();
rmSync(folder, { recursive: true, force: true });
