// node typeset.cjs KATEX.js: typesets formulas, ["x^2", isDisplay] in each line of standard input, into {"html"} or {"error"}.
const katex = require(process.argv[2]);

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [text, displayMode] = JSON.parse(line);
  let answer;
  try {
    answer = { html: katex.renderToString(text, { displayMode, strict: "error", throwOnError: true }) };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
