// Bundles src/ and its libraries into one HTML file: node bundle.mjs SOURCE MODULES PAGE
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [source, modules, page] = process.argv.slice(2);
const { build } = createRequire(join(modules, "package.json"))("esbuild");

const result = await build({
  entryPoints: [join(source, "src/main.ts")],
  outdir: "out",
  write: false,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022", "chrome103", "firefox113", "safari16.4"],
  charset: "utf8",
  legalComments: "eof",
  nodePaths: [join(modules, "node_modules")],
  loader: { ".woff2": "dataurl", ".woff": "empty", ".ttf": "empty" },
  logLevel: "error",
});
const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending)).text;
// Inside <script> and <style> nothing may end them.
const script = text(".js").replaceAll("</script", "<\\/script");
// Those who wrote what is bundled, in their own words.
const packages = ["katex", "d3-scale", "d3-array", "d3-color", "d3-format", "d3-interpolate", "d3-time", "d3-time-format", "internmap", "@fontsource-variable/inter"];
const licences = packages.map((name) => `${name}\n\n${readFileSync(join(modules, "node_modules", name, "LICENSE"), "utf8").trim()}`).join("\n\n");
const template = readFileSync(join(source, "src/template.html"), "utf8");
writeFileSync(page, template.replace("/* style */", () => text(".css")).replace("/* script */", () => script).replace("licences", () => licences.replaceAll("--", "- -")));
