// What the theme leaves undone: each copy button is a landmark of its own, tables that scroll cannot be reached by
// keyboard, the link of a heading is called "#", what is copied from a console holds the prompt and the output, and
// pictures follow the system, not the switch from light to dark.
const commands = (code) =>
  code.textContent.split("\n").reduce(
    ([lines, goesOn], line) => {
      const typed = goesOn ? line : line.startsWith("$ ") ? line.slice(2) : null;
      return typed === null ? [lines, false] : [[...lines, typed], typed.endsWith("\\")];
    },
    [[], false],
  )[0];

const mend = () => {
  const look = document.body.dataset.mdColorScheme === "slate" ? "all" : "not all";
  for (const dark of document.querySelectorAll("picture source")) if (dark.media !== look) dark.media = look;
  for (const own of document.querySelectorAll("nav.md-code__nav")) own.setAttribute("role", "none");
  for (const own of document.querySelectorAll("a.headerlink[title]")) own.ariaLabel = own.title;
  for (const own of document.querySelectorAll(".md-typeset__scrollwrap"))
    if (own.scrollWidth > own.clientWidth) own.tabIndex = 0;
  for (const button of document.querySelectorAll("button[data-clipboard-target]")) {
    const code = document.querySelector(button.dataset.clipboardTarget);
    if (code?.querySelector(".gp")) button.dataset.clipboardText = commands(code).join("\n");
  }
};
mend();
new MutationObserver(mend).observe(document.body, {
  attributeFilter: ["data-md-color-scheme"],
  childList: true,
  subtree: true,
});
