// A browser for tests: Chromium of the system, and pages that say nothing and ask for nothing.
import { createRequire } from "node:module";
import { join } from "node:path";

export async function openBrowser(modules, chromium) {
  const { chromium: driver } = createRequire(join(modules, "package.json"))("playwright-core");
  return driver.launch({
    executablePath: chromium,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync"],
  });
}

/** Opens a page from the disk; `complaints` gathers errors, console output and requests for anything else. */
export async function openPage(browser, file, { width = 1280, height = 900, hash = "", ...more } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, acceptDownloads: true, ...more });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) complaints.push(`request: ${request.url()}`); });
  await page.goto(`file://${file}${hash}`);
  await page.waitForSelector("body[data-ready]", { timeout: 60_000 });
  await page.waitForTimeout(150);
  return { page, complaints, close: () => context.close() };
}
