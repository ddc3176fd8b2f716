// node screenshot.mjs MODULES CHROMIUM PAGE.html PICTURE.png [WIDTH] [HASH] [SELECTOR]: a picture of a page.
import { openBrowser, openPage } from "./browser.mjs";

const [modules, chromium, file, picture, width = "1280", hash = "", selector] = process.argv.slice(2);
const browser = await openBrowser(modules, chromium);
const { page, complaints } = await openPage(browser, file, { width: Number(width), height: Number(width) < 600 ? 844 : 900, hash, deviceScaleFactor: Number(width) < 600 ? 2 : 1 });
if (selector) await page.locator(selector).first().screenshot({ path: picture });
else await page.screenshot({ path: picture, fullPage: true });
for (const complaint of complaints) console.log(complaint);
await browser.close();
