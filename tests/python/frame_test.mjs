// node frame_test.mjs BROWSER.mjs MODULES CHROMIUM PAGE.html: a run in a notebook is its page, in motion, in a frame that may do nothing else.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const [driver, modules, chromium, file] = process.argv.slice(2);
const { openBrowser } = await import(pathToFileURL(driver));
const browser = await openBrowser(modules, chromium);
try {
  const page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
  const complaints = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(pathToFileURL(file).href);
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  await frame.waitForSelector("body[data-ready]", { timeout: 60_000 });
  assert.equal(await frame.locator("h1").innerText(), "Planar double pendulum in Cartesian coordinates");
  assert.ok((await frame.locator("svg, canvas").count()) > 3);
  const moment = () => frame.locator(".transport .time").first().innerText();
  const before = await moment();
  await page.waitForTimeout(700);
  assert.notEqual(await moment(), before);
  assert.deepEqual(complaints, []);
} finally {
  await browser.close();
}
